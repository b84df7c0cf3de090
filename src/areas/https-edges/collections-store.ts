// The objects of the area, and the records that it keeps besides.

import { collectionOf } from '../../storage/objects/collections.ts';
import { asGiven, newestFirst } from '../../storage/objects/inner-lists.ts';
import { records } from '../../storage/objects/records.ts';

export const httpsEdges = collectionOf('HttpsEdge');
export const httpsEdgeRoutes = collectionOf('HttpsEdgeRoute');
export const loginSessions = collectionOf('LoginSession');

/** The routes of an edge, newest first. */
export const routesOfEdge = newestFirst('HttpsEdgeRoute', 'edgeId', 'id');

export const samlModules = records('SamlModule', 'routeId');

/** The OpenID Connect modules of routes. */
export const oidcModules = records('OidcModule', 'routeId');

/** The IP restriction modules of routes, and their lists of policies. */
export const ipRestrictionModules = records('HttpsIpRestrictionModule', 'routeId');
export const ipRestrictionPolicies = records('HttpsIpRestrictionPolicy', 'routeId');

export const backendModules = records('HttpsBackendModule', 'routeId');

/** The routes whose traffic a backend serves, newest first. */
export const routesOfBackend = newestFirst('HttpsBackendModule', 'backendId', 'routeId');

/** The policies that the IP restriction module of a route refers to, in the order given; some may have been deleted. */
export const policiesOfRoute = asGiven('HttpsIpRestrictionPolicy', 'routeId', 'ipPolicyId');

/** The routes whose IP restriction module refers to a policy, newest first. */
export const routesOfPolicy = newestFirst('HttpsIpRestrictionPolicy', 'ipPolicyId', 'routeId');

/** Logins that are waiting for their browsers. */
export const samlLogins = records('SamlLogin', 'ticketHash');

/** What else goes with the login module of a route. */
export const loginTargets = records('SamlTarget', 'browserHash');
export const usedAssertions = records('SamlUsedAssertion', 'routeId');
export const logouts = records('SamlLogout', 'routeId');
