// What the area brings to the dashboard.

import { type Area, listEntry } from '../area.ts';

export const apiKeys: Area = {
  name: 'api-keys',
  title: 'API keys',
  guide: 'api-keys',
  kinds: {
    ApiKey: { title: 'API key', plural: 'API keys', page: '/api-keys', isFinal: true },
    DashboardSession: { title: 'sign-in', plural: 'sign-ins', isFinal: true },
  },
  pages: [
    { path: '/api-keys', load: () => import('./list.tsx') },
    { path: '/api-keys/:id', load: () => import('./key.tsx') },
    { path: '/personal-api-keys', load: () => import('./personal.tsx') },
  ],
  group: 'This account',
  navigation: [
    listEntry(
      'api-keys',
      'apiKeys',
      'API keys',
      'New API key',
      'M2 11a3 3 0 1 0 6 0 3 3 0 1 0-6 0M7.2 8.8l6-6M10.5 5.5l2 2',
    ),
    {
      title: 'Your API keys',
      href: '/personal-api-keys',
      icon: 'M5.5 6a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM1 12c.4-2.2 2-3.5 4.5-3.5M7.5 12a2 2 0 1 0 4 0 2 2 0 1 0-4 0M11 10.5l3.5-3.5',
      scope: null,
      isForPeople: true,
    },
  ],
};
