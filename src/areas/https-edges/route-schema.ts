// The routes of HTTPS edges and their modules in GraphQL.

import { serviceProviderUrls } from '../../domain/saml/service-provider.ts';
import { builder } from '../../graphql/kit/builder.ts';
import { choiceOf, namedBy } from '../../graphql/kit/column-fields.ts';
import { type Context, uriOf } from '../../graphql/kit/context.ts';
import { decidingNode } from '../../graphql/kit/deciding.ts';
import { enumOf } from '../../graphql/kit/enum-values.ts';
import { notePolicies } from '../../graphql/kit/ip-policy-list.ts';
import { moduleField } from '../../graphql/kit/module-fields.ts';
import { backendInput, type ModuleEffect, moduleInputDescription } from '../../graphql/kit/module-inputs.ts';
import { createMutation, deleteMutation, moduleMutations, updateMutation } from '../../graphql/kit/mutations.ts';
import { expectedVersionInput, forceInput, type InputBuilder } from '../../graphql/kit/resource.ts';
import { searchable, searchedText } from '../../graphql/kit/search-query.ts';
import { resolveList } from '../../graphql/lists/connection.ts';
import { connectionOf } from '../../graphql/lists/connection-types.ts';
import { findingArgs, isAsInRest, priceOfFinding, readFinding } from '../../graphql/lists/finding.ts';
import { needsTo } from '../../graphql/wrappers/rights.ts';
import { backendModule, HttpsBackendModule } from './backend-schema.ts';
import { httpsEdgeRoutes, httpsEdges, policiesOfRoute } from './collections-store.ts';
import { getRoute } from './counting-store.ts';
import { HttpsIpRestrictionModule, ipRestrictionInput, ipRestrictionModule } from './ip-restriction-schema.ts';
import { deleteLoginModule } from './login-module-store.ts';
import { deleteModule, replaceBackend, replaceIpRestriction } from './module-store.ts';
import { OidcModule, oidcInput, oidcModule } from './oidc-schema.ts';
import { replaceOidcModule } from './oidc-store.ts';
import { type MatchType, matchBytesMax, matchTypes } from './rules.ts';
import { SamlModule, SamlServiceProvider, samlModule } from './saml-schema.ts';
import { createHttpsEdgeRoute, deleteHttpsEdgeRoute, updateHttpsEdgeRoute } from './store.ts';

const HttpsEdgeRouteMatchType = enumOf<MatchType>(
  'HttpsEdgeRouteMatchType',
  'How a route matches the path of a request.',
  {
    path_prefix: 'The path starts with `match`.',
    exact_path: 'The path equals `match`.',
  },
);

/** Returns the URL of the routes of an edge in the REST API. */
function routesUri(context: Context, edgeId: string): string {
  return `${uriOf(context, edgeId)}/routes`;
}

export const HttpsEdgeRoute = builder.prismaNode('HttpsEdgeRoute', {
  ...decidingNode,
  fields: (t) => ({
    uri: t.string({
      description: 'URL of the route in the REST API, below its edge.',
      resolve: ({ id, edgeId }, _args, context) => `${routesUri(context, edgeId)}/${id}`,
    }),
    edge: t.field(namedBy('edgeId', 'HttpsEdge', httpsEdges, 'The edge that the route belongs to.')),
    edgeId: t.exposeID('edgeId', { description: 'Identifier of the edge that the route belongs to.' }),
    matchType: t.field(
      choiceOf('matchType', HttpsEdgeRouteMatchType, matchTypes, 'How the route matches the path of a request.'),
    ),
    match: t.expose('match', { type: 'UrlPath' }),
    saml: t.field(moduleField(SamlModule, samlModule, 'route', 'The SAML module of the route; null if not set.')),
    oidc: t.field(
      moduleField(OidcModule, oidcModule, 'route', 'The OpenID Connect module of the route; null if not set.'),
    ),
    ipRestriction: t.field(
      moduleField(
        HttpsIpRestrictionModule,
        ipRestrictionModule,
        'route',
        'The IP restriction module of the route: which addresses may come in; null if not set.',
      ),
    ),
    backend: t.field(
      moduleField(
        HttpsBackendModule,
        backendModule,
        'route',
        'The backend module of the route: where its traffic goes; null if not set. The configurations of proxies send it to the targets ' +
          'of an enabled one.',
      ),
    ),
    samlServiceProvider: t.field({
      type: SamlServiceProvider,
      description:
        'The values of this service provider to configure at the identity provider. Available before the route has a SAML ' +
        'module, because many identity providers ask for them before they offer metadata.',
      resolve: ({ id }, _args, { baseUrl }) => serviceProviderUrls(baseUrl, id),
    }),
  }),
});

