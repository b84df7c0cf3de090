// Samples of requests that can be undone for the tests that run over all areas.

import type { AreaSamples } from '../../support/samples.ts';

export const samples: AreaSamples = {
  routes: ['PUT /requests/{id}/undo'],
  bodies: { 'PUT /requests/{id}/undo': () => ({}) },
  collections: [],
  madeByOthers: {
    '/requests': async (client) => {
      const made = await client.rest('POST', '/backends/tunnel_group', { description: 'to be undone' });
      const { body } = await client.rest('GET', '/audit_events');
      return body.audit_events.find((event: { object_id: string }) => event.object_id === made.body.id).request_id;
    },
  },
};
