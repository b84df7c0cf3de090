// The replacement of certificate authorities, in GraphQL.

import { builder } from '../../../graphql/kit/builder.ts';
import { enumOf } from '../../../graphql/kit/enum-values.ts';
import { stepMutation } from '../../../graphql/kit/mutations.ts';
import { notesInput } from '../../../graphql/kit/resource.ts';
import { SshKeyType } from '../keys/key-schema.ts';
import { rsaKeySizes } from './authority-key.ts';
import { quickKeyCost, rsaKeyCost, SshCertificateAuthority, SshEllipticCurve } from './authority-schema.ts';
import { type AuthorityState, stateOf } from './succession-rules.ts';
import { announceSuccessor, handOver, retire } from './succession-store.ts';

const SshCertificateAuthorityState = enumOf<AuthorityState>(
  'SshCertificateAuthorityState',
  'How far the replacement of a certificate authority has progressed.',
  {
    active: 'It signs, and no successor is announced.',
    successor_announced: 'It signs, and clients can already trust its successor.',
    handed_over: 'Its successor signs in its place. Clients still need its public key for the certificates it signed.',
    retired: 'Its private key has been erased, and all certificates it signed have expired.',
  },
);

builder.prismaObjectFields('SshCertificateAuthority', (t) => ({
  state: t.field({
    type: SshCertificateAuthorityState,
    description: 'How far its replacement has progressed.',
    resolve: stateOf,
  }),
  successorId: t.exposeID('successorId', {
    nullable: true,
    description: 'Identifier of the authority that takes over from it; null while none is announced.',
    extensions: {
      notConfigured:
        'takes over from it: an authority which is made by the document has a key of its own, and no successor',
    },
  }),
  handedOverAt: t.expose('handedOverAt', {
    type: 'DateTime',
    nullable: true,
    description: 'When its successor took over; null before.',
  }),
  retiredAt: t.expose('retiredAt', {
    type: 'DateTime',
    nullable: true,
    description: 'When its private key was erased; null before.',
  }),
}));

stepMutation('announceSshCertificateAuthoritySuccessor', SshCertificateAuthority, {
  description:
    'Creates the successor of a certificate authority, with a new key pair, so that clients can trust it before it takes over. ' +
    'OUT_OF_ORDER if there is a successor already.',
  input: (t) => ({
    privateKeyType: t.field({
      type: SshKeyType,
      description: 'The type of its key; defaults to the type of the current key.',
    }),
    ellipticCurve: t.field({ type: SshEllipticCurve, description: 'The curve of an `ecdsa` key.' }),
    keySize: t.int({ description: `The size of an \`rsa\` key in bits: ${rsaKeySizes.join(', ')}.` }),
    signingAgent: t.string({ description: 'The agent that has its key, if it is not to be in the database.' }),
    key: t.string({
      description: 'Which key of the agent: its fingerprint or its public key, if the agent offers several.',
    }),
    ...notesInput(t),
  }),
  // Without a given type, the key may be RSA: that depends on the authority.
  cost: ({ privateKeyType: type }) => ({ field: type === 'ed25519' || type === 'ecdsa' ? quickKeyCost : rsaKeyCost }),
  result: 'The successor.',
  resolve: (input, { scope, signal }) => announceSuccessor(scope, input, signal()),
});

stepMutation('handOverSshCertificateAuthority', SshCertificateAuthority, {
  description:
    'Lets the announced successor of a certificate authority take over: from now on it signs in place of the old one. ' +
    'OUT_OF_ORDER without a successor.',
  result: 'The authority that has handed over.',
  resolve: (input, { scope }) => handOver(scope, input),
});

stepMutation('retireSshCertificateAuthority', SshCertificateAuthority, {
  description:
    'Erases the private key of a certificate authority that has handed over. IN_USE until the last certificate that it signed ' +
    'has expired; deleted certificates, which are revoked, do not count.',
  input: (t) => ({
    revokeCertificates: t.boolean({
      description:
        'Whether to revoke and delete the certificates that have not expired, as in an emergency: clients refuse hosts that have not ' +
        'renewed by then. Defaults to false.',
    }),
  }),
  result: 'The authority that has retired.',
  resolve: (input, { scope }) => retire(scope, input, { revokesCertificates: input.revokeCertificates ?? false }),
});

builder.prismaObjectField('Account', 'sshKnownHostsUrl', (t) =>
  t.string({
    description:
      'URL of a `known_hosts` file that makes clients trust all certificate authorities of the account that have not retired. ' +
      'It requires no API key.',
    resolve: ({ id }, _args, { baseUrl }) => `${baseUrl}/ssh/known_hosts/${id}`,
  }),
);