searchable('HttpsEdgeRoute', searchedText('match'));

const edgeIdDescription = 'Identifier of the edge that the route belongs to.';

builder.queryFields((t) => ({
  httpsEdgeRoute: t.field({
    type: HttpsEdgeRoute,
    nullable: true,
    extensions: needsTo('read', 'HttpsEdgeRoute'),
    description: 'One route of an HTTPS edge. NOT_FOUND if the edge does not exist or has no such route.',
    args: {
      edgeId: t.arg.id({ required: true, description: edgeIdDescription }),
      id: t.arg.id({ required: true, description: 'Identifier of the route.' }),
    },
    resolve: (_root, address, { scope }) => getRoute(scope, address),
  }),
  httpsEdgeRoutes: t.connection(
    {
      type: HttpsEdgeRoute,
      nullable: true,
      extensions: needsTo('read', 'HttpsEdgeRoute'),
      description: 'The routes of one HTTPS edge, newest first. NOT_FOUND if the edge does not exist.',
      args: { edgeId: t.arg.id({ required: true, description: 'Identifier of the edge.' }), ...findingArgs(t.arg) },
      complexity: (args) => priceOfFinding(args),
      resolve: async (_root, { edgeId, orderBy, search, ...args }, context, info) => {
        await httpsEdges.get(context.scope, edgeId);
        const list = { kind: 'HttpsEdgeRoute', collection: httpsEdgeRoutes, where: { edgeId } } as const;
        const finding = readFinding({ orderBy, search });
        const query = isAsInRest({ orderBy, search }) ? {} : null;
        return resolveList({ ...list, ...finding, uri: routesUri(context, edgeId), query }, args, context, info);
      },
    },
    connectionOf('HttpsEdgeRoute'),
  ),
}));

function edgeIdInput(t: InputBuilder) {
  return { edgeId: t.id({ required: true, description: edgeIdDescription }) };
}

const matchTypeDescription = 'How to match the path of a request.';
const matchDescription = `The path or path prefix, unique within the edge; at most ${matchBytesMax} bytes of UTF-8.`;

const HttpsBackendModuleInput = builder.inputType('HttpsBackendModuleInput', {
  description: 'The settings of the backend module of a route.',
  fields: backendInput,
});

const HttpsIpRestrictionModuleInput = builder.inputType('HttpsIpRestrictionModuleInput', {
  description: 'The settings of the IP restriction module of a route.',
  fields: ipRestrictionInput,
});

function modulesInput(t: InputBuilder, effect: ModuleEffect) {
  return {
    backend: t.field({ type: HttpsBackendModuleInput, description: moduleInputDescription('backend', effect) }),
    ipRestriction: t.field({
      type: HttpsIpRestrictionModuleInput,
      description: moduleInputDescription('IP restriction', effect),
    }),
  };
}

createMutation('createHttpsEdgeRoute', HttpsEdgeRoute, {
  description: 'Adds a route to an HTTPS edge, with the modules that are given.',
  input: (t) => ({
    ...edgeIdInput(t),
    matchType: t.field({ type: HttpsEdgeRouteMatchType, required: true, description: matchTypeDescription }),
    match: t.field({ type: 'UrlPath', required: true, description: matchDescription }),
    ...modulesInput(t, 'Defaults to none.'),
    ...forceInput(t),
  }),
  resolve: async (input, context) => {
    const route = await createHttpsEdgeRoute(context.scope, input);
    notePolicies(policiesOfRoute, route.id, input.ipRestriction?.ipPolicyIds, context);
    return route;
  },
});

