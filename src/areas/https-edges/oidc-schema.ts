// The OpenID Connect module of a route in GraphQL: its stored settings, and the input that sets them.

import type { GraphQLResolveInfo } from 'graphql';
import {
  emailDomainsMax,
  emailVerifications,
  groupsClaimDefault,
  scopesDefault,
  scopesMax,
} from '../../domain/oidc/settings.ts';
import { type ProviderUrls, providerUrls } from '../../domain/oidc/urls.ts';
import { DeletedMeanwhile, loadModule, type Module } from '../../graphql/kit/batch.ts';
import { builder } from '../../graphql/kit/builder.ts';
import { choiceOf, textsOf } from '../../graphql/kit/column-fields.ts';
import type { Context } from '../../graphql/kit/context.ts';
import { OidcEmailVerification } from '../../graphql/kit/email-verification.ts';
import { versionOf } from '../../graphql/kit/module-fields.ts';
import type { InputBuilder } from '../../graphql/kit/resource.ts';
import type { Row } from '../../storage/objects/collection.ts';
import { loginModuleInput } from './login-module-schema.ts';

/** How modules are read: with the secret as it is sealed, which nothing shows. */
export const oidcModule = {
  model: 'OidcModule',
  name: 'oidc',
  key: 'routeId',
  columns: [
    'routeId',
    'enabled',
    'optionsPassthrough',
    'cookiePrefix',
    'inactivityTimeout',
    'maximumDuration',
    'issuer',
    'clientId',
    'scopes',
    'authorizedGroups',
    'authorizedEmailDomains',
    'groupsClaim',
    'emailVerification',
    'sealedClientSecret',
    'failure',
    'failedAt',
    'loginRouteId',
  ],
  large: [],
} as const satisfies Module<'OidcModule'>;

/** How registrations are read that modules of other routes use. */
const registrations = { ...oidcModule, name: 'registration' } as const satisfies Module<'OidcModule'>;

/** What is known of the client and its provider; of a module with the registration of another route, that one knows it. */
type Client = Pick<Row<'OidcModule'>, 'loginRouteId' | 'sealedClientSecret' | 'failure' | 'failedAt'>;

async function clientOf(module: Client, context: Context, info: GraphQLResolveInfo): Promise<Client> {
  const { loginRouteId: id } = module;
  const found = id === null ? module : await loadModule(registrations, { id, version: null }, context, info);
  if (found === null) throw new DeletedMeanwhile();
  return found;
}

const urlDescriptions = {
  redirectUrl: 'The redirect URI of the route, to be configured at the provider.',
  backchannelLogoutUrl:
    'Where the provider says whom it has logged out (back-channel logout), to be configured there if it can.',
} as const;

const OidcClient = builder.objectRef<ProviderUrls>('OidcClient').implement({
  description: 'The values of this client, to be configured at an OpenID provider.',
  fields: (t) => ({
    redirectUrl: t.exposeString('redirect', { description: urlDescriptions.redirectUrl }),
    backchannelLogoutUrl: t.exposeString('backchannelLogout', { description: urlDescriptions.backchannelLogoutUrl }),
  }),
});

