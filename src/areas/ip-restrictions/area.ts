// What the area brings to the rest.

export const ipRestrictions = {
  name: 'ip-restrictions',
  kinds: { IpRestriction: { prefix: 'ipx', path: '/ip_restrictions' } },
  schema: () => import('./schema.ts'),
  routes: () => import('./routes.ts'),
  restorers: () => import('./restore-store.ts'),
  effects: () => import('./effects-store.ts'),
  upkeep: () => import('./upkeep.ts'),
  attention: () => import('./attention-store.ts'),
  deciders: () => import('./decider-store.ts'),
  commands: () => import('./commands.ts'),
  enforced:
    'IP restrictions of types `api`, `dashboard` and `agent` guard this API, its dashboard, and what programs on hosts ask of it; ' +
    'those of type `endpoints` guard applications whose proxy asks.',
  acronyms: ['ip'],
} as const;
