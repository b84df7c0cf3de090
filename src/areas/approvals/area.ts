// What the area brings to the rest.

export const approvals = {
  name: 'approvals',
  kinds: {
    // Only in GraphQL, because only people approve, in the dashboard.
    ApprovalRequest: { prefix: 'areq', notConfigured: 'they wait for minutes' },
    ApprovalSettings: {
      prefix: 'aset',
      secondPerson: ['update'],
    },
  },
  schema: () => import('./schema.ts'),
  restorers: () => import('./restore-store.ts'),
  upkeep: () => import('./upkeep.ts'),
  effects: () => import('./effects-store.ts'),
  attention: () => import('./attention-store.ts'),
  commands: () => import('./commands.ts'),
} as const;
