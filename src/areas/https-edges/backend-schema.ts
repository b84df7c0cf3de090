// The backend module of a route in GraphQL.

import { loadNamed, type Module } from '../../graphql/kit/batch.ts';
import { builder } from '../../graphql/kit/builder.ts';
import { collectionUri } from '../../graphql/kit/context.ts';
import { Ref } from '../../graphql/kit/reference.ts';
import { connectionOf } from '../../graphql/lists/connection-types.ts';
import { innerListArgs, innerListPrice, resolveInnerList } from '../../graphql/lists/inner-list.ts';
import { tunnelGroupBackends } from '../../storage/objects/backend-references.ts';
import { httpsEdgeRoutes, routesOfBackend } from './collections-store.ts';

export const backendModule = {
  model: 'HttpsBackendModule',
  name: 'backend',
  key: 'routeId',
  columns: ['routeId', 'enabled', 'backendId'],
  large: [],
} as const satisfies Module<'HttpsBackendModule'>;

export const HttpsBackendModule = builder.prismaObject('HttpsBackendModule', {
  include: { route: true },
  fields: (t) => ({
    enabled: t.exposeBoolean('enabled'),
    backend: t.field({
      type: 'TunnelGroupBackend',
      description: 'The backend chosen for the traffic of the route.',
      resolve: ({ backendId }, _args, context, info) => loadNamed(tunnelGroupBackends, backendId, context, info),
    }),
    backendRef: t.field({
      type: Ref,
      description: 'Reference to the backend, for keys that may not read backends.',
      resolve: ({ backendId }) => ({ id: backendId }),
    }),
    version: t.int({
      description: 'The version of the route, which also counts changes to its modules.',
      resolve: ({ route }) => route.version,
    }),
  }),
});

builder.prismaObjectField('TunnelGroupBackend', 'httpsEdgeRoutes', (t) =>
  t.field({
    type: connectionOf('HttpsEdgeRoute'),
    description: 'The routes of HTTPS edges whose backend module names the backend, newest first.',
    args: innerListArgs(t.arg),
    complexity: innerListPrice,
    resolve: ({ id }, args, context, info) => {
      // Routes are listed in REST with their edges.
      const uri = collectionUri(context, 'HttpsEdge');
      const users = { collection: httpsEdgeRoutes, list: routesOfBackend, cursors: 'HttpsEdgeRoute', uri } as const;
      return resolveInnerList(users, id, args, context, info);
    },
  }),
);
