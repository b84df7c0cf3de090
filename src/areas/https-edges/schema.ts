// HTTPS edges, their routes and the routes' modules in GraphQL.

import { serviceProviderUrls } from '../../domain/saml/service-provider.ts';
import { readChoice, readTextList } from '../../domain/values/decode.ts';
import { loadModule, loadNamed, loadNamedOnes } from '../../graphql/kit/batch.ts';
import { builder } from '../../graphql/kit/builder.ts';
import { type Context, uriOf } from '../../graphql/kit/context.ts';
import { enumValues } from '../../graphql/kit/enum-values.ts';
import { hostportsDescription, hostportsInput } from '../../graphql/kit/hostports.ts';
import { notePolicies } from '../../graphql/kit/ip-policy-list.ts';
import { createMutation, deleteMutation, moduleMutations, updateMutation } from '../../graphql/kit/mutations.ts';
import { resourceQueries } from '../../graphql/kit/queries.ts';
import { expectedVersionInput, type InputBuilder, Resource } from '../../graphql/kit/resource.ts';
import { searchable, searchedList, searchedText } from '../../graphql/kit/search-query.ts';
import { resolveList } from '../../graphql/lists/connection.ts';
import { connectionOf } from '../../graphql/lists/connection-types.ts';
import { findingArgs, isAsInRest, priceOfFinding, readFinding } from '../../graphql/lists/finding.ts';
import { loadInnerIds } from '../../graphql/lists/inner-list.ts';
import { needsTo } from '../../graphql/wrappers/rights.ts';
import './gate-schema.ts';
import './metadata-schema.ts';
import './proxy-schema.ts';
import { httpsEdgeRoutes, httpsEdges, policiesOfRoute, routesOfEdge } from './collections-store.ts';
import { HttpsIpRestrictionModule, ipRestrictionInput, ipRestrictionModule } from './ip-restriction-schema.ts';
import { deleteIpRestriction, replaceIpRestriction } from './ip-restriction-store.ts';
import { type MatchType, matchBytesMax, matchTypes, routesMax } from './rules.ts';
import { SamlModule, SamlServiceProvider, samlInput, samlModule } from './saml-schema.ts';
import './saml-session-schema.ts';
import {
  createHttpsEdge,
  createHttpsEdgeRoute,
  deleteHttpsEdge,
  deleteHttpsEdgeRoute,
  deleteSamlModule,
  getRoute,
  replaceSamlModule,
  updateHttpsEdge,
  updateHttpsEdgeRoute,
} from './store.ts';

// An edge may have many routes (`routesMax`) but usually has few. What is actually returned is counted separately.
const usualRoutes = { multiplier: 10 };

const HttpsEdge = builder.prismaNode('HttpsEdge', {
  id: { field: 'id' },
  nullable: true,
  interfaces: [Resource],
  fields: (t) => ({
    hostports: t.stringList({
      description: hostportsDescription,
      resolve: ({ hostports }) => readTextList(hostports),
    }),
    routes: t.field({
      type: ['HttpsEdgeRoute'],
      description: `The routes of the edge, newest first; at most ${routesMax}.`,
      complexity: usualRoutes,
      resolve: async ({ id, routeCount }, _args, context, info) => {
        if (routeCount === 0) return [];
        const ids = await loadInnerIds(routesOfEdge, id, routesMax, context);
        return loadNamedOnes(httpsEdgeRoutes, ids, context, info);
      },
    }),
  }),
});

const HttpsEdgeRouteMatchType = builder.enumType('HttpsEdgeRouteMatchType', {
  description: 'How a route matches the path of a request.',
  values: enumValues<MatchType>({
    path_prefix: 'The path starts with `match`.',
    exact_path: 'The path equals `match`.',
  }),
});

/** Returns the URL of the routes of an edge in the REST API. */
function routesUri(context: Context, edgeId: string): string {
  return `${uriOf(context, edgeId)}/routes`;
}

