// What the area brings to the dashboard.

import type { Area } from '../area.ts';

export const people: Area = {
  name: 'people',
  title: 'People',
  guide: 'people',
  kinds: {
    Role: { title: 'role', plural: 'roles', page: '/roles' },
    SignInProvider: {
      title: 'sign-in provider',
      plural: 'sign-in providers',
      page: '/sign-in-providers',
      isFinal: true,
    },
    Person: { title: 'person', plural: 'people', isFinal: true },
  },
  pages: [
    { path: '/people', load: () => import('./list.tsx') },
    { path: '/roles', load: () => import('./roles.tsx') },
    { path: '/roles/:id', load: () => import('./role.tsx') },
    { path: '/sign-in-providers', load: () => import('./providers.tsx') },
    { path: '/sign-in-providers/:id', load: () => import('./provider.tsx') },
  ],
  group: 'This account',
  navigation: [
    {
      title: 'People',
      href: '/people',
      icon: 'M6 7.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM1.5 13.5c.4-2.2 2-3.5 4.5-3.5s4.1 1.3 4.5 3.5M11 7.5a2 2 0 1 0 0-4M12 10c1.5.4 2.3 1.6 2.5 3.5',
      scope: 'people:read',
    },
    {
      title: 'Roles',
      href: '/roles',
      icon: 'M8 1.5l5.5 2v4c0 3.5-2.3 5.8-5.5 7-3.2-1.2-5.5-3.5-5.5-7v-4z',
      scope: 'people:read',
      lists: [{ title: 'Roles', href: '/roles', scope: 'people:read', field: 'roles' }],
      deeds: [{ title: 'New role', href: '/roles?new=1', scope: 'people:write' }],
    },
    {
      title: 'Sign-in providers',
      href: '/sign-in-providers',
      icon: 'M9 2.5h4.5v11H9M2.5 8h7M7 5.5L9.5 8 7 10.5',
      scope: 'people:read',
      lists: [
        { title: 'Sign-in providers', href: '/sign-in-providers', scope: 'people:read', field: 'signInProviders' },
      ],
      deeds: [{ title: 'New sign-in provider', href: '/sign-in-providers?new=1', scope: 'people:write' }],
    },
  ],
};
