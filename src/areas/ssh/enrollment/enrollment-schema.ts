// Enrollment in GraphQL.

import { descriptionBytesMax } from '../../../domain/values/text.ts';
import { changeMutation } from '../../../graphql/kit/change-mutation.ts';
import { answersWithObject } from '../../../graphql/kit/mutations.ts';
import { forEveryKey } from '../../../graphql/wrappers/rights.ts';
import { SshHostCertificate, signatureCost } from '../certificates/certificate-schema.ts';
import { principalsMax } from '../certificates/principals.ts';
import { sshSignatureCharactersMax } from '../keys/sshsig.ts';
import { challengeCharactersMax } from '../renewal/challenge.ts';
import { enrollSshHost } from './enrollment-store.ts';

changeMutation('enrollSshHost', {
  description:
    'Enrolls a host with an enrollment token: signs its key for the requested names, if the token allows them and the host ' +
    'proves possession of the key. Each certificate counts as one use of the token. ENROLLMENT_TOKEN_UNUSABLE if no use is left ' +
    'or the token has expired. Over REST, no API key is needed.',
  extensions: {
    ...forEveryKey,
    ...answersWithObject('SshHostCertificate'),
  },
  cost: signatureCost,
  input: (t) => ({
    token: t.string({ required: true, description: 'The secret of the enrollment token: `sshet_...`.' }),
    publicKey: t.string({
      required: true,
      description: 'The public key of the host in OpenSSH Authorized Keys format: the single line of its `.pub` file.',
    }),
    principals: t.stringList({
      required: true,
      description:
        `The names and addresses that clients reach the host by, in lower case; at most ${principalsMax}, each allowed ` +
        'by the token, without wildcards.',
      extensions: { jsonSchema: { minItems: 1, maxItems: principalsMax } },
    }),
    validUntil: t.field({
      type: 'DateTime',
      description: 'When the certificate expires; defaults to the latest time the token allows.',
    }),
    description: t.string({
      description: `Human-readable description of the certificate; at most ${descriptionBytesMax} bytes of UTF-8.`,
      extensions: { jsonSchema: { maxLength: descriptionBytesMax } },
    }),
    challenge: t.string({
      required: true,
      description: 'A challenge for the token, from `sshChallenge`. Each can be used once.',
      extensions: { jsonSchema: { maxLength: challengeCharactersMax } },
    }),
    signature: t.string({
      required: true,
      description:
        'The signature of the challenge by the host, in the format that `ssh-keygen -Y sign -n sallyport-enroll` prints.',
      extensions: { jsonSchema: { maxLength: sshSignatureCharactersMax } },
    }),
  }),
  resolve: (input, context) => {
    const { scope, baseUrl, signal } = context;
    return enrollSshHost(scope, input, baseUrl, signal());
  },
  answer: (t) => ({
    sshHostCertificate: t.field({
      type: SshHostCertificate,
      // A host that has proved possession of the key may read the certificate for it.
      extensions: forEveryKey,
      description: 'The new certificate.',
      resolve: (certificate) => certificate,
    }),
  }),
});
