// HTTPS edges, their routes and the SAML modules of these in GraphQL.

import { readChoice, readTextList } from '../../domain/decode.ts';
import { hostportsMax } from '../../domain/hostport.ts';
import {
  type IdentityProvider,
  idpMetadataBytesMax,
  type SigningCertificate,
  type SsoService,
  type Warning,
  type WarningCode,
  warningsOf,
} from '../../domain/saml/identity-provider.ts';
import { nameidFormats } from '../../domain/saml/names.ts';
import { serviceProviderUrls } from '../../domain/saml/service-provider.ts';
import { builder } from '../../graphql/builder.ts';
import { connectionTypes, resolveList } from '../../graphql/connection.ts';
import { type Context, uriOf } from '../../graphql/context.ts';
import { addressInput, deleteMutation, type InputBuilder, notesInput, Resource } from '../../graphql/resource.ts';
import { selectionOf } from '../../graphql/selection.ts';
import {
  cookiePrefixCharactersMax,
  cookiePrefixDefault,
  groupsMax,
  type MatchType,
  matchBytesMax,
  matchTypes,
  routesMax,
} from './rules.ts';
import {
  createHttpsEdge,
  createHttpsEdgeRoute,
  getRoute,
  httpsEdges,
  removeHttpsEdgeRoute,
  removeSamlModule,
  replaceSamlModule,
  updateHttpsEdge,
  updateHttpsEdgeRoute,
} from './store.ts';

// An edge may have many routes (`routesMax`), and has few; what is really answered is counted.
const usualRoutes = { multiplier: 10 };

const HttpsEdge = builder.prismaNode('HttpsEdge', {
  id: { field: 'id' },
  nullable: true,
  interfaces: [Resource],
  fields: (t) => ({
    hostports: t.stringList({
      description: 'The hosts and ports that the edge answers on, in the order given.',
      resolve: ({ hostports }) => readTextList(hostports),
    }),
    routes: t.relation('routes', {
      description: `The routes of the edge, newest first; at most ${routesMax}.`,
      complexity: usualRoutes,
      query: { orderBy: { id: 'desc' } },
    }),
  }),
});

const HttpsEdgeRouteMatchType = builder.enumType('HttpsEdgeRouteMatchType', {
  description: 'How a route compares its `match` with the path of a request.',
  values: {
    path_prefix: { value: 'path_prefix', description: 'The path begins with it.' },
    exact_path: { value: 'exact_path', description: 'The path equals it.' },
  } satisfies { [T in MatchType]: { value: T; description: string } },
});

const HttpsEdgeRoute = builder.prismaNode('HttpsEdgeRoute', {
  id: { field: 'id' },
  nullable: true,
  interfaces: [Resource],
  fields: (t) => ({
    uri: t.string({
      description: 'URL of the route on the REST surface, below its edge.',
      resolve: ({ id, edgeId }, _args, context) => `${uriOf(context, edgeId)}/routes/${id}`,
    }),
    edge: t.relation('edge', { description: 'The edge that the route belongs to.' }),
    edgeId: t.exposeID('edgeId', { description: 'Identifier of the edge that the route belongs to.' }),
    matchType: t.field({
      type: HttpsEdgeRouteMatchType,
      description: 'How `match` is compared with the path of a request.',
      resolve: ({ matchType }) => readChoice(matchTypes, matchType),
    }),
    match: t.expose('match', { type: 'UrlPath' }),
    saml: t.relation('saml', { nullable: true, description: 'The SAML login of the route; null when it is not set.' }),
  }),
});

// Metadata are bounded by their size, and an edge's by a budget (`edgeModulesBytesMax`); this is what they usually hold.
const usualOfMetadata = { multiplier: 10 };

const SamlEndpoint = builder.objectRef<SsoService>('SamlEndpoint').implement({
  description: 'Where an identity provider takes requests.',
  fields: (t) => ({
    binding: t.exposeString('binding', { description: 'How messages get there, as a URN of SAML.' }),
    location: t.exposeString('location', { description: 'The URL, as the metadata have it.' }),
  }),
});

