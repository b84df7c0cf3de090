// What the area brings to the rest.

export const apiKeys = {
  name: 'api-keys',
  kinds: {
    ApiKey: {
      prefix: 'ak',
      path: '/api_keys',
      notConfigured: 'their secrets are shown only once, to whoever creates them',
    },
    // Only in GraphQL.
    DashboardSession: { prefix: 'dses' },
  },
  schema: () => import('./schema.ts'),
  routes: () => import('./routes.ts'),
  restorers: () => import('./restore-store.ts'),
  upkeep: () => import('./upkeep.ts'),
  attention: () => import('./attention-store.ts'),
  commands: () => import('./commands.ts'),
  bookkeeping: ['ApiKey.dashboardSessions', 'ApiKey.lastUsedAt', 'DashboardSession.lastUsedAt'],
  acronyms: ['api'],
} as const;
