// Backend samples for the tests that run over all areas.

import { type AreaSamples, collectionRoutes } from '../../support/samples.ts';

export const samples: AreaSamples = {
  routes: collectionRoutes('/backends/tunnel_group'),
  bodies: {
    'POST /backends/tunnel_group': () => ({ labels: { app: 'shop' } }),
    'PATCH /backends/tunnel_group/{id}': () => ({ labels: { app: 'shop', region: 'eu' } }),
  },
  collections: [
    {
      path: '/backends/tunnel_group',
      listField: 'backends',
      connection: 'tunnelGroupBackends',
      required: async () => ({}),
      createFields: 'labels, description, metadata',
      updateFields: 'labels, description, metadata',
      objectsAtStart: 0,
    },
  ],
};
