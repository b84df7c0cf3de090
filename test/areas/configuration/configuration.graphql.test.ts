// Documents of the configuration over GraphQL: planned, applied, exported.

import { expect, test } from 'vitest';
import { type Client, startService } from '../../support/service.ts';

const service = await startService();

const planQuery = `query ($input: PlanConfigurationInput!) {
  planConfiguration(input: $input) { document digest requests changes left }
}`;
const applyMutation = `mutation ($input: ApplyConfigurationInput!) {
  applyConfiguration(input: $input) { applied { shownOnce plan { changes left digest } } }
}`;
const exportQuery = '{ exportConfiguration { document missing } }';

async function plan(client: Client, document: unknown, options: object = {}) {
  const { data, errors } = await client.graphql(planQuery, { input: { document, ...options } });
  expect(errors).toBeUndefined();
  return data.planConfiguration;
}

async function apply(client: Client, document: unknown, options: object = {}) {
  const { data, errors } = await client.graphql(applyMutation, { input: { document, ...options } });
  expect(errors).toBeUndefined();
  return data.applyConfiguration.applied;
}

async function exported(client: Client) {
  const { data, errors } = await client.graphql(exportQuery);
  expect(errors).toBeUndefined();
  return data.exportConfiguration;
}

const office = {
  ipPolicies: {
    office: {
      description: 'the office',
      rules: [
        { cidr: '203.0.113.0/24', action: 'allow' },
        { cidr: '198.51.100.0/24', action: 'deny', description: 'guests' },
      ],
    },
  },
  ipRestrictions: { web: { type: 'endpoints', enforced: true, ipPolicyIds: ['office'] } },
};

test('a document is planned, applied and then has nothing to change', async () => {
  const client = await service.asNewAccount();
  const planned = await plan(client, office);
  expect(planned.changes).toEqual([
    {
      action: 'create',
      kind: 'IpPolicy',
      name: 'office',
      id: null,
      fields: [
        { field: 'description', before: null, after: 'the office' },
        { field: 'rules[203.0.113.0/24]', before: null, after: { cidr: '203.0.113.0/24', action: 'allow' } },
        {
          field: 'rules[198.51.100.0/24]',
          before: null,
          after: { cidr: '198.51.100.0/24', action: 'deny', description: 'guests' },
        },
      ],
    },
    {
      action: 'create',
      kind: 'IpRestriction',
      name: 'web',
      id: null,
      fields: [
        { field: 'type', before: null, after: 'endpoints' },
        { field: 'ipPolicyIds', before: null, after: ['office'] },
        { field: 'enforced', before: null, after: true },
      ],
    },
  ]);
  expect((await client.graphql('{ ipPolicies { nodes { id } } }')).data.ipPolicies.nodes).toEqual([]);
  await apply(client, office, { digest: planned.digest });
  const { data } = await client.graphql(
    '{ ipPolicies { nodes { description version rules { nodes { cidr action description version } } } } ipRestrictions { nodes { enforced version ipPolicies { description } } } }',
  );
  expect(data.ipPolicies.nodes).toEqual([
    {
      description: 'the office',
      version: 1,
      rules: {
        nodes: [
          { cidr: '198.51.100.0/24', action: 'deny', description: 'guests', version: 1 },
          { cidr: '203.0.113.0/24', action: 'allow', description: '', version: 1 },
        ],
      },
    },
  ]);
  expect(data.ipRestrictions.nodes).toEqual([
    { enforced: true, version: 1, ipPolicies: [{ description: 'the office' }] },
  ]);
  expect((await plan(client, office)).changes).toEqual([]);
  expect((await exported(client)).document).toEqual({
    ipPolicies: {
      office: {
        description: 'the office',
        rules: [
          { cidr: '198.51.100.0/24', action: 'deny', description: 'guests' },
          { cidr: '203.0.113.0/24', action: 'allow' },
        ],
      },
    },
    ipRestrictions: { web: { type: 'endpoints', enforced: true, ipPolicyIds: ['office'] } },
  });
});
