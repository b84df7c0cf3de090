// Backend samples for the tests that run over all areas.

import { type AreaSamples, collectionRoutes } from '../../support/samples.ts';

export const samples: AreaSamples = {
  routes: collectionRoutes('/backends/tunnel_group'),
  bodies: {
    'POST /backends/tunnel_group': () => ({ labels: { app: 'shop' }, targets: ['10.0.0.5:443'] }),
    'PATCH /backends/tunnel_group/{id}': () => ({
      labels: { app: 'shop', region: 'eu' },
      targets: ['10.0.0.6:8080'],
      tls: 'none',
    }),
  },
  collections: [
    {
      path: '/backends/tunnel_group',
      listField: 'backends',
      connection: 'tunnelGroupBackends',
      required: async () => ({}),
      createFields: 'labels, targets, tls, description, metadata',
      updateFields: 'labels, targets, tls, description, metadata',
      objectsAtStart: 0,
    },
  ],
};
