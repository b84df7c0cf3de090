// TLS edge samples for the tests that run over all areas.

import { type AreaSamples, collectionRoutes, moduleRoutes } from '../../support/samples.ts';

export const samples: AreaSamples = {
  routes: [
    ...collectionRoutes('/edges/tls'),
    ...moduleRoutes('/edges/tls/{id}/backend'),
    ...moduleRoutes('/edges/tls/{id}/policy'),
    ...moduleRoutes('/edges/tls/{id}/ip_restriction'),
  ],
  bodies: {
    'POST /edges/tls': () => ({ hostports: ['shop.example.com:443'] }),
    'PATCH /edges/tls/{id}': () => ({ description: 'The shop' }),
    'PUT /edges/tls/{id}/backend': (id) => ({ backend_id: id('/backends/tunnel_group') }),
    'PUT /edges/tls/{id}/ip_restriction': (id) => ({ ip_policy_ids: [id('/ip_policies')] }),
    'PUT /edges/tls/{id}/policy': () => ({
      inbound: [
        {
          name: 'log',
          expressions: ["conn.tls.version == '1.0'"],
          actions: [{ type: 'log', config: { metadata: { edge: 'shop' } } }],
        },
      ],
    }),
  },
  collections: [
    {
      path: '/edges/tls',
      listField: 'tls_edges',
      connection: 'tlsEdges',
      required: async () => ({}),
      createFields: 'hostports, backend, ip_restriction, description, metadata',
      updateFields: 'hostports, backend, ip_restriction, description, metadata',
      objectsAtStart: 0,
    },
  ],
};
