// API key samples for the tests that run over all areas.

import { type AreaSamples, collectionRoutes } from '../../support/samples.ts';

export const samples: AreaSamples = {
  routes: collectionRoutes('/api_keys'),
  bodies: {
    'POST /api_keys': () => ({
      description: 'dashboard',
      scopes: ['ip-policies:read', 'ssh:write'],
      expires_at: '2027-05-31T00:00:00Z',
    }),
    'PATCH /api_keys/{id}': () => ({ description: 'dashboard of the office' }),
  },
  collections: [
    {
      path: '/api_keys',
      listField: 'keys',
      connection: 'apiKeys',
      required: async () => ({}),
      createFields: 'scopes, expires_at, pass_groups, pass_at, owner_id, description, metadata',
      updateFields: 'description, metadata',
      // The account's own key.
      objectsAtStart: 1,
      shownOnce: ['token'],
    },
  ],
};
