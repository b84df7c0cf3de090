// Audit event samples for the tests that run over all areas.

import type { AreaSamples } from '../../support/samples.ts';

export const samples: AreaSamples = {
  routes: ['GET /audit_events', 'GET /audit_events/{id}'],
  bodies: {},
  collections: [],
  madeByOthers: {
    '/audit_events': async (client) => (await client.rest('GET', '/audit_events?limit=1')).body.audit_events[0].id,
  },
};