const HttpsEdgeRoute = builder.prismaNode('HttpsEdgeRoute', {
  id: { field: 'id' },
  nullable: true,
  interfaces: [Resource],
  fields: (t) => ({
    uri: t.string({
      description: 'URL of the route in the REST API, below its edge.',
      resolve: ({ id, edgeId }, _args, context) => `${routesUri(context, edgeId)}/${id}`,
    }),
    edge: t.field({
      type: HttpsEdge,
      description: 'The edge that the route belongs to.',
      resolve: ({ edgeId }, _args, context, info) => loadNamed(httpsEdges, edgeId, context, info),
    }),
    edgeId: t.exposeID('edgeId', { description: 'Identifier of the edge that the route belongs to.' }),
    matchType: t.field({
      type: HttpsEdgeRouteMatchType,
      description: 'How the route matches the path of a request.',
      resolve: ({ matchType }) => readChoice(matchTypes, matchType),
    }),
    match: t.expose('match', { type: 'UrlPath' }),
    saml: t.field({
      type: SamlModule,
      nullable: true,
      description: 'The SAML module of the route; null if not set.',
      resolve: async (route, _args, context, info) => {
        const module = await loadModule(samlModule, route, context, info);
        return module && { ...module, route };
      },
    }),
    ipRestriction: t.field({
      type: HttpsIpRestrictionModule,
      nullable: true,
      description: 'The IP restriction module of the route: which addresses may come in; null if not set.',
      resolve: async (route, _args, context, info) => {
        const module = await loadModule(ipRestrictionModule, route, context, info);
        return module && { ...module, route };
      },
    }),
    samlServiceProvider: t.field({
      type: SamlServiceProvider,
      description:
        'The values of this service provider to configure at the identity provider. Available before the route has a SAML ' +
        'module, because many identity providers ask for them before they offer metadata.',
      resolve: ({ id }, _args, { baseUrl }) => serviceProviderUrls(baseUrl, id),
    }),
  }),
});

searchable('HttpsEdge', searchedList('hostports'));
searchable('HttpsEdgeRoute', searchedText('match'));

resourceQueries('HttpsEdge', HttpsEdge, httpsEdges, {
  one: { name: 'httpsEdge', noun: 'HTTPS edge' },
  list: { name: 'httpsEdges', description: 'The HTTPS edges of the account, newest first.' },
});

createMutation('createHttpsEdge', HttpsEdge, {
  description: 'Creates an HTTPS edge without routes.',
  input: (t) => hostportsInput(t, 'Defaults to none.'),
  resolve: (input, { scope }) => createHttpsEdge(scope, input),
});

updateMutation('updateHttpsEdge', HttpsEdge, {
  description: 'Updates an HTTPS edge. Its routes are changed separately.',
  input: (t) => hostportsInput(t, 'Replaces the list.'),
  resolve: (input, { scope }) => updateHttpsEdge(scope, input),
});

deleteMutation('deleteHttpsEdge', {
  description: 'Deletes an HTTPS edge with its routes and their modules.',
  resolve: (input, { scope }) => deleteHttpsEdge(scope, input),
});

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

createMutation('createHttpsEdgeRoute', HttpsEdgeRoute, {
  description: 'Adds a route to an HTTPS edge.',
  input: (t) => ({
    ...edgeIdInput(t),
    matchType: t.field({ type: HttpsEdgeRouteMatchType, required: true, description: matchTypeDescription }),
    match: t.field({ type: 'UrlPath', required: true, description: matchDescription }),
  }),
  resolve: (input, { scope }) => createHttpsEdgeRoute(scope, input),
});

updateMutation('updateHttpsEdgeRoute', HttpsEdgeRoute, {
  description: 'Updates a route of an HTTPS edge. Its modules are changed separately.',
  input: (t) => ({
    ...edgeIdInput(t),
    matchType: t.field({ type: HttpsEdgeRouteMatchType, description: matchTypeDescription }),
    match: t.field({ type: 'UrlPath', description: matchDescription }),
  }),
  resolve: (input, { scope }) => updateHttpsEdgeRoute(scope, input),
});

deleteMutation('deleteHttpsEdgeRoute', {
  description: 'Deletes a route of an HTTPS edge with its modules.',
  input: edgeIdInput,
  resolve: (input, { scope, signal }) => deleteHttpsEdgeRoute(scope, input, signal()),
});

/** Cost of generating a signing key: a document can ask for 14. */
const signingKeyCost = 10_000;

function routeAddressInput(t: InputBuilder) {
  return {
    ...edgeIdInput(t),
    routeId: t.id({ required: true, description: 'Identifier of the route that the module belongs to.' }),
    expectedVersion: expectedVersionInput(t, 'route'),
  };
}

moduleMutations(HttpsEdgeRoute, {
  address: routeAddressInput,
  replace: {
    name: 'replaceSamlModule',
    description:
      'Sets the SAML module of a route, replacing any existing one. The key that signs requests is generated the first ' +
      'time and kept afterwards.',
    input: samlInput,
    cost: signingKeyCost,
    resolve: ({ routeId, ...input }, { scope, signal }) =>
      replaceSamlModule(scope, { ...input, id: routeId }, signal()),
  },
  delete: {
    name: 'deleteSamlModule',
    description: 'Deletes the SAML module of a route with its signing key. Does nothing if it is not set.',
    resolve: ({ routeId, ...input }, { scope, signal }) => deleteSamlModule(scope, { ...input, id: routeId }, signal()),
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
    resolve: ({ routeId, ...input }, { scope }) => deleteIpRestriction(scope, { ...input, id: routeId }),
  },
});
