// What the area brings to the rest.

export const webhooks = {
  name: 'webhooks',
  kinds: {
    Webhook: {
      prefix: 'whk',
      path: '/webhooks',
      notConfigured: 'they begin at the latest event of the account, of which a draft has none',
    },
  },
  schema: () => import('./schema.ts'),
  routes: () => import('./routes.ts'),
  restorers: () => import('./restore-store.ts'),
  upkeep: () => import('./upkeep.ts'),
  attention: () => import('./attention-store.ts'),
  // How far messages have been sent, and which of them: it changes with every one.
  bookkeeping: ['Webhook.lane', 'Webhook.deliveries'],
} as const;
