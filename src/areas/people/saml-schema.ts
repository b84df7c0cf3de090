// What sign-in providers by SAML have besides, in GraphQL.

import { idpMetadataBytesMax } from '../../domain/saml/descriptor.ts';
import { isIdentityProvider, warningsOf } from '../../domain/saml/identity-provider.ts';
import { nameidFormats } from '../../domain/saml/namespaces.ts';
import { signInUrls } from '../../domain/saml/service-provider.ts';
import { readAs } from '../../domain/values/decode.ts';
import { urlCharactersMax } from '../../domain/values/outgoing-url.ts';
import { builder } from '../../graphql/kit/builder.ts';
import { enumOf } from '../../graphql/kit/enum-values.ts';
import {
  fieldsOfCheck,
  IdpMetadataWarning,
  SamlIdentityProvider,
  SamlMetadataReading,
  usualOfMetadata,
} from '../../graphql/kit/identity-provider.ts';
import { whenItMayGoOn } from '../../load/answer-slices.ts';
import type { Row } from '../../storage/objects/collection.ts';

export const SignInProtocol = enumOf<'oidc' | 'saml'>('SignInProtocol', 'How a provider vouches for people.', {
  oidc: 'By OpenID Connect.',
  saml: 'By SAML 2.0.',
});

const providerOf = ({ identityProvider }: Row<'SignInProvider'>) =>
  readAs(identityProvider, isIdentityProvider, 'an identity provider');

export const SignInProviderSaml = builder.objectRef<Row<'SignInProvider'>>('SignInProviderSaml').implement({
  description: 'What a sign-in provider by SAML has besides.',
  fields: (t) => ({
    idpMetadata: t.string({
      complexity: 40,
      description:
        'The metadata of the identity provider, exactly as it was sent or read; of several entities, the one that is used.',
      resolve: ({ idpMetadata }) => idpMetadata ?? '',
    }),
    idpMetadataUrl: t.exposeString('idpMetadataUrl', {
      description: 'The URL at which the metadata is read again from time to time; empty if it was only sent.',
    }),
    idpEntityId: t.exposeString('idpEntityId', {
      description: 'Which entity of the metadata at the URL is used; empty if it needs not be said.',
    }),
    metadataReading: t.field({
      type: SamlMetadataReading,
      nullable: true,
      description: 'How the metadata is read at `idpMetadataUrl`; null without one.',
      resolve: (provider) => (provider.idpMetadataUrl === '' ? null : provider),
    }),
    identityProvider: t.field({
      type: SamlIdentityProvider,
      description: 'What the metadata contains.',
      resolve: providerOf,
    }),
    idpMetadataWarnings: t.field({
      type: [IdpMetadataWarning],
      complexity: usualOfMetadata,
      description: 'Problems with the metadata that currently prevent sign-ins, or may do so; empty if there are none.',
      resolve: (row, _args, context) => {
        const provider = providerOf(row);
        const cost = (provider.ssoServices.length + provider.signingCertificates.length) * fieldsOfCheck;
        return whenItMayGoOn(context, cost, () => warningsOf(provider, context.scope.now()));
      },
    }),
    nameidFormat: t.string({
      description: 'The name identifier format required of assertions, as a URN.',
      resolve: ({ nameidFormat }) => nameidFormat ?? '',
    }),
    subjectAttribute: t.string({
      description: 'The attribute that people are known by. Empty for the NameID.',
      resolve: ({ subjectAttribute }) => subjectAttribute ?? '',
    }),
    emailAttribute: t.string({
      description: 'The attribute that has the e-mail address. Empty for the usual ones.',
      resolve: ({ emailAttribute }) => emailAttribute ?? '',
    }),
    nameAttribute: t.string({
      description: 'The attribute that has the name. Empty for the usual ones.',
      resolve: ({ nameAttribute }) => nameAttribute ?? '',
    }),
    groupsAttribute: t.string({
      description: 'The attribute that has the groups. Empty for the usual ones, all of which count.',
      resolve: ({ groupsClaim }) => groupsClaim,
    }),
    entityId: t.string({
      description: 'The entity ID of this service provider, to be configured at the identity provider.',
      resolve: ({ id }, _args, { baseUrl }) => signInUrls(baseUrl, id).entityId,
    }),
    metadataUrl: t.string({
      description: 'Public URL of the metadata of this service provider; equal to `entityId`.',
      resolve: ({ id }, _args, { baseUrl }) => signInUrls(baseUrl, id).entityId,
    }),
    assertionConsumerServiceUrl: t.string({
      description: 'The URL to which the identity provider sends assertions, to be configured there.',
      resolve: ({ id }, _args, { baseUrl }) => signInUrls(baseUrl, id).assertionConsumerService,
    }),
    requestSigningCertificatePem: t.string({
      description: 'X.509 certificate, in PEM, of the key that signs requests to the identity provider.',
      resolve: ({ certificatePem }) => certificatePem ?? '',
    }),
    encryptionCertificatePem: t.string({
      description: 'X.509 certificate, in PEM, of the key that the identity provider may encrypt assertions for.',
      resolve: ({ encryptionCertificatePem }) => encryptionCertificatePem ?? '',
    }),
  }),
});

const attribute = (what: string, otherwise: string) => ({
  description: `The attribute that has ${what}; at most 255 bytes. Empty for ${otherwise}, which is the default.`,
  extensions: { configured: { default: '' } },
});

export const SignInProviderSamlInput = builder.inputType('SignInProviderSamlInput', {
  description: 'The settings of a sign-in provider by SAML.',
  fields: (t) => ({
    idpMetadata: t.string({
      description:
        'The metadata of the identity provider: its EntityDescriptor as XML without a document type definition, at most ' +
        `${idpMetadataBytesMax} bytes of UTF-8. Required for a new provider, unless \`idpMetadataUrl\` is given. Its entity ID never ` +
        'changes: who somebody is depends on it.',
    }),
    idpMetadataUrl: t.string({
      description:
        'An https URL at which the metadata is read, now and again from time to time. If `idpMetadata` is given, too, that counts until ' +
        'then; without it, a URL that is stored already keeps the metadata and has it read again within a minute. Empty for none.',
      extensions: { jsonSchema: { maxLength: urlCharactersMax }, configured: { default: '' } },
    }),
    idpEntityId: t.string({
      description:
        'The entity ID of the identity provider, if the metadata at the URL is of several. Empty for the only one.',
      extensions: { configured: { default: '' } },
    }),
    nameidFormat: t.string({
      description: `The name identifier format required of assertions: one of ${nameidFormats.join(', ')}; defaults to the first. The second needs \`subjectAttribute\`.`,
      extensions: { configured: { default: nameidFormats[0] } },
    }),
    subjectAttribute: t.string(attribute('what people are known by', 'the NameID')),
    emailAttribute: t.string(attribute('the e-mail address', 'the usual ones')),
    nameAttribute: t.string(attribute('the name', 'the usual ones')),
    groupsAttribute: t.string(attribute('the groups', 'the usual ones, all of which count')),
  }),
});
