// What the area brings to the rest.

export const webhooks = {
  name: 'webhooks',
  kinds: {
    Webhook: { prefix: 'whk', path: '/webhooks' },
  },
  schema: () => import('./schema.ts'),
  routes: () => import('./routes.ts'),
  restorers: () => import('./restore-store.ts'),
  upkeep: () => import('./upkeep.ts'),
  attention: () => import('./attention-store.ts'),
  // How far messages have been sent, and which of them: it changes with every one.
  bookkeeping: ['Webhook.lane', 'Webhook.deliveries'],
  // Where a webhook that is enabled again begins.
  drafted: ['WebhookLane'],
  effects: () => import('./effects-store.ts'),
} as const;