const SamlCertificate = builder.objectRef<SigningCertificate>('SamlCertificate').implement({
  description: 'A certificate of a key that an identity provider signs with.',
  fields: (t) => ({
    fingerprint: t.exposeString('fingerprint', {
      description: 'SHA-256 of the certificate, in pairs of hexadecimal digits: `AB:CD:...`.',
    }),
    expiresAt: t.field({
      type: 'DateTime',
      description: 'When the certificate ends to be valid.',
      resolve: ({ expiresAt }) => new Date(expiresAt),
    }),
  }),
});

const SamlIdentityProvider = builder.objectRef<IdentityProvider>('SamlIdentityProvider').implement({
  description: 'What the metadata of an identity provider say.',
  fields: (t) => ({
    entityId: t.exposeString('entityId', { description: 'The unique name of the identity provider.' }),
    validUntil: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When the metadata end to be valid; null when they do not say.',
      resolve: ({ validUntil }) => (validUntil === null ? null : new Date(validUntil)),
    }),
    singleSignOnServices: t.field({
      type: [SamlEndpoint],
      complexity: usualOfMetadata,
      description: 'Where logins begin, in the order of the metadata.',
      resolve: ({ ssoServices }) => ssoServices,
    }),
    signingCertificates: t.field({
      type: [SamlCertificate],
      complexity: usualOfMetadata,
      description: 'The certificates that assertions are verified with, in the order of the metadata.',
      resolve: ({ signingCertificates }) => signingCertificates,
    }),
  }),
});

const IdpMetadataWarningCode = builder.enumType('IdpMetadataWarningCode', {
  description: 'What about the metadata of an identity provider keeps logins from working.',
  values: {
    no_sso_location: { value: 'no_sso_location', description: 'They do not say where logins begin.' },
    no_signing_certificate: { value: 'no_signing_certificate', description: 'They have no certificate for signing.' },
    unreadable_certificate: { value: 'unreadable_certificate', description: 'A certificate for signing is damaged.' },
    metadata_expired: { value: 'metadata_expired', description: 'Their `validUntil` is past.' },
    certificate_expired: { value: 'certificate_expired', description: 'A certificate for signing has ended.' },
  } satisfies { [C in WarningCode]: { value: C; description: string } },
});

const IdpMetadataWarning = builder.objectRef<Warning>('IdpMetadataWarning').implement({
  description: 'Something about the metadata of an identity provider that keeps logins from working.',
  fields: (t) => ({
    code: t.field({ type: IdpMetadataWarningCode, description: 'What it is.', resolve: ({ code }) => code }),
    message: t.exposeString('message', { description: 'What it is, in words, with the value to blame.' }),
  }),
});

const urlsOf = ({ routeId }: { routeId: string }, { baseUrl }: Context) => serviceProviderUrls(baseUrl, routeId);
/** What `checkSamlSettings` read out of the metadata when they were set. */
const providerOf = ({ identityProvider }: { identityProvider: unknown }) => identityProvider as IdentityProvider;

