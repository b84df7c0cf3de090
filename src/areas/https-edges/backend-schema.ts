// The backend module of a route in GraphQL.

import type { Module } from '../../graphql/kit/batch.ts';
import { builder } from '../../graphql/kit/builder.ts';
import { backendOf, backendRef, versionOf } from '../../graphql/kit/module-fields.ts';
import { addReferringList } from '../../graphql/lists/referring-list.ts';
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
    backend: t.field(backendOf('route')),
    backendRef: t.field(backendRef),
    version: t.int(versionOf('route')),
  }),
});

addReferringList('TunnelGroupBackend', 'httpsEdgeRoutes', {
  kind: 'HttpsEdgeRoute',
  collection: httpsEdgeRoutes,
  list: routesOfBackend,
  description: 'The routes of HTTPS edges whose backend module names the backend, newest first.',
  inRest: 'HttpsEdge',
});
