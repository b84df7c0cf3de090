// The SAML module of a route in GraphQL: its stored settings, and the input that sets them.

import type { GraphQLResolveInfo } from 'graphql';
import { idpMetadataBytesMax } from '../../domain/saml/descriptor.ts';
import { type IdentityProvider, isIdentityProvider, warningsOf } from '../../domain/saml/identity-provider.ts';
import { nameidFormats } from '../../domain/saml/namespaces.ts';
import { type ServiceProviderUrls, serviceProviderUrls } from '../../domain/saml/service-provider.ts';
import { readAs } from '../../domain/values/decode.ts';
import { urlCharactersMax } from '../../domain/values/outgoing-url.ts';
import { DeletedMeanwhile, loadModule, type Module } from '../../graphql/kit/batch.ts';
import { builder } from '../../graphql/kit/builder.ts';
import { textsOf } from '../../graphql/kit/column-fields.ts';
import type { Context } from '../../graphql/kit/context.ts';
import {
  fieldsOfCheck,
  IdpMetadataWarning,
  SamlIdentityProvider,
  usualOfMetadata,
} from '../../graphql/kit/identity-provider.ts';
import type { InputBuilder } from '../../graphql/kit/resource.ts';
import { whenItMayGoOn } from '../../load/answer-slices.ts';
import { loginModuleInput } from './login-module-schema.ts';
import { SamlKeys } from './saml-keys-schema.ts';

export const SamlServiceProvider = builder.objectRef<ServiceProviderUrls>('SamlServiceProvider').implement({
  description: 'The values of this service provider for a route, to be configured at the identity provider.',
  fields: (t) => ({
    entityId: t.exposeString('entityId', { description: 'The entity ID of this service provider.' }),
    assertionConsumerServiceUrl: t.exposeString('assertionConsumerService', {
      description: 'The URL that the identity provider sends assertions to.',
    }),
    singleLogoutUrl: t.exposeString('singleLogout', {
      description: 'The URL that the identity provider sends logouts to, if it supports them.',
    }),
  }),
});

/** Returns the URLs of the registration that a module uses. */
const urlsOf = (
  { routeId, loginRouteId }: { routeId: string; loginRouteId: string | null },
  { baseUrl }: Context,
): ServiceProviderUrls => serviceProviderUrls(baseUrl, loginRouteId ?? routeId);

/** How modules are read: never with the private key. */
export const samlModule = {
  model: 'SamlModule',
  name: 'saml',
  key: 'routeId',
  columns: [
    'routeId',
    'enabled',
    'optionsPassthrough',
    'cookiePrefix',
    'inactivityTimeout',
    'maximumDuration',
    'forceAuthn',
    'allowIdpInitiated',
    'authorizedGroups',
    'nameidFormat',
    'certificatePem',
    'encryptionCertificatePem',
    'loginRouteId',
    'idpMetadataUrl',
    'idpEntityId',
    'metadataReadAt',
    'metadataFailure',
    'metadataFailedAt',
    'metadataNextAt',
    'nextCertificatePem',
    'formerCertificatePem',
    'rotatedAt',
  ],
  large: [
    { column: 'idpMetadata', shownBy: ['idpMetadata'] },
    { column: 'identityProvider', shownBy: ['identityProvider', 'idpMetadataWarnings'] },
  ],
} as const satisfies Module<'SamlModule'>;

/** How registrations are read that modules of other routes use. */
const registrations = {
  model: 'SamlModule',
  name: 'registration',
  key: 'routeId',
  columns: ['routeId', 'identityProvider'],
  large: [],
} as const satisfies Module<'SamlModule'>;

/** Returns what the metadata of a module's registration contained when it was set. */
async function providerOf(
  { loginRouteId, identityProvider }: { loginRouteId: string | null; identityProvider: unknown },
  context: Context,
  info: GraphQLResolveInfo,
): Promise<IdentityProvider> {
  const registration =
    loginRouteId === null
      ? { identityProvider }
      : await loadModule(registrations, { id: loginRouteId, version: null }, context, info);
  if (registration === null) throw new DeletedMeanwhile();
  return readAs(registration.identityProvider, isIdentityProvider, 'an identity provider');
}

