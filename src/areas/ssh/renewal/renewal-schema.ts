// Renewal in GraphQL, and what a host or a client needs besides a certificate.

import { invalid, SallyportError } from '../../../domain/errors.ts';
import { batched } from '../../../graphql/kit/batch.ts';
import { builder } from '../../../graphql/kit/builder.ts';
import { changeMutation } from '../../../graphql/kit/change-mutation.ts';
import type { Context } from '../../../graphql/kit/context.ts';
import { answersWithObject } from '../../../graphql/kit/mutations.ts';
import { forEveryKey, needs } from '../../../graphql/wrappers/rights.ts';
import { SshHostCertificate, signatureCost } from '../certificates/certificate-schema.ts';
import { sshCertificateAuthorities } from '../collections-store.ts';
import { sshSignatureCharactersMax } from '../keys/sshsig.ts';
import { accountRevocationListUrl, knownHostsLine } from '../rules.ts';
import { challengeCharactersMax } from './challenge.ts';
import type { Proof } from './challenge-store.ts';
import { renewSshHostCertificate } from './renewal-store.ts';

/** Finds an authority, batched with those of other certificates; null if it has been deleted. */
function findAuthority(context: Context, id: string) {
  const load = (ids: readonly string[]) => sshCertificateAuthorities.getMany(context.scope, [...ids]);
  return batched(context, 'authorities of certificates', load).load(id);
}

builder.prismaObjectFields(SshHostCertificate, (t) => ({
  replacedById: t.exposeID('replacedById', {
    nullable: true,
    description:
      'Identifier of the certificate that replaced this one when the host renewed it or enrolled again; null until then.',
  }),
  knownHosts: t.string({
    description:
      'Lines for `known_hosts` that make clients trust the authority of the certificate and its announced successor.',
    resolve: async ({ sshCertificateAuthorityId }, _args, context) => {
      const authority = await findAuthority(context, sshCertificateAuthorityId);
      const successor = authority?.successorId == null ? null : await findAuthority(context, authority.successorId);
      return [authority, successor]
        .map((one) => (one == null ? '' : `${knownHostsLine('*', one.publicKey)}\n`))
        .join('');
    },
  }),
  accountRevocationListUrl: t.string({
    description:
      'URL of the key revocation list (KRL) of all certificate authorities of the account, for `RevokedHostKeys`. It requires no API key.',
    resolve: (_certificate, _args, { baseUrl, scope }) => accountRevocationListUrl(baseUrl, scope.accountId),
  }),
}));

/** Reads the proof from an input; null if there is none. Throws INVALID_INPUT for half a proof. */
function readProof({ challenge, signature }: { [P in keyof Proof]?: string | null | undefined }): Proof | null {
  if (challenge != null && signature != null) return { challenge, signature };
  if (challenge == null && signature == null) return null;
  throw invalid(
    challenge == null ? 'challenge' : 'signature',
    'must be given: a proof has a challenge and a signature.',
  );
}

function hasProof({ input }: Readonly<Record<string, unknown>>): boolean {
  if (typeof input !== 'object' || input === null) return false;
  const { challenge = null, signature = null } = { challenge: null, signature: null, ...input };
  return challenge !== null || signature !== null;
}

changeMutation('renewSshHostCertificate', {
  description:
    'Signs the key of a host certificate again, with the same names and validity period, by its authority or the authority that ' +
    'took over from it. Possible in the last third of the validity and for some days afterwards; the replaced certificate stays ' +
    'valid until it expires. If the certificate was renewed before, returns the latest certificate of the host. The host proves ' +
    'possession of its key, and then needs no API key over REST. Without a proof, needs `ssh:write`.',
  extensions: {
    needs: (args) => (hasProof(args) ? forEveryKey : needs('ssh:write')),
    ...answersWithObject('SshHostCertificate'),
  },
  cost: signatureCost,
  input: (t) => ({
    id: t.id({ required: true, description: 'Identifier of the certificate to renew.' }),
    challenge: t.string({
      description: 'A challenge for this certificate, from `sshChallenge`. Omitted by a key with `ssh:write`.',
      extensions: { jsonSchema: { maxLength: challengeCharactersMax } },
    }),
    signature: t.string({
      description:
        'The signature of the challenge by the host, in the format that `ssh-keygen -Y sign -n sallyport-renew` prints.',
      extensions: { jsonSchema: { maxLength: sshSignatureCharactersMax } },
    }),
    force: t.boolean({
      description: 'Whether to renew even outside the renewal period. Needs a key with `ssh:write`. Defaults to false.',
    }),
  }),
  resolve: (input, context) => {
    const { scope, baseUrl, identity, renewalGraceDays: graceDays, signal } = context;
    const force = input.force ?? false;
    if (force && !identity.rights.has('ssh:write')) {
      const message = 'must not be set without an API key that has "ssh:write": a proof renews in its time.';
      throw new SallyportError('FORBIDDEN', message, { field: 'force' });
    }
    const renewal = { id: input.id, proof: readProof(input), force, baseUrl, graceDays };
    return renewSshHostCertificate(scope, renewal, signal());
  },
  answer: (t) => ({
    sshHostCertificate: t.field({
      type: SshHostCertificate,
      // A host that has proved possession of the key may read the certificate for it.
      extensions: forEveryKey,
      description: 'The new certificate, or the latest one of the host.',
      resolve: (certificate) => certificate,
    }),
  }),
});
