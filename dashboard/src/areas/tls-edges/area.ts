// What the area brings to the dashboard.

import { type Area, listEntry } from '../area.ts';

export const tlsEdges: Area = {
  name: 'tls-edges',
  title: 'TLS edges',
  guide: 'operations#enforce-ip-restrictions-and-tls-edges',
  kinds: { TlsEdge: { title: 'TLS edge', plural: 'TLS edges', page: '/tls-edges' } },
  pages: [
    { path: '/tls-edges', load: () => import('./list.tsx') },
    { path: '/tls-edges/:id', load: () => import('./edge.tsx') },
  ],
  group: 'Edges',
  navigation: [
    listEntry('tls-edges', 'tlsEdges', 'TLS edges', 'New TLS edge', 'M3 7.5h10V14H3zM5 7.5V5a3 3 0 0 1 6 0v2.5'),
  ],
};
