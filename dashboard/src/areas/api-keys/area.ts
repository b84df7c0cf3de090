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
  ],
};
