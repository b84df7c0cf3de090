// Checks a pasted public key before it is signed, in GraphQL.

import { SallyportError } from '../../../domain/errors.ts';
import { builder } from '../../../graphql/kit/builder.ts';
import { needs } from '../../../graphql/wrappers/rights.ts';
import { whenItMayGoOn } from '../../../load/answer-slices.ts';
import { describeKey, type KeyDescription } from './describe-key.ts';
import { fingerprintDescription, SshKeyType } from './key-schema.ts';
import { publicKeyCharactersMax } from './public-key.ts';

/** The description of a key, or why it cannot be signed. */
type Outcome = { readonly key: KeyDescription; readonly error: null } | { readonly key: null; readonly error: string };

const SshPublicKeyCheck = builder.objectRef<Outcome>('SshPublicKeyCheck').implement({
  description: 'A public key as a host certificate would certify it.',
  fields: (t) => ({
    keyType: t.field({
      type: SshKeyType,
      nullable: true,
      description: 'The type of the key; null if it cannot be signed.',
      resolve: ({ key }) => key?.keyType,
    }),
    bits: t.int({
      nullable: true,
      description: 'The length of the key in bits, as OpenSSH shows it; null if it cannot be signed.',
      resolve: ({ key }) => key?.bits,
    }),
    fingerprint: t.string({
      nullable: true,
      description: `${fingerprintDescription} Null if it cannot be signed.`,
      resolve: ({ key }) => key?.fingerprint,
    }),
    comment: t.string({
      nullable: true,
      description: 'The comment of the key; null if there is none.',
      resolve: ({ key }) => key?.comment,
    }),
    error: t.exposeString('error', {
      nullable: true,
      description: 'Why the key cannot be signed, with the message of `createSshHostCertificate`; null if it can.',
    }),
  }),
});

/** Estimated and actual cost of a check: it takes half a millisecond (measured). */
const checkCost = 500;

builder.queryField('checkSshPublicKey', (t) =>
  t.field({
    type: SshPublicKeyCheck,
    nullable: true,
    extensions: needs('ssh:read'),
    complexity: { field: checkCost },
    description:
      'Describes a public key and checks whether it can be signed, without signing it. Nothing that is sent is stored, and only ' +
      'the comment of a public key is returned.',
    args: {
      publicKey: t.arg.string({
        required: true,
        description:
          'The key in the form of a `.pub` file: algorithm, base64 and an optional comment in one line, at most ' +
          `${publicKeyCharactersMax} characters.`,
      }),
    },
    resolve: (_root, { publicKey }, context) => {
      context.budget.count(checkCost);
      return whenItMayGoOn(context, checkCost, () => check(publicKey));
    },
  }),
);

function check(publicKey: string): Outcome {
  try {
    return { key: describeKey(publicKey), error: null };
  } catch (error) {
    if (!(error instanceof SallyportError)) throw error;
    return { key: null, error: error.message };
  }
}
