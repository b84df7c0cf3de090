// What is read from the metadata of identity providers, in GraphQL: modules of routes and sign-in providers share it.

import type { SsoService } from '../../domain/saml/descriptor.ts';
import type { IdentityProvider, Warning, WarningCode } from '../../domain/saml/identity-provider.ts';
import type { SigningCertificate } from '../../domain/saml/login-provider.ts';
import type { ReadState } from '../../domain/saml/metadata-source.ts';
import { builder } from './builder.ts';
import { enumOf } from './enum-values.ts';

// The usual number of entries in metadata. Its size is limited, and that of all metadata of an edge as well
// (`edgeModulesBytesMax`).
export const usualOfMetadata = { multiplier: 10 };
/** How many fields of an answer take as long as checking an endpoint or a certificate. */
export const fieldsOfCheck = 5;

const SamlEndpoint = builder.objectRef<SsoService>('SamlEndpoint').implement({
  description: 'An endpoint of an identity provider.',
  fields: (t) => ({
    binding: t.exposeString('binding', { description: 'The SAML binding that the endpoint uses, as a URN.' }),
    location: t.exposeString('location', { description: 'The URL of the endpoint, as given in the metadata.' }),
  }),
});

const SamlCertificate = builder.objectRef<SigningCertificate>('SamlCertificate').implement({
  description: 'A signing certificate of an identity provider.',
  fields: (t) => ({
    fingerprint: t.exposeString('fingerprint', {
      description: 'SHA-256 fingerprint of the certificate in hexadecimal: `AB:CD:...`.',
    }),
    expiresAt: t.field({
      type: 'DateTime',
      description: 'When the certificate expires.',
      resolve: ({ expiresAt }) => new Date(expiresAt),
    }),
  }),
});

export const SamlIdentityProvider = builder.objectRef<IdentityProvider>('SamlIdentityProvider').implement({
  description: 'What the metadata of an identity provider contains.',
  fields: (t) => ({
    entityId: t.exposeString('entityId', { description: 'The entity ID of the identity provider.' }),
    validUntil: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When the metadata expires; null if unspecified.',
      resolve: ({ validUntil }) => (validUntil === null ? null : new Date(validUntil)),
    }),
    singleSignOnServices: t.field({
      type: [SamlEndpoint],
      complexity: usualOfMetadata,
      description: 'The endpoints that start a login, in the order of the metadata.',
      resolve: ({ ssoServices }) => ssoServices,
    }),
    signingCertificates: t.field({
      type: [SamlCertificate],
      complexity: usualOfMetadata,
      description: 'The certificates that verify assertions, in the order of the metadata.',
      resolve: ({ signingCertificates }) => signingCertificates,
    }),
  }),
});

const IdpMetadataWarningCode = enumOf<WarningCode>(
  'IdpMetadataWarningCode',
  'A problem with the metadata of an identity provider that prevents logins, or may do so.',
  {
    no_sso_location: 'The metadata has no endpoint that accepts login requests by HTTP-Redirect or HTTP-POST.',
    no_signing_certificate: 'The metadata has no signing certificate whose key can be used.',
    unreadable_certificate: 'A signing certificate cannot be read.',
    unsupported_key: 'A signing key is of a kind whose signatures are refused.',
    too_many_keys: 'There are more signing keys than logins are checked against.',
    unreadable_expiry: 'What is said about the expiry of the metadata is not a time.',
    metadata_expired: 'The metadata has expired.',
    certificate_expired:
      'A signing certificate has expired. Its key still verifies assertions, but the identity provider may have another by now.',
  },
);

export const IdpMetadataWarning = builder.objectRef<Warning>('IdpMetadataWarning').implement({
  description: 'A problem with the metadata of an identity provider that prevents logins, or may do so.',
  fields: (t) => ({
    code: t.field({ type: IdpMetadataWarningCode, description: 'The kind of problem.', resolve: ({ code }) => code }),
    message: t.exposeString('message', {
      description: 'A sentence that describes the problem and names the value that causes it.',
    }),
  }),
});

export const SamlMetadataReading = builder
  .objectRef<Omit<ReadState, 'metadataKeysAt'>>('SamlMetadataReading')
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
