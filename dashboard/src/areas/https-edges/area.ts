// What the area brings to the dashboard.

import { type Area, listEntry } from '../area.ts';

export const httpsEdges: Area = {
  name: 'https-edges',
  title: 'HTTPS edges',
  guide: 'gate',
  kinds: {
    HttpsEdge: { title: 'HTTPS edge', plural: 'HTTPS edges', page: '/https-edges' },
    HttpsEdgeRoute: { title: 'route', plural: 'routes', page: '/https-edges/routes' },
    LoginSession: { title: 'user session', plural: 'user sessions', isFinal: true },
  },
  pages: [
    { path: '/https-edges', load: () => import('./list.tsx') },
    { path: '/https-edges/:id', load: () => import('./edge.tsx') },
    { path: '/https-edges/routes/:id', load: () => import('./route.tsx') },
    { path: '/logins', load: () => import('./logins.tsx') },
  ],
  group: 'Edges',
  navigation: [
    listEntry(
      'https-edges',
      'httpsEdges',
      'HTTPS edges',
      'New HTTPS edge',
      'M2 8a6 6 0 1 0 12 0 6 6 0 1 0-12 0M2 8h12M8 2c2 2 2.5 4 2.5 6S10 12 8 14c-2-2-2.5-4-2.5-6S6 4 8 2',
    ),
    {
      title: 'Logins',
      href: '/logins',
      icon: 'M8 8a2.75 2.75 0 1 0 0-5.5A2.75 2.75 0 0 0 8 8zM2.75 13.5c.5-2.25 2.5-3.5 5.25-3.5s4.75 1.25 5.25 3.5',
      scope: 'https-edges:read',
      deeds: [{ title: 'End the session of a user', href: '/logins', scope: 'gate', alsoNeeds: 'https-edges:read' }],
    },
  ],
  narrowScopes: [
    { scope: 'gate', title: 'The gate', hint: 'Asks it for decisions, and ends sessions of users.' },
    {
      scope: 'gate:pass',
      title: 'Pass the gate',
      hint: 'Reaches applications that ask people for a login, and nothing of this service.',
      isApart: true,
    },
  ],
};
