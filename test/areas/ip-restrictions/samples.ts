// IP restriction samples for the tests that run over all areas.

import { type AreaSamples, collectionRoutes } from '../../support/samples.ts';

export const samples: AreaSamples = {
  routes: collectionRoutes('/ip_restrictions'),
  bodies: {
    'POST /ip_restrictions': (id) => ({
      type: 'endpoints',
      ip_policy_ids: [id('/ip_policies')],
      enforced: true,
      description: 'Only from our offices',
    }),
    'PATCH /ip_restrictions/{id}': (id) => ({ ip_policy_ids: [id('/ip_policies')], description: 'Only from Berlin' }),
  },
  collections: [
    {
      path: '/ip_restrictions',
      listField: 'ip_restrictions',
      connection: 'ipRestrictions',
      required: async (client) => ({
        type: 'api',
        ip_policy_ids: [(await client.rest('POST', '/ip_policies')).body.id],
      }),
      createFields: 'type, ip_policy_ids, enforced, description, metadata',
      updateFields: 'enforced, ip_policy_ids, description, metadata',
      objectsAtStart: 0,
    },
  ],
};
