// Expectation samples for the tests that run over all areas.

import { type AreaSamples, collectionRoutes } from '../../support/samples.ts';

let count = 0;

export const samples: AreaSamples = {
  routes: collectionRoutes('/expectations'),
  bodies: {
    'POST /expectations': (id) => ({
      name: 'The office may use the wiki',
      kind: 'gate',
      expected: 'login',
      address: '203.0.113.7',
      https_edge_id: id('/edges/https'),
      url: 'https://wiki.example.com/',
    }),
    'PATCH /expectations/{id}': () => ({ method: 'POST', description: 'Pages are edited, too' }),
  },
  unique: { name: (number) => `Expectation ${number}` },
  collections: [
    {
      path: '/expectations',
      listField: 'expectations',
      connection: 'expectations',
      required: async () => {
        count += 1;
        return {
          name: `Everybody ${count}`,
          kind: 'ip',
          expected: 'allowed',
          address: '0.0.0.0/0',
          traffic_type: 'endpoints',
        };
      },
      createFields:
        'name, kind, expected, address, traffic_type, https_edge_id, url, method, signed_in, groups, tls_edge_id, server_name, logged, host_name, ssh_certificate_authority_id, description, metadata',
      updateFields:
        'name, expected, address, traffic_type, https_edge_id, url, method, signed_in, groups, tls_edge_id, server_name, logged, host_name, ssh_certificate_authority_id, description, metadata',
      objectsAtStart: 0,
    },
  ],
};
