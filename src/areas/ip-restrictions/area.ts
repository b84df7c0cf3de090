// What the area brings to the rest.

export const ipRestrictions = {
  name: 'ip-restrictions',
  kinds: { IpRestriction: { prefix: 'ipx', path: '/ip_restrictions' } },
  schema: () => import('./schema.ts'),
  routes: () => import('./routes.ts'),
  restorers: () => import('./restore-store.ts'),
  upkeep: () => import('./upkeep.ts'),
  attention: () => import('./attention-store.ts'),
  commands: () => import('./commands.ts'),
  enforced:
    'IP restrictions of types `api` and `dashboard` guard this API and its dashboard, and those of type `endpoints` applications ' +
    'whose proxy asks.',
  notEnforced: ['IP restrictions of type `agent`'],
  acronyms: ['ip'],
} as const;
