// The changes of SAML modules in GraphQL, and what keeps them working over the years: metadata that is read again, and keys that are
// replaced.

import { builder } from '../../graphql/kit/builder.ts';
import { SamlMetadataReading } from '../../graphql/kit/identity-provider.ts';
import { moduleMutations, stepMutation } from '../../graphql/kit/mutations.ts';
import { deleteLoginModule } from './login-module-store.ts';
import { findMetadata } from './metadata-reading-store.ts';
import { HttpsEdgeRoute, routeAddressInput } from './route-schema.ts';
import { SamlKeyStep } from './saml-keys-schema.ts';
import { rotateSamlKey } from './saml-rotation-store.ts';
import { samlInput } from './saml-schema.ts';
import { replaceSamlModule } from './saml-store.ts';

builder.prismaObjectFields('SamlModule', (t) => ({
  metadataReading: t.field({
    type: SamlMetadataReading,
    nullable: true,
    description: 'How the metadata is read at `idpMetadataUrl`; null without one.',
    resolve: (module) => (module.idpMetadataUrl === '' ? null : module),
  }),
}));

/** Cost of generating a signing key: a document can ask for 14. */
const signingKeyCost = 10_000;

moduleMutations(HttpsEdgeRoute, {
  address: routeAddressInput,
  replace: {
    name: 'replaceSamlModule',
    description:
      'Sets the SAML module of a route, replacing any existing one. The key that signs requests is generated the first ' +
      'time and kept afterwards.',
    input: samlInput,
    cost: signingKeyCost,
    async resolve({ routeId, ...given }, { scope, outgoing, signal }) {
      const input = { ...given, id: routeId };
      return replaceSamlModule(scope, input, signal(), await findMetadata(scope, outgoing, input, signal()));
    },
  },
  delete: {
    name: 'deleteSamlModule',
    description: 'Deletes the SAML module of a route with its signing key. Does nothing if it is not set.',
    resolve: ({ routeId, ...input }, { scope, signal }) =>
      deleteLoginModule(scope, 'saml', { ...input, id: routeId }, signal()),
  },
});

stepMutation('rotateSamlKey', HttpsEdgeRoute, {
  description:
    'Makes a step of replacing the keys of the service provider of a route, without a moment at which logins fail. OUT_OF_ORDER if ' +
    'another step comes first. Where the registration of another route is used, it is made there.',
  input: (t) => ({
    edgeId: t.id({ description: 'The edge of the route. If it is given, a route of another is not found.' }),
    step: t.field({ type: SamlKeyStep, required: true, description: 'The step.' }),
  }),
  cost: signingKeyCost,
  result: 'The route with its module after the step.',
  resolve: (input, { scope, signal }) => rotateSamlKey(scope, input, signal()),
});