export const OidcModule = builder.prismaObject('OidcModule', {
  include: { route: true },
  fields: (t) => ({
    version: t.int(versionOf('route')),
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
    issuer: t.exposeString('issuer', {
      description:
        'The provider: its issuer, an https URL. Empty where the registration of another route is used, which has it.',
    }),
    clientId: t.exposeString('clientId', {
      description: 'The name that the provider has for this client; empty as `issuer` is.',
    }),
    clientSecret: t.string({
      description:
        'Always empty: the client secret is sealed, and never shown. Put back, it keeps the one that is stored.',
      resolve: () => '',
    }),
    scopes: t.stringList(textsOf('scopes', 'The scopes that are asked for, besides `openid`.')),
    authorizedGroups: t.stringList(
      textsOf(
        'authorizedGroups',
        'The groups whose members are allowed; if empty, everybody who can log in is allowed.',
      ),
    ),
    authorizedEmailDomains: t.stringList(
      textsOf('authorizedEmailDomains', 'The domains whose e-mail addresses are allowed; if empty, all are.'),
    ),
    groupsClaim: t.exposeString('groupsClaim', {
      description: 'The claim of the ID token, or else of the user information, that has the groups.',
    }),
    emailVerification: t.field(
      choiceOf(
        'emailVerification',
        OidcEmailVerification,
        emailVerifications,
        'Which e-mail addresses of users are taken as theirs.',
      ),
    ),
    redirectUrl: t.string({
      description: urlDescriptions.redirectUrl,
      resolve: ({ routeId, loginRouteId }, _args, { baseUrl }) =>
        providerUrls(baseUrl, loginRouteId ?? routeId).redirect,
    }),
    hasClientSecret: t.boolean({
      description:
        'Whether a client secret is stored. A restoration does not know it, and nobody can log in until it is given again.',
      resolve: async (module, _args, context, info) =>
        (await clientOf(module, context, info)).sealedClientSecret !== null,
    }),
    failure: t.string({
      nullable: true,
      description: 'Why the provider could not be used the last time that somebody wanted to log in; null if it could.',
      resolve: async (module, _args, context, info) => (await clientOf(module, context, info)).failure,
    }),
    failedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When that was.',
      resolve: async (module, _args, context, info) => (await clientOf(module, context, info)).failedAt,
    }),
    loginRouteId: t.exposeID('loginRouteId', {
      nullable: true,
      description: 'The route whose registration is used: issuer, client, its secret and our URLs; null for its own.',
    }),
    backchannelLogoutUrl: t.string({
      description: urlDescriptions.backchannelLogoutUrl,
      resolve: ({ routeId, loginRouteId }, _args, { baseUrl }) =>
        providerUrls(baseUrl, loginRouteId ?? routeId).backchannelLogout,
    }),
  }),
});

builder.prismaObjectField('HttpsEdgeRoute', 'oidcClient', (t) =>
  t.field({
    type: OidcClient,
    description: 'The values to configure at an OpenID provider, also before the route has an OpenID Connect module.',
    resolve: ({ id }, _args, { baseUrl }) => providerUrls(baseUrl, id),
  }),
);

/** Returns the input fields for the settings of an OpenID Connect module. */
export function oidcInput(t: InputBuilder) {
  return {
    ...loginModuleInput(t),
    issuer: t.string({
      description:
        'The issuer of the provider, an https URL, with or without `/.well-known/openid-configuration`; at most 255 bytes. Required, ' +
        'unless `loginRouteId` is given.',
      extensions: { configured: { default: '' } },
    }),
    clientId: t.string({
      description:
        'The name that the provider has for this client; at most 255 bytes. Required, unless `loginRouteId` is given.',
      extensions: { configured: { default: '' } },
    }),
    loginRouteId: t.id({
      description:
        'Another route of the account, whose registration is used: its issuer, client, client secret and our URLs. Scopes, groups, ' +
        'domains, durations and all other settings are those of this module. Defaults to a registration of its own.',
      extensions: { configured: { refersTo: 'HttpsEdgeRoute' } },
    }),
    clientSecret: t.string({
      description:
        'The client secret; at most 1024 bytes. Without it, or empty, the one that is stored is kept, if issuer and client are the same.',
      extensions: { configured: { isSecret: true } },
    }),
    scopes: t.stringList({
      description: `The scopes to ask for, besides \`openid\`; at most ${scopesMax}. Defaults to \`email\` and \`profile\`.`,
      extensions: { jsonSchema: { maxItems: scopesMax }, configured: { default: scopesDefault } },
    }),
    authorizedEmailDomains: t.stringList({
      description: `The domains whose e-mail addresses are allowed; at most ${emailDomainsMax}. Defaults to none, which allows all.`,
      extensions: { jsonSchema: { maxItems: emailDomainsMax }, configured: { default: [] } },
    }),
    groupsClaim: t.string({
      description: `The claim that has the groups; at most 255 bytes. Defaults to "${groupsClaimDefault}".`,
      extensions: { configured: { default: groupsClaimDefault } },
    }),
    emailVerification: t.field({
      type: OidcEmailVerification,
      description: 'Which e-mail addresses of users are taken as theirs; defaults to `required`.',
      extensions: { configured: { default: 'required' } },
    }),
  };
}
