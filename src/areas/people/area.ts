// What the area brings to the rest.

export const people = {
  name: 'people',
  kinds: {
    Role: {
      prefix: 'role',
      path: '/roles',
      secondPerson: ['create', 'update', 'delete'],
    },
    SignInProvider: {
      prefix: 'sip',
      path: '/sign_in_providers',
      // It gives roles to people.
      secondPerson: ['create', 'update', 'delete'],
    },
    Person: { prefix: 'person', path: '/people', notConfigured: 'they come by themselves, when they sign in' },
  },
  schema: () => import('./schema.ts'),
  routes: () => import('./routes.ts'),
  restorers: () => import('./restore-store.ts'),
  effects: () => import('./effects-store.ts'),
  attention: () => import('./attention-store.ts'),
  upkeep: () => import('./upkeep.ts'),
  commands: () => import('./commands.ts'),
  bookkeeping: [
    'Person.apiKeys',
    'Person.dashboardSessions',
    'Person.lastSeenAt',
    'Person.signedInAt',
    'SignInProvider.acceptsFrom',
    'SignInProvider.identityProvider',
    'SignInProvider.metadataFailedAt',
    'SignInProvider.metadataFailure',
    'SignInProvider.metadataKeysAt',
    'SignInProvider.metadataNextAt',
    'SignInProvider.metadataReadAt',
    'SignInProvider.place',
    'SignInProvider.usedAnswers',
  ],
} as const;
