// Samples of documents, and of requests that can be undone, for the tests that run over all areas.

import type { AreaSamples } from '../../support/samples.ts';

const document = {
  ipPolicies: {
    office: { description: 'Berlin and the VPN', rules: [{ cidr: '203.0.113.0/24', action: 'allow' }] },
  },
};

export const samples: AreaSamples = {
  routes: [
    'GET /configuration',
    'PUT /configuration/plan',
    'PUT /configuration/apply',
    'PUT /configuration/import',
    'GET /requests/{id}/undo',
    'PUT /requests/{id}/undo',
  ],
  bodies: {
    'PUT /configuration/plan': () => ({ document }),
    'PUT /configuration/apply': () => ({ document }),
    // After the policy of the samples, which is called so.
    'PUT /configuration/import': (id) => {
      id('/ip_policies');
      return { document: { ipPolicies: { offices: {} } } };
    },
    'PUT /requests/{id}/undo': () => ({}),
  },
  collections: [],
  madeByOthers: {
    '/requests': async (client) => {
      const made = await client.rest('POST', '/backends/tunnel_group', { description: 'to be undone' });
      const { body } = await client.rest('GET', '/audit_events');
      return body.audit_events.find((event: { object_id: string }) => event.object_id === made.body.id).request_id;
    },
  },
};
