// Webhook samples for the tests that run over all areas.

import { type AreaSamples, collectionRoutes } from '../../support/samples.ts';

// Nothing listens at this port of this machine, which the server does not connect to anyway.
const url = 'https://127.0.0.1:9/hook';

export const samples: AreaSamples = {
  routes: [
    ...collectionRoutes('/webhooks'),
    'GET /webhooks/{id}/deliveries',
    'PUT /webhooks/{id}/deliveries',
    'PUT /webhooks/{id}/ping',
    'PUT /webhooks/{id}/secret',
  ],
  bodies: {
    'POST /webhooks': () => ({ url, events: ['ip_policy.*', 'request.refuse'], description: 'Chat of operations' }),
    'PATCH /webhooks/{id}': () => ({ events: ['*'] }),
    'PUT /webhooks/{id}/deliveries': () => ({}),
    'PUT /webhooks/{id}/ping': () => ({}),
    'PUT /webhooks/{id}/secret': () => ({ overlap_seconds: 3_600 }),
  },
  collections: [
    {
      path: '/webhooks',
      listField: 'webhooks',
      connection: 'webhooks',
      required: async () => ({ url }),
      createFields: 'url, format, events, object_ids, enabled, description, metadata',
      updateFields: 'url, format, events, object_ids, enabled, description, metadata',
      objectsAtStart: 0,
      shownOnce: ['secret'],
    },
  ],
};
