// The keys of a SAML service provider in GraphQL, and how far they are replaced.

import { endOfCertificate } from '../../domain/saml/signing-key.ts';
import { builder } from '../../graphql/kit/builder.ts';
import { enumOf } from '../../graphql/kit/enum-values.ts';
import type { Row } from '../../storage/objects/collection.ts';
import { nextStepOf, type RotationState, type RotationStep, rotationStateOf } from './saml-rotation-rules.ts';

const SamlKeyState = enumOf<RotationState>(
  'SamlKeyState',
  'How far the keys of a SAML service provider are replaced.',
  {
    settled: 'One key signs, and one decrypts.',
    announced: 'The next key is in the metadata, and does not sign yet. Assertions for both keys are decrypted.',
    taken_over:
      'The next key signs, and the former one is still in the metadata. Assertions for both keys are decrypted.',
  },
);

export const SamlKeyStep = enumOf<RotationStep>(
  'SamlKeyStep',
  'A step of replacing the keys of a SAML service provider.',
  {
    announce: 'Makes the next keys, and adds them to the metadata.',
    take_over: 'Signs with the next key, once the identity provider has read it.',
    drop_former: 'Removes the former keys, once the identity provider encrypts for the new one.',
  },
);

type Keys = Pick<
  Row<'SamlModule'>,
  'certificatePem' | 'encryptionCertificatePem' | 'nextCertificatePem' | 'formerCertificatePem' | 'rotatedAt'
> & { readonly route: { readonly version: number } };

/** Returns when a certificate expires; null without one. */
const endOf = (pem: string | null) => (pem === null || pem === '' ? null : endOfCertificate(pem));

export const SamlKeys = builder.objectRef<Keys>('SamlKeys').implement({
  description: 'The keys of a SAML service provider, and how far they are replaced.',
  fields: (t) => ({
    version: t.int({
      description: 'The version of the route, which also counts steps of the replacement.',
      resolve: ({ route }) => route.version,
    }),
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
    signingCertificatePem: t.exposeString('certificatePem', {
      description: 'X.509 certificate, in PEM, of the key that signs.',
    }),
    signingExpiresAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When the certificate of the key that signs expires.',
      resolve: ({ certificatePem }) => endOf(certificatePem),
    }),
    encryptionCertificatePem: t.exposeString('encryptionCertificatePem', {
      nullable: true,
      description:
        'X.509 certificate, in PEM, of the key that assertions may be encrypted for; null if there is none. The key before decrypts until ' +
        'the last step.',
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
    nextExpiresAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When that certificate expires; null if none is announced.',
      resolve: ({ nextCertificatePem }) => endOf(nextCertificatePem),
    }),
    formerCertificatePem: t.exposeString('formerCertificatePem', {
      nullable: true,
      description: 'X.509 certificate, in PEM, of the key that signed before; null once it is dropped.',
    }),
    formerExpiresAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When that certificate expires; null once it is dropped.',
      resolve: ({ formerCertificatePem }) => endOf(formerCertificatePem),
    }),
  }),
});
