// What the area brings to the rest.

export const httpsEdges = {
  name: 'https-edges',
  kinds: {
    HttpsEdge: { prefix: 'edghts', path: '/edges/https' },
    // Addressed under its edge, so its URL has more parts than a collection and an id.
    HttpsEdgeRoute: { prefix: 'edghtsrt', listedBy: 'edgeId' },
    // Only in GraphQL.
    LoginSession: { prefix: 'sess', narrow: 'gate', listedBy: 'routeId' },
  },
  passes: 'gate:pass',
  schema: () => import('./schema.ts'),
  routes: () => import('./routes.ts'),
  publicFiles: () => import('./public.ts'),
  restorers: () => import('./restore-store.ts'),
  upkeep: () => import('./upkeep.ts'),
  attention: () => import('./attention-store.ts'),
  deciders: () => import('./decider-store.ts'),
  bookkeeping: [
    'HttpsEdge.moduleBytes',
    'HttpsEdge.routeCount',
    'LoginSession.idToken',
    'OidcModule.bytes',
    'OidcModule.failure',
    'OidcModule.failedAt',
    'OidcModule.users',
    'SamlModule.bytes',
    'SamlModule.identityProvider',
    'SamlModule.users',
    'LoginSession.continuedBy',
    'HttpsEdgeRoute.targets',
    'HttpsEdgeRoute.logins',
    'HttpsEdgeRoute.logouts',
    'HttpsEdgeRoute.sessions',
    'HttpsEdgeRoute.usedAssertions',
  ],
  enforced: 'HTTPS edges and routes, and logins by SAML and OpenID Connect, guard applications whose proxy asks.',
  acronyms: ['http', 'https', 'oidc', 'saml'],
} as const;
