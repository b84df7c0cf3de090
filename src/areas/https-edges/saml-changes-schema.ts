// The changes of SAML modules in GraphQL, and what keeps them working over the years: metadata that is read again, and keys that are
// replaced.

import { endOfCertificate } from '../../domain/saml/signing-key.ts';
import { builder } from '../../graphql/kit/builder.ts';
import { enumValues } from '../../graphql/kit/enum-values.ts';
import { moduleMutations, stepMutation } from '../../graphql/kit/mutations.ts';
import type { Row } from '../../storage/objects/collection.ts';
import { deleteLoginModule } from './login-module-store.ts';
import { findMetadata } from './metadata-reading-store.ts';
import { HttpsEdgeRoute, routeAddressInput } from './route-schema.ts';
import { nextStepOf, type RotationState, type RotationStep, rotationStateOf } from './saml-rotation-rules.ts';
import { rotateSamlKey } from './saml-rotation-store.ts';
import { samlInput } from './saml-schema.ts';
import { replaceSamlModule } from './saml-store.ts';

const SamlMetadataReading = builder
  .objectRef<Pick<Row<'SamlModule'>, 'metadataReadAt' | 'metadataFailure' | 'metadataFailedAt' | 'metadataNextAt'>>(
    'SamlMetadataReading',
  )
  .implement({
    description: 'How the metadata of an identity provider is read at its URL.',
    fields: (t) => ({
      readAt: t.expose('metadataReadAt', {
        type: 'DateTime',
        nullable: true,
        description: 'When it was last read without a failure; null if never, because it was sent.',
      }),
      nextAt: t.expose('metadataNextAt', {
        type: 'DateTime',
        nullable: true,
        description: 'When it is read next; null without a URL.',
      }),
      failure: t.exposeString('metadataFailure', {
        nullable: true,
        description:
          'Why it could not be read or used the last time; null if it could. The metadata before stays in force.',
      }),
      failedSince: t.expose('metadataFailedAt', {
        type: 'DateTime',
        nullable: true,
        description: 'Since when it cannot be read; null if it can.',
      }),
    }),
  });

const SamlKeyState = builder.enumType('SamlKeyState', {
  description: 'How far the keys of a SAML service provider are replaced.',
  values: enumValues<RotationState>({
    settled: 'One key signs, and one decrypts.',
    announced: 'The next key is in the metadata, and does not sign yet. Assertions for both keys are decrypted.',
    taken_over:
      'The next key signs, and the former one is still in the metadata. Assertions for both keys are decrypted.',
  }),
});

const SamlKeyStep = builder.enumType('SamlKeyStep', {
  description: 'A step of replacing the keys of a SAML service provider.',
  values: enumValues<RotationStep>({
    announce: 'Makes the next keys, and adds them to the metadata.',
    take_over: 'Signs with the next key, once the identity provider has read it.',
    drop_former: 'Removes the former keys, once the identity provider encrypts for the new one.',
  }),
});

type Keys = Pick<
  Row<'SamlModule'>,
  'certificatePem' | 'encryptionCertificatePem' | 'nextCertificatePem' | 'formerCertificatePem' | 'rotatedAt'
>;

/** Returns when a certificate expires; null without one. */
const endOf = (pem: string | null) => (pem === null || pem === '' ? null : endOfCertificate(pem));

const SamlKeys = builder.objectRef<Keys>('SamlKeys').implement({
  description: 'The keys of a SAML service provider, and how far they are replaced.',
  fields: (t) => ({
    state: t.field({ type: SamlKeyState, description: 'How far they are replaced.', resolve: rotationStateOf }),
    nextStep: t.field({
      type: SamlKeyStep,
      description: 'The step that comes next; `announce` whenever they are to be replaced.',
      resolve: (keys) => nextStepOf(rotationStateOf(keys)),
    }),
    changedAt: t.expose('rotatedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the last step was made; null if none ever was.',
    }),
    signingExpiresAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When the certificate of the key that signs expires.',
      resolve: ({ certificatePem }) => endOf(certificatePem),
    }),
    encryptionExpiresAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When the certificate expires that assertions may be encrypted for; null if there is none.',
      resolve: ({ encryptionCertificatePem }) => endOf(encryptionCertificatePem),
    }),
    nextCertificatePem: t.exposeString('nextCertificatePem', {
      nullable: true,
      description: 'X.509 certificate, in PEM, of the key that will sign; null if none is announced.',
    }),
    formerCertificatePem: t.exposeString('formerCertificatePem', {
      nullable: true,
      description: 'X.509 certificate, in PEM, of the key that signed before; null once it is dropped.',
    }),
  }),
});

builder.prismaObjectFields('SamlModule', (t) => ({
  metadataReading: t.field({
    type: SamlMetadataReading,
    nullable: true,
    description: 'How the metadata is read at `idpMetadataUrl`; null without one.',
    resolve: (module) => (module.idpMetadataUrl === '' ? null : module),
  }),
  keys: t.field({
    type: SamlKeys,
    nullable: true,
    description:
      'The keys of the service provider; null where the registration of another route is used, which has them.',
    resolve: (module) => (module.loginRouteId === null ? module : null),
  }),
}));

/** Cost of generating a signing key: a document can ask for 14. */
export const signingKeyCost = 10_000;

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
  input: (t) => ({ step: t.field({ type: SamlKeyStep, required: true, description: 'The step.' }) }),
  cost: signingKeyCost,
  result: 'The route with its module after the step.',
  resolve: (input, { scope, signal }) => rotateSamlKey(scope, input, signal()),
});
