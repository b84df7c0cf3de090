// What the area brings to the rest.

export const tlsEdges = {
  name: 'tls-edges',
  kinds: { TlsEdge: { prefix: 'edgtls', path: '/edges/tls' } },
  schema: () => import('./schema.ts'),
  routes: () => import('./routes.ts'),
  restorers: () => import('./restore-store.ts'),
  attention: () => import('./attention-store.ts'),
  deciders: () => import('./decider-store.ts'),
  notEnforced: ['TLS edges', 'traffic policies'],
  acronyms: ['tls'],
} as const;