builder.prismaObject('SamlModule', {
  // With a selection, only the columns that a document asks for are loaded: never the private key.
  select: { routeId: true },
  fields: (t) => ({
    route: t.relation('route', { description: 'The route that the module belongs to.' }),
    version: t.int({
      description: 'The version of the route, which counts the changes of its module too.',
      select: { route: { select: { version: true } } },
      resolve: ({ route }) => route.version,
    }),
    enabled: t.exposeBoolean('enabled', { description: 'Whether the module is applied to traffic.' }),
    optionsPassthrough: t.exposeBoolean('optionsPassthrough', {
      description: 'Whether OPTIONS requests pass without a login, as CORS needs it.',
    }),
    cookiePrefix: t.exposeString('cookiePrefix', { description: 'Prefix of the session cookie.' }),
    inactivityTimeout: t.expose('inactivityTimeout', {
      type: 'UInt32',
      description: 'Seconds of inactivity after which users must log in again; 0 for no limit.',
    }),
    maximumDuration: t.expose('maximumDuration', {
      type: 'UInt32',
      description: 'Seconds after which users must log in again in any case; 0 for no limit.',
    }),
    idpMetadata: t.exposeString('idpMetadata', {
      complexity: 40,
      description: 'The metadata of the identity provider, exactly as they were sent.',
    }),
    idpMetadataUrl: t.string({
      description: 'Where the metadata came from; always empty, because they are sent inline.',
      resolve: () => '',
    }),
    identityProvider: t.field({
      type: SamlIdentityProvider,
      description: 'What the metadata of the identity provider say.',
      select: { identityProvider: true },
      resolve: providerOf,
    }),
    idpMetadataWarnings: t.field({
      type: [IdpMetadataWarning],
      complexity: usualOfMetadata,
      description: 'What about the metadata keeps logins from working now. Empty when all is well.',
      select: { identityProvider: true },
      resolve: (module, _args, { scope }) => warningsOf(providerOf(module), scope.now()),
    }),
    forceAuthn: t.exposeBoolean('forceAuthn', {
      description: 'Whether the identity provider must ask for credentials even within its own session.',
    }),
    allowIdpInitiated: t.exposeBoolean('allowIdpInitiated', {
      description: 'Whether the identity provider may begin a login by itself.',
    }),
    authorizedGroups: t.stringList({
      description: 'Only members of one of these groups get in; when empty, everybody who can log in.',
      select: { authorizedGroups: true },
      resolve: ({ authorizedGroups }) => readTextList(authorizedGroups),
    }),
    nameidFormat: t.exposeString('nameidFormat', {
      description: 'The format of the name identifier that assertions must have, as a URN of SAML.',
    }),
    entityId: t.string({
      description: 'The unique name of this service provider, to be configured at the identity provider.',
      resolve: (module, _args, context) => urlsOf(module, context).entityId,
    }),
    metadataUrl: t.string({
      description: 'Where everybody can read the metadata of this service provider; equal to `entityId`.',
      resolve: (module, _args, context) => urlsOf(module, context).entityId,
    }),
    assertionConsumerServiceUrl: t.string({
      description: 'Where the identity provider sends assertions, to be configured there.',
      resolve: (module, _args, context) => urlsOf(module, context).assertionConsumerService,
    }),
    singleLogoutUrl: t.string({
      description: 'Where the identity provider sends logouts; may be configured there.',
      resolve: (module, _args, context) => urlsOf(module, context).singleLogout,
    }),
    requestSigningCertificatePem: t.exposeString('certificatePem', {
      description: 'X.509 certificate of the key that signs requests to the identity provider, in PEM.',
    }),
  }),
});

builder.queryFields((t) => ({
  httpsEdge: t.field({
    type: HttpsEdge,
    description: 'One HTTPS edge. NOT_FOUND when there is none with this identifier.',
    args: { id: t.arg.id({ required: true, description: 'Identifier of the edge.' }) },
    resolve: (_root, { id }, context, info) => httpsEdges.get(context.scope, id, selectionOf(context, info)),
  }),
  httpsEdges: t.connection(
    {
      type: HttpsEdge,
      description: 'The HTTPS edges of the account, newest first.',
      resolve: (_root, args, context, info) => resolveList('HttpsEdge', httpsEdges, {}, args, context, info),
    },
    ...connectionTypes('HttpsEdge'),
  ),
  httpsEdgeRoute: t.field({
    type: HttpsEdgeRoute,
    description: 'One route of an HTTPS edge. NOT_FOUND when the edge has none with this identifier.',
    args: {
      edgeId: t.arg.id({ required: true, description: 'Identifier of the edge.' }),
      id: t.arg.id({ required: true, description: 'Identifier of the route.' }),
    },
    resolve: (_root, address, context, info) => getRoute(context.scope, address, selectionOf(context, info)),
  }),
}));