export const SamlModule = builder.prismaObject('SamlModule', {
  include: { route: true },
  fields: (t) => ({
    route: t.field({
      type: 'HttpsEdgeRoute',
      description: 'The route that the module belongs to.',
      resolve: ({ route }) => route,
    }),
    version: t.int({
      description: 'The version of the route, which also counts changes to its module.',
      resolve: ({ route }) => route.version,
    }),
    enabled: t.exposeBoolean('enabled', { description: 'Whether the module is applied to traffic.' }),
    optionsPassthrough: t.exposeBoolean('optionsPassthrough', {
      description: 'Whether OPTIONS requests pass without a login, as CORS requires.',
    }),
    cookiePrefix: t.exposeString('cookiePrefix', {
      description: 'What the name of the session cookie begins with, after `__Host-`.',
    }),
    inactivityTimeout: t.expose('inactivityTimeout', {
      type: 'UInt32',
      description: 'Seconds of inactivity after which users must log in again; 0 means no limit.',
    }),
    maximumDuration: t.expose('maximumDuration', {
      type: 'UInt32',
      description: 'Seconds after which users must log in again, even if active; 0 means no limit.',
    }),
    idpMetadata: t.exposeString('idpMetadata', {
      complexity: 40,
      description:
        'The metadata of the identity provider, exactly as it was sent or read; of several entities, the one that is used. Empty where ' +
        'the registration of another route is used.',
    }),
    idpMetadataUrl: t.exposeString('idpMetadataUrl', {
      description: 'The URL at which the metadata is read again from time to time; empty if it was only sent.',
    }),
    idpEntityId: t.exposeString('idpEntityId', {
      description: 'Which entity of the metadata at the URL is used; empty if it needs not be said.',
    }),
    identityProvider: t.field({
      type: SamlIdentityProvider,
      description: 'What the metadata of the identity provider contains: that of the registration that is used.',
      resolve: (module, _args, context, info) => providerOf(module, context, info),
    }),
    idpMetadataWarnings: t.field({
      type: [IdpMetadataWarning],
      complexity: usualOfMetadata,
      description: 'Problems with the metadata that currently prevent logins, or may do so; empty if there are none.',
      resolve: async (module, _args, context, info) => {
        const provider = await providerOf(module, context, info);
        const cost = (provider.ssoServices.length + provider.signingCertificates.length) * fieldsOfCheck;
        return whenItMayGoOn(context, cost, () => warningsOf(provider, context.scope.now()));
      },
    }),
    forceAuthn: t.exposeBoolean('forceAuthn', {
      description: 'Whether users must enter their credentials even if they have a session at the identity provider.',
    }),
    allowIdpInitiated: t.exposeBoolean('allowIdpInitiated', {
      description: 'Whether the identity provider may start a login.',
    }),
    authorizedGroups: t.stringList(
      textsOf(
        'authorizedGroups',
        'The groups whose members are allowed; if empty, everybody who can log in is allowed.',
      ),
    ),
    nameidFormat: t.exposeString('nameidFormat', {
      description: 'The name identifier format required of assertions, as a URN.',
    }),
    entityId: t.string({
      description: 'The entity ID of this service provider, to be configured at the identity provider.',
      resolve: (module, _args, context) => urlsOf(module, context).entityId,
    }),
    metadataUrl: t.string({
      description: 'Public URL of the metadata of this service provider; equal to `entityId`.',
      resolve: (module, _args, context) => urlsOf(module, context).entityId,
    }),
    assertionConsumerServiceUrl: t.string({
      description: 'The URL to which the identity provider sends assertions, to be configured there.',
      resolve: (module, _args, context) => urlsOf(module, context).assertionConsumerService,
    }),
    singleLogoutUrl: t.string({
      description: 'The URL to which the identity provider sends logouts, to be configured there if it supports them.',
      resolve: (module, _args, context) => urlsOf(module, context).singleLogout,
    }),
    requestSigningCertificatePem: t.string({
      description:
        'X.509 certificate, in PEM, of the key that signs requests to the identity provider. Empty where the registration of another ' +
        'route is used, which has it.',
      resolve: ({ loginRouteId, certificatePem }) => (loginRouteId === null ? certificatePem : ''),
    }),
    keys: t.field({
      type: SamlKeys,
      nullable: true,
      description:
        'The keys of the service provider; null where the registration of another route is used, which has them.',
      resolve: (module) => (module.loginRouteId === null ? module : null),
    }),
    loginRouteId: t.exposeID('loginRouteId', {
      nullable: true,
      description:
        'The route whose registration is used: identity provider, signing key, entity ID and URLs; null for its own.',
    }),
    encryptionCertificatePem: t.string({
      nullable: true,
      description:
        'X.509 certificate, in PEM, of the key that the identity provider may encrypt assertions for; null if the module was last set ' +
        'when there was none. Setting it again makes one. Null also where the registration of another route is used, which has it.',
      resolve: (module) => (module.loginRouteId === null ? module.encryptionCertificatePem : null),
    }),
  }),
});

/** Returns the input fields for the settings of a SAML module. */
export function samlInput(t: InputBuilder) {
  return {
    ...loginModuleInput(t),
    idpMetadata: t.string({
      description:
        'The metadata of the identity provider: its EntityDescriptor as XML without a document type definition, at most ' +
        `${idpMetadataBytesMax} bytes of UTF-8. Required, unless \`idpMetadataUrl\` or \`loginRouteId\` is given.`,
    }),
    idpMetadataUrl: t.string({
      description:
        'An https URL at which the metadata is read, now and again from time to time. If `idpMetadata` is given, too, that counts until ' +
        'then; without it, a URL that is stored already keeps the metadata and has it read again within a minute. Defaults to none.',
      extensions: { jsonSchema: { maxLength: urlCharactersMax }, configured: { default: '' } },
    }),
    idpEntityId: t.string({
      description:
        'The entity ID of the identity provider, if the metadata at the URL is of several. Defaults to the only one.',
      extensions: { configured: { default: '' } },
    }),
    loginRouteId: t.id({
      description:
        'Another route of the account, whose registration is used: its identity provider, signing key, entity ID and URLs. Groups, ' +
        'durations and all other settings are those of this module. Defaults to a registration of its own.',
      extensions: { configured: { refersTo: 'HttpsEdgeRoute' } },
    }),
    forceAuthn: t.boolean({
      description:
        'Whether users must enter their credentials even if they have a session at the identity provider; defaults to false.',
      extensions: { configured: { default: false } },
    }),
    allowIdpInitiated: t.boolean({
      description: 'Whether the identity provider may start a login; defaults to true.',
      extensions: { configured: { default: true } },
    }),
    nameidFormat: t.string({
      description: `The name identifier format required of assertions: one of ${nameidFormats.join(', ')}; defaults to the first.`,
      extensions: { configured: { default: nameidFormats[0] } },
    }),
  };
}
