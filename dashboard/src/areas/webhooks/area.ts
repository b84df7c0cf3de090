// What the area brings to the dashboard.

import { type Area, listEntry } from '../area.ts';

export const webhooks: Area = {
  name: 'webhooks',
  title: 'Webhooks',
  guide: 'webhooks',
  kinds: { Webhook: { title: 'webhook', plural: 'webhooks', page: '/webhooks', isFinal: true } },
  pages: [
    { path: '/webhooks', load: () => import('./list.tsx') },
    { path: '/webhooks/:id', load: () => import('./webhook.tsx') },
  ],
  group: 'This account',
  navigation: [
    listEntry(
      'webhooks',
      'webhooks',
      'Webhooks',
      'New webhook',
      'M2 13.5h5.5M2 8h8.5M2 2.5h5.5M10.5 4.5 14 8l-3.5 3.5',
    ),
  ],
};
