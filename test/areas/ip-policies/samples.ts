// IP policy samples for the tests that run over all areas.

import { type AreaSamples, collectionRoutes } from '../../support/samples.ts';

let lastRange = 0;

export const samples: AreaSamples = {
  routes: [
    ...collectionRoutes('/ip_policies'),
    'PUT /ip_policies/{id}/rules',
    ...collectionRoutes('/ip_policy_rules'),
    ...collectionRoutes('/ip_policy_sources'),
  ],
  bodies: {
    'POST /ip_policies': () => ({ description: 'Offices', metadata: '{"owner":"network"}' }),
    'PATCH /ip_policies/{id}': () => ({ description: 'Offices and data centres' }),
    'PUT /ip_policies/{id}/rules': () => ({
      rules: [{ cidr: '203.0.113.0/24', action: 'deny', description: 'Guests' }],
    }),
    'POST /ip_policy_rules': (id) => ({
      ip_policy_id: id('/ip_policies'),
      cidr: '192.0.2.0/24',
      action: 'allow',
      description: 'Berlin',
    }),
    'PATCH /ip_policy_rules/{id}': () => ({ cidr: '198.51.100.0/24' }),
    // The one name that every machine knows without a DNS server.
    'POST /ip_policy_sources': (id) => ({
      ip_policy_id: id('/ip_policies'),
      kind: 'dns',
      address: 'localhost',
      action: 'allow',
      interval_seconds: 600,
      description: 'This machine',
    }),
    'PATCH /ip_policy_sources/{id}': () => ({ interval_seconds: 900 }),
  },
  unique: { cidr: (count) => `10.${Math.floor(count / 256)}.${count % 256}.0/24` },
  collections: [
    {
      path: '/ip_policies',
      listField: 'ip_policies',
      connection: 'ipPolicies',
      required: async () => ({}),
      createFields: 'description, metadata',
      updateFields: 'description, metadata',
      objectsAtStart: 0,
    },
    {
      path: '/ip_policy_rules',
      listField: 'ip_policy_rules',
      connection: 'ipPolicyRules',
      async required(client) {
        const { body } = await client.rest('GET', '/ip_policies');
        const policy = body.ip_policies[0] ?? (await client.rest('POST', '/ip_policies', {})).body;
        lastRange += 1;
        return { ip_policy_id: policy.id, cidr: `${lastRange.toString(16)}::/64`, action: 'allow' };
      },
      createFields: 'ip_policy_id, cidr, action, expires_at, description, metadata',
      updateFields: 'cidr, action, expires_at, description, metadata',
      objectsAtStart: 0,
    },
    {
      path: '/ip_policy_sources',
      listField: 'ip_policy_sources',
      connection: 'ipPolicySources',
      async required(client) {
        // A policy has few sources.
        const policy = (await client.rest('POST', '/ip_policies', {})).body;
        return { ip_policy_id: policy.id, kind: 'dns', address: 'localhost', action: 'allow' };
      },
      createFields: 'ip_policy_id, kind, address, json_path, action, interval_seconds, description, metadata',
      updateFields: 'address, json_path, action, interval_seconds, description, metadata',
      objectsAtStart: 0,
    },
  ],
};
