// What the area brings to the rest.

export const configuration = {
  name: 'configuration',
  kinds: {},
  schema: () => import('./schema.ts'),
  commands: () => import('./commands.ts'),
  drafted: ['ConfiguredObject'],
} as const;
