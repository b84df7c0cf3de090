// The objects of the area, and the records that it keeps besides.

import { collectionOf } from '../../storage/objects/collections.ts';
import { records } from '../../storage/objects/records.ts';

export const httpsEdges = collectionOf('HttpsEdge');
export const httpsEdgeRoutes = collectionOf('HttpsEdgeRoute');
export const samlSessions = collectionOf('SamlSession');

/** Logins that are waiting for their browsers. */
export const samlLogins = records('SamlLogin', 'ticketHash');
