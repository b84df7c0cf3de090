// Challenges in GraphQL, which hosts sign to prove possession of a key.

import { builder } from '../../../graphql/kit/builder.ts';
import { forEveryKey } from '../../../graphql/wrappers/rights.ts';
import { objectsOfLookup } from '../../../load/limits.ts';
import { challengeMs } from './challenge.ts';
import { giveChallenge } from './challenge-store.ts';

const SshChallenge = builder.objectRef<{ readonly text: string; readonly expiresAt: Date }>('SshChallenge').implement({
  description: 'A text that a host signs to prove possession of its private key.',
  fields: (t) => ({
    challenge: t.exposeString('text', {
      description:
        'One line: `sallyport-challenge-v1`, the address of the service, the identifier of the certificate or token, the expiry, and ' +
        'a code that only the service can create. The host signs exactly this text, without a line break.',
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      description: 'When the challenge expires. It can be used once.',
    }),
  }),
});

builder.queryField('sshChallenge', (t) =>
  t.field({
    type: SshChallenge,
    nullable: true,
    description:
      `A new challenge, valid for ${challengeMs / 60_000} minutes, to renew a host certificate or to enroll a host with a token. ` +
      'Over REST, no API key is needed.',
    extensions: forEveryKey,
    args: {
      sshHostCertificateId: t.arg.id({ description: 'The host certificate to renew.' }),
      token: t.arg.string({ description: 'The enrollment token to use.' }),
    },
    resolve: (_root, args, { scope, baseUrl, budget }) => {
      budget.expectObjects(objectsOfLookup);
      return giveChallenge(scope, baseUrl, args);
    },
  }),
);
