// The GraphQL preview of what is read from the metadata of an identity provider before it is saved.

import { inTurns, type Steps } from '../../domain/concurrency/steps.ts';
import { SallyportError } from '../../domain/errors.ts';
import { idpMetadataBytesMax } from '../../domain/saml/descriptor.ts';
import { type IdentityProvider, readIdentityProvider, warningsOf } from '../../domain/saml/identity-provider.ts';
import { builder } from '../../graphql/kit/builder.ts';
import { IdpMetadataWarning, SamlIdentityProvider, usualOfMetadata } from '../../graphql/kit/identity-provider.ts';
import { needs } from '../../graphql/wrappers/rights.ts';
import { whenItMayGoOn } from '../../load/answer-slices.ts';

/** What was read, or why the metadata cannot be used. */
type Outcome =
  | { readonly identityProvider: IdentityProvider; readonly error: null }
  | { readonly identityProvider: null; readonly error: string };

const IdpMetadata = builder.objectRef<Outcome>('IdpMetadata').implement({
  description: 'The result of reading the metadata of an identity provider.',
  fields: (t) => ({
    identityProvider: t.field({
      type: SamlIdentityProvider,
      nullable: true,
      description: 'What the metadata contains; null if it cannot be used.',
      resolve: ({ identityProvider }) => identityProvider,
    }),
    warnings: t.field({
      type: [IdpMetadataWarning],
      complexity: usualOfMetadata,
      description: 'Problems that prevent logins now, or may do so. The metadata can be saved nevertheless.',
      resolve: ({ identityProvider }, _args, { scope }) =>
        identityProvider === null ? [] : warningsOf(identityProvider, scope.now()),
    }),
    error: t.exposeString('error', {
      nullable: true,
      description: 'Why the metadata cannot be used, with the message of `replaceSamlModule`; null if it can.',
    }),
  }),
});

/** Estimated maximum cost of reading: metadata of the maximum size takes 30 ms (measured). */
const readingCost = 10_000;
/** Bytes read for the price of one field of an answer. */
const bytesInAField = 64;

builder.queryField('idpMetadata', (t) =>
  t.field({
    type: IdpMetadata,
    nullable: true,
    extensions: needs('https-edges:read'),
    complexity: { field: readingCost },
    description: 'Returns what a SAML module would read from the metadata of an identity provider. Changes nothing.',
    args: {
      metadata: t.arg.string({
        required: true,
        description:
          'The metadata: its EntityDescriptor as XML without a document type definition, at most ' +
          `${idpMetadataBytesMax} bytes of UTF-8.`,
      }),
    },
    resolve: async (_root, { metadata }, context) => {
      const cost = Math.min(metadata.length, idpMetadataBytesMax) / bytesInAField;
      context.budget.count(cost);
      return await whenItMayGoOn(context, cost, () =>
        inTurns(context.identity.accountId, read(metadata), context.signal),
      );
    },
  }),
);

function* read(metadata: string): Steps<Outcome> {
  try {
    return { identityProvider: yield* readIdentityProvider('metadata', metadata), error: null };
  } catch (error) {
    if (!(error instanceof SallyportError)) throw error;
    return { identityProvider: null, error: error.message };
  }
}
