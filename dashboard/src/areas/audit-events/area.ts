// What the area brings to the dashboard.

import type { Area } from '../area.ts';

export const auditEvents: Area = {
  name: 'audit-events',
  title: 'Audit trail',
  guide: 'audit-trail',
  // Events have no history of their own.
  kinds: {},
  pages: [
    { path: '/audit-trail', load: () => import('./list.tsx') },
    { path: '/audit-trail/:id', load: () => import('./event.tsx') },
  ],
  group: 'This account',
  navigation: [
    {
      title: 'Audit trail',
      href: '/audit-trail',
      icon: 'M8 4.5V8l2.5 1.5M2.5 8a5.5 5.5 0 1 0 1.8-4.1M2.5 2.5v2.75h2.75',
      scope: 'audit-events:read',
    },
  ],
};