function hostportsInput(t: InputBuilder) {
  return {
    hostports: t.stringList({
      description: 'The hosts and ports to answer on, as `host:port`; the order is kept.',
      extensions: { jsonSchema: { maxItems: hostportsMax } },
    }),
  };
}

function edgeIdInput(t: InputBuilder) {
  return { edgeId: t.id({ required: true, description: 'Identifier of the edge that the route belongs to.' }) };
}

builder.relayMutationField(
  'createHttpsEdge',
  { description: 'A new HTTPS edge.', inputFields: (t) => ({ ...hostportsInput(t), ...notesInput(t) }) },
  {
    description: 'Creates an HTTPS edge, without routes.',
    resolve: (_root, { input }, { scope }) => createHttpsEdge(scope, input),
  },
  {
    description: 'What was created.',
    outputFields: (t) => ({
      httpsEdge: t.field({ type: HttpsEdge, description: 'The new edge.', resolve: (row) => row }),
    }),
  },
);

builder.relayMutationField(
  'updateHttpsEdge',
  {
    description: 'A change to an HTTPS edge. What is left out keeps its value.',
    inputFields: (t) => ({ ...addressInput(t), ...hostportsInput(t), ...notesInput(t) }),
  },
  {
    description: 'Changes an HTTPS edge.',
    resolve: (_root, { input }, context, info) =>
      updateHttpsEdge(context.scope, input, selectionOf(context, info, ['httpsEdge'])),
  },
  {
    description: 'What was changed.',
    outputFields: (t) => ({
      httpsEdge: t.field({ type: HttpsEdge, description: 'The edge as it is now.', resolve: (row) => row }),
    }),
  },
);

deleteMutation('HttpsEdge', 'Deletes an HTTPS edge with its routes and their modules.', httpsEdges.remove);

builder.relayMutationField(
  'createHttpsEdgeRoute',
  {
    description: 'A new route of an HTTPS edge.',
    inputFields: (t) => ({
      ...edgeIdInput(t),
      matchType: t.field({ type: HttpsEdgeRouteMatchType, required: true, description: 'How to compare `match`.' }),
      match: t.field({
        type: 'UrlPath',
        required: true,
        description: `The path or its beginning, unique in the edge; at most ${matchBytesMax} bytes of UTF-8.`,
      }),
      ...notesInput(t),
    }),
  },
  {
    description: 'Adds a route to an HTTPS edge.',
    resolve: (_root, { input }, { scope }) => createHttpsEdgeRoute(scope, input),
  },
  {
    description: 'What was created.',
    outputFields: (t) => ({
      httpsEdgeRoute: t.field({ type: HttpsEdgeRoute, description: 'The new route.', resolve: (row) => row }),
    }),
  },
);

builder.relayMutationField(
  'updateHttpsEdgeRoute',
  {
    description: 'A change to a route of an HTTPS edge. What is left out keeps its value.',
    inputFields: (t) => ({
      ...edgeIdInput(t),
      ...addressInput(t),
      matchType: t.field({ type: HttpsEdgeRouteMatchType, description: 'How to compare `match`.' }),
      match: t.field({
        type: 'UrlPath',
        description: `The path or its beginning, unique in the edge; at most ${matchBytesMax} bytes of UTF-8.`,
      }),
      ...notesInput(t),
    }),
  },
  {
    description: 'Changes a route of an HTTPS edge. Its modules stay.',
    resolve: (_root, { input }, context, info) =>
      updateHttpsEdgeRoute(context.scope, input, selectionOf(context, info, ['httpsEdgeRoute'])),
  },
  {
    description: 'What was changed.',
    outputFields: (t) => ({
      httpsEdgeRoute: t.field({ type: HttpsEdgeRoute, description: 'The route as it is now.', resolve: (row) => row }),
    }),
  },
);

builder.relayMutationField(
  'deleteHttpsEdgeRoute',
  {
    description: 'Which route to delete.',
    inputFields: (t) => ({ ...edgeIdInput(t), ...addressInput(t) }),
  },
  {
    description: 'Deletes a route of an HTTPS edge with its modules.',
    resolve: async (_root, { input }, { scope, signal }) => {
      await removeHttpsEdgeRoute(scope, input, signal);
      return input;
    },
  },
  {
    description: 'What was deleted.',
    outputFields: (t) => ({ deletedId: t.exposeID('id', { description: 'Identifier of the deleted route.' }) }),
  },
);

