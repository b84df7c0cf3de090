// What the area brings to the dashboard.

import { type Area, listEntry } from '../area.ts';

export const backends: Area = {
  name: 'backends',
  title: 'Backends',
  guide: 'operations#enforce-ip-restrictions-and-tls-edges',
  kinds: { TunnelGroupBackend: { title: 'backend', plural: 'backends', page: '/backends' } },
  pages: [
    { path: '/backends', load: () => import('./list.tsx') },
    { path: '/backends/:id', load: () => import('./backend.tsx') },
  ],
  group: 'Edges',
  navigation: [
    listEntry(
      'backends',
      'tunnelGroupBackends',
      'Backends',
      'New backend',
      'M2.5 2.5h11v4.5h-11zM2.5 9h11v4.5h-11zM5 4.75h.01M5 11.25h.01',
    ),
  ],
};
