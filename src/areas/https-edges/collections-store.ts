// The objects of the area, and the records that it keeps besides.

import { collectionOf } from '../../storage/objects/collections.ts';
import type { InnerList } from '../../storage/objects/inner-lists.ts';
import { records } from '../../storage/objects/records.ts';

export const httpsEdges = collectionOf('HttpsEdge');
export const httpsEdgeRoutes = collectionOf('HttpsEdgeRoute');
export const samlSessions = collectionOf('SamlSession');

/** The routes of an edge, newest first. */
export const routesOfEdge = {
  model: 'HttpsEdgeRoute',
  parent: 'edgeId',
  value: 'id',
  order: 'id',
  direction: 'DESC',
} as const satisfies InnerList;

/** The SAML modules of routes. */
export const samlModules = records('SamlModule', 'routeId');

/** Logins that are waiting for their browsers. */
export const samlLogins = records('SamlLogin', 'ticketHash');
