// SSH certificate authorities in GraphQL, with the configuration lines that operators paste.

import { builder } from '../../../graphql/kit/builder.ts';
import { choiceOf } from '../../../graphql/kit/column-fields.ts';
import { collectionUri, uriOf } from '../../../graphql/kit/context.ts';
import { decidingNode } from '../../../graphql/kit/deciding.ts';
import { enumOf } from '../../../graphql/kit/enum-values.ts';
import { createMutation, deleteMutation, updateMutation } from '../../../graphql/kit/mutations.ts';
import { resourceQueries } from '../../../graphql/kit/queries.ts';
import { forceInput } from '../../../graphql/kit/resource.ts';
import { searchable } from '../../../graphql/kit/search-query.ts';
import { connectionOf } from '../../../graphql/lists/connection-types.ts';
import { innerListArgs, innerListPrice, resolveInnerList } from '../../../graphql/lists/inner-list.ts';
import { costOfSearch, readMoment, validUntilBeforeDescription } from '../certificates/certificate-schema.ts';
import { sshCertificateAuthorities, sshHostCertificates } from '../collections-store.ts';
import { fingerprintDescription, fingerprintOf, SshKeyType } from '../keys/key-schema.ts';
import { blobOfLine, fingerprint, keyTypes } from '../keys/public-key.ts';
import { knownHostsLine } from '../rules.ts';
import { deleteSshCertificateAuthority } from './authority-deletion-store.ts';
import { type ellipticCurves, rsaKeySizes } from './authority-key.ts';
import { certificatesOfAuthority, createSshCertificateAuthority } from './authority-store.ts';

export const SshEllipticCurve = enumOf<(typeof ellipticCurves)[number]>(
  'SshEllipticCurve',
  'The curve of an ECDSA key.',
  {
    p256: 'NIST P-256.',
    p384: 'NIST P-384.',
    p521: 'NIST P-521.',
  },
);

export const SshCertificateAuthority = builder.prismaNode('SshCertificateAuthority', {
  ...decidingNode,
  fields: (t) => ({
    keyType: t.field(choiceOf('keyType', SshKeyType, keyTypes, 'The type of the key of the authority.')),
    publicKey: t.exposeString('publicKey'),
    fingerprint: t.string({
      description: fingerprintDescription,
      resolve: fingerprintOf,
    }),
    knownHostsLine: t.string({
      description:
        'A line for the `known_hosts` file of clients, which makes them trust every host certified by the authority.',
      args: {
        hosts: t.arg.string({
          description:
            'Comma-separated patterns of the host names to trust the authority for, such as `*.example.com`.',
          defaultValue: '*',
        }),
      },
      resolve: ({ publicKey }, { hosts }) => knownHostsLine(hosts ?? '*', publicKey),
    }),
    revocationListUrl: t.string({
      description:
        'URL of the key revocation list (KRL) of the authority, for `RevokedHostKeys`. It requires no API key.',
      resolve: ({ id }, _args, context) => `${uriOf(context, id)}/krl`,
    }),
    hostCertificates: t.field({
      type: connectionOf('SshHostCertificate'),
      description: 'The host certificates of the authority, newest first.',
      args: {
        ...innerListArgs(t.arg),
        validUntilBefore: t.arg({ type: 'DateTime', description: validUntilBeforeDescription }),
      },
      complexity: ({ first, last, ...filters }) => {
        const price = innerListPrice({ first, last });
        return { ...price, field: price.field + costOfSearch(filters) };
      },
      resolve: ({ id }, { first, after, last, before, ...filters }, context, info) => {
        const list = certificatesOfAuthority(readMoment('validUntilBefore', filters.validUntilBefore));
        const uri = collectionUri(context, 'SshHostCertificate');
        const certificates = { collection: sshHostCertificates, list, cursors: 'SshHostCertificate', uri } as const;
        return resolveInnerList(certificates, id, { first, after, last, before }, context, info);
      },
    }),
  }),
});

/** Search text that may be part of a fingerprint: longer than most words. */
const fingerprintForm = /^(sha256:)?[a-z0-9+/]{8,43}$/;

searchable('SshCertificateAuthority', {
  name: 'fingerprint',
  column: 'publicKey',
  read: (stored) => [fingerprint(blobOfLine(stored))],
  computedFor: fingerprintForm,
});

resourceQueries('SshCertificateAuthority', SshCertificateAuthority, sshCertificateAuthorities, {
  one: { name: 'sshCertificateAuthority', noun: 'SSH certificate authority' },
  list: {
    name: 'sshCertificateAuthorities',
    description: 'The SSH certificate authorities of the account, newest first.',
  },
});

/** Cost of generating an RSA key: a document can ask for five, which take some seconds. */
export const rsaKeyCost = 25_000;
export const quickKeyCost = 500;

createMutation('createSshCertificateAuthority', SshCertificateAuthority, {
  description: 'Creates a certificate authority with a new key pair. The private key never leaves the server.',
  input: (t) => ({
    privateKeyType: t.field({
      type: SshKeyType,
      description: 'The type of its key; defaults to `ed25519`.',
      extensions: { configured: { default: 'ed25519', shownAs: 'keyType' } },
    }),
    ellipticCurve: t.field({ type: SshEllipticCurve, description: 'The curve of an `ecdsa` key; defaults to `p256`.' }),
    keySize: t.int({ description: `The size of an \`rsa\` key in bits: ${rsaKeySizes.join(', ')}; defaults to 4096.` }),
  }),
  cost: ({ privateKeyType }) => ({ field: privateKeyType === 'rsa' ? rsaKeyCost : quickKeyCost }),
  resolve: (input, { scope, signal }) => createSshCertificateAuthority(scope, input, signal()),
});

updateMutation('updateSshCertificateAuthority', SshCertificateAuthority, {
  description: 'Updates the description and metadata of a certificate authority. Its key never changes.',
  resolve: (input, { scope }) => sshCertificateAuthorities.updateNotes(scope, input),
});

deleteMutation('deleteSshCertificateAuthority', {
  description:
    'Deletes a certificate authority with its private key and its enrollment tokens. IN_USE while it has certificates, unless ' +
    'they are revoked with it, or while another authority has handed over to it. If it is only announced as a successor, the ' +
    'announcement is withdrawn. Revoked certificates stay on the revocation lists until they would have expired.',
  input: (t) => ({
    revokeCertificates: t.boolean({
      description:
        'Whether to revoke and delete the certificates of the authority first, some at a time. If that is interrupted, ' +
        'repeat the request: it does the rest. Defaults to false.',
    }),
    ...forceInput(t),
  }),
  resolve: ({ id, expectedVersion, revokeCertificates }, { scope }) =>
    deleteSshCertificateAuthority(scope, id, expectedVersion, { revokesCertificates: revokeCertificates ?? false }),
});
