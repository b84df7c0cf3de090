// What the area brings to the rest.

export const auditEvents = {
  name: 'audit-events',
  kinds: {
    AuditEvent: { prefix: 'evt', path: '/audit_events' },
    AuditCheckpoint: { prefix: 'ackp', path: '/audit_checkpoints' },
  },
  schema: () => import('./schema.ts'),
  routes: () => import('./routes.ts'),
  upkeep: () => import('./upkeep.ts'),
  attention: () => import('./attention-store.ts'),
  commands: () => import('./commands.ts'),
} as const;
