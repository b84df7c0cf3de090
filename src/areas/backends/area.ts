// What the area brings to the rest.

export const backends = {
  name: 'backends',
  kinds: { TunnelGroupBackend: { prefix: 'bkdtg', path: '/backends/tunnel_group' } },
  schema: () => import('./schema.ts'),
  routes: () => import('./routes.ts'),
  restorers: () => import('./restore-store.ts'),
  // Modules of TLS edges and of routes, which are recorded in the trails of those.
  bookkeeping: ['TunnelGroupBackend.tlsModules', 'TunnelGroupBackend.httpsModules'],
} as const;