updateMutation('updateHttpsEdgeRoute', HttpsEdgeRoute, {
  description:
    'Updates a route of an HTTPS edge, and the modules that are given. Its login module is changed by itself.',
  input: (t) => ({
    ...edgeIdInput(t),
    matchType: t.field({ type: HttpsEdgeRouteMatchType, description: matchTypeDescription }),
    match: t.field({ type: 'UrlPath', description: matchDescription }),
    ...modulesInput(t, 'Replaces the module.'),
    ...forceInput(t),
  }),
  resolve: async (input, context) => {
    const route = await updateHttpsEdgeRoute(context.scope, input);
    notePolicies(policiesOfRoute, route.id, input.ipRestriction?.ipPolicyIds, context);
    return route;
  },
});

deleteMutation('deleteHttpsEdgeRoute', {
  description: 'Deletes a route of an HTTPS edge with its modules.',
  input: (t) => ({ ...edgeIdInput(t), ...forceInput(t) }),
  resolve: (input, { scope, signal }) => deleteHttpsEdgeRoute(scope, input, signal()),
});

/** The fields that address a module of a route. */
export function routeAddressInput(t: InputBuilder) {
  return {
    ...edgeIdInput(t),
    routeId: t.id({ required: true, description: 'Identifier of the route that the module belongs to.' }),
    expectedVersion: expectedVersionInput(t, 'route'),
    ...forceInput(t),
  };
}

moduleMutations(HttpsEdgeRoute, {
  address: routeAddressInput,
  replace: {
    name: 'replaceOidcModule',
    description:
      'Sets the OpenID Connect module of a route, replacing any existing one. A route has one login module at most. Without a client ' +
      'secret, it keeps the one that is stored.',
    input: oidcInput,
    resolve: ({ routeId, ...input }, { scope, signal }) =>
      replaceOidcModule(scope, { ...input, id: routeId }, signal()),
  },
  delete: {
    name: 'deleteOidcModule',
    description: 'Deletes the OpenID Connect module of a route with its client secret. Does nothing if it is not set.',
    resolve: ({ routeId, ...input }, { scope, signal }) =>
      deleteLoginModule(scope, 'oidc', { ...input, id: routeId }, signal()),
  },
});

moduleMutations(HttpsEdgeRoute, {
  address: routeAddressInput,
  replace: {
    name: 'replaceHttpsEdgeRouteIpRestriction',
    description: 'Sets the IP restriction module of a route, replacing any existing one.',
    input: ipRestrictionInput,
    resolve: async ({ routeId, ...input }, context) => {
      const route = await replaceIpRestriction(context.scope, { ...input, id: routeId });
      notePolicies(policiesOfRoute, routeId, input.ipPolicyIds, context);
      return route;
    },
  },
  delete: {
    name: 'deleteHttpsEdgeRouteIpRestriction',
    description: 'Deletes the IP restriction module of a route. Does nothing if it is not set.',
    resolve: ({ routeId, ...input }, { scope }) => deleteModule(scope, 'ipRestriction', { ...input, id: routeId }),
  },
});

moduleMutations(HttpsEdgeRoute, {
  address: routeAddressInput,
  replace: {
    name: 'replaceHttpsEdgeRouteBackend',
    description: 'Sets the backend module of a route, replacing any existing one.',
    input: backendInput,
    resolve: ({ routeId, ...input }, { scope }) => replaceBackend(scope, { ...input, id: routeId }),
  },
  delete: {
    name: 'deleteHttpsEdgeRouteBackend',
    description: 'Deletes the backend module of a route. Does nothing if it is not set.',
    resolve: ({ routeId, ...input }, { scope }) => deleteModule(scope, 'backend', { ...input, id: routeId }),
  },
});