function routeAddressInput(t: InputBuilder) {
  return {
    ...edgeIdInput(t),
    routeId: t.id({ required: true, description: 'Identifier of the route that the module belongs to.' }),
    expectedVersion: t.int({
      description: 'The version of the route that you have seen. If it has another one by now, nothing changes.',
    }),
  };
}

/** What it costs to generate a signing key: a document can ask for 14. */
const signingKeyCost = 10_000;

builder.relayMutationField(
  'replaceSamlModule',
  {
    description: 'The SAML login of a route. What is left out gets its default, not the value that it had.',
    inputFields: (t) => ({
      ...routeAddressInput(t),
      enabled: t.boolean({ description: 'Whether to apply the module to traffic; default true.' }),
      optionsPassthrough: t.boolean({
        description: 'Whether OPTIONS requests pass without a login, as CORS needs it; default false.',
      }),
      cookiePrefix: t.string({
        description:
          `Prefix of the session cookie: letters, digits, ".", "_" and "-", at most ${cookiePrefixCharactersMax}; ` +
          `default "${cookiePrefixDefault}".`,
      }),
      inactivityTimeout: t.field({
        type: 'UInt32',
        description: 'Seconds of inactivity after which users must log in again; default 0, no limit.',
      }),
      maximumDuration: t.field({
        type: 'UInt32',
        description: 'Seconds after which users must log in again in any case; default 0, no limit.',
      }),
      idpMetadata: t.string({
        required: true,
        description:
          'The metadata of the identity provider: the XML of its EntityDescriptor, at most ' +
          `${idpMetadataBytesMax} bytes of UTF-8, without a document type definition.`,
      }),
      forceAuthn: t.boolean({
        description:
          'Whether the identity provider must ask for credentials even within its own session; default false.',
      }),
      allowIdpInitiated: t.boolean({
        description: 'Whether the identity provider may begin a login by itself; default true.',
      }),
      authorizedGroups: t.stringList({
        description: `Lets only members of one of these groups in; at most ${groupsMax}, default none, for everybody.`,
        extensions: { jsonSchema: { maxItems: groupsMax } },
      }),
      nameidFormat: t.string({
        description: `The format of the name identifier: one of ${nameidFormats.join(', ')}; default the first.`,
      }),
    }),
  },
  {
    description:
      'Sets the SAML login of a route. The first time it gets a key that signs requests, and later keeps it.',
    complexity: { field: signingKeyCost },
    resolve: (_root, { input: { routeId, ...input } }, context, info) => {
      const selection = selectionOf(context, info, ['httpsEdgeRoute']);
      return replaceSamlModule(context.scope, { ...input, id: routeId }, selection, context.signal);
    },
  },
  {
    description: 'What was set.',
    outputFields: (t) => ({
      httpsEdgeRoute: t.field({
        type: HttpsEdgeRoute,
        description: 'The route with its module as it is now.',
        resolve: (row) => row,
      }),
    }),
  },
);

builder.relayMutationField(
  'deleteSamlModule',
  { description: 'Which route to take the SAML login from.', inputFields: routeAddressInput },
  {
    description: 'Removes the SAML login of a route and ends its signing key. Does nothing when it is not set.',
    resolve: (_root, { input: { routeId, ...input } }, context, info) => {
      const selection = selectionOf(context, info, ['httpsEdgeRoute']);
      return removeSamlModule(context.scope, { ...input, id: routeId }, selection, context.signal);
    },
  },
  {
    description: 'What was changed.',
    outputFields: (t) => ({
      httpsEdgeRoute: t.field({
        type: HttpsEdgeRoute,
        description: 'The route as it is now, without the module.',
        resolve: (row) => row,
      }),
    }),
  },
);
