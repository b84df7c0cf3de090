// What the area brings to the rest.

export const configuration = {
  name: 'configuration',
  kinds: {},
  schema: () => import('./schema.ts'),
  routes: () => import('./routes.ts'),
  commands: () => import('./commands.ts'),
  groups: { '/configuration': 'Configuration', '/requests/': 'Requests' },
  drafted: ['ConfiguredObject'],
} as const;
