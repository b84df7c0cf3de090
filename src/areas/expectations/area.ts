// What the area brings to the rest.

export const expectations = {
  name: 'expectations',
  kinds: { Expectation: { prefix: 'exp', path: '/expectations' } },
  schema: () => import('./schema.ts'),
  routes: () => import('./routes.ts'),
  restorers: () => import('./restore-store.ts'),
  attention: () => import('./attention-store.ts'),
  effects: () => import('./effects-store.ts'),
  changeCheck: () => import('./check-store.ts'),
} as const;
