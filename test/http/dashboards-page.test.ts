// Runs the documents of docs/graphql-for-dashboards.md.

import { parse, validate } from 'graphql';
import { beforeAll, expect, test } from 'vitest';
import { schema } from '../../src/graphql/schema.ts';
import { startService, type TestService } from '../support/service.ts';
import { read } from '../support/source-files.ts';

const documents = new Map(
  [...read('docs/graphql-for-dashboards.md').matchAll(/^```graphql\n\w+ (\w+)(.*?)^```/gms)].map(
    ([block, name = '']) => [name, block.replace(/^```.*$/gm, '')],
  ),
);

let service: TestService;
let policy: string;
let rule: string;
beforeAll(async () => {
  service = await startService();
  policy = (await service.rest('POST', '/ip_policies', { description: 'office' })).body.id;
  const body = { ip_policy_id: policy, cidr: '192.0.2.0/24', action: 'allow' };
  rule = (await service.rest('POST', '/ip_policy_rules', body)).body.id;
});

const ask = async (name: string, variables: Record<string, unknown> = {}) => {
  const { data, errors } = await service.graphql(documents.get(name) ?? '', variables);
  expect(errors).toBeUndefined();
  return data;
};
const updatedBy = { type: 'api_key', description: 'key of default' };
const updatedAt = '2026-11-20T21:00:00Z';

test('the documents are all that the page has, and valid', () => {
  expect([...documents.keys()]).toEqual(['Policies', 'Find', 'Sessions', 'Search', 'Refresh', 'Changes', 'Rename']);
  for (const document of documents.values()) expect(validate(schema, parse(document))).toEqual([]);
});

test('the documents of the dashboard are where the page says', () => {
  const rows = [...read('docs/graphql-for-dashboards.md').matchAll(/\| `(\w+)` \| `(dashboard\/\S+)` \|$/gm)];
  const found = rows.filter(([, name, file = '']) => new RegExp(`^\\w+ ${name}\\b`, 'm').test(read(file)));
  expect(found.map(([, name]) => name)).toEqual([
    'IpPolicies',
    'Search',
    'ObjectNames',
    'Changes',
    'UpdateIpPolicy',
    'Attention',
  ]);
});

test('a list shows its objects with the lists in them', async () => {
  expect((await ask('Policies')).ipPolicies).toEqual({
    totalCount: 1,
    pageInfo: { hasNextPage: false, endCursor: policy },
    nodes: [
      {
        id: policy,
        description: 'office',
        updatedAt,
        updatedBy,
        rules: { totalCount: 1, nodes: [{ id: rule, cidr: '192.0.2.0/24', action: 'allow' }] },
        restrictions: { totalCount: 0, nodes: [] },
      },
    ],
  });
});

test('a list is sorted, searched and filtered', async () => {
  expect(await ask('Find', { search: 'OFF' })).toEqual({
    ipPolicies: {
      totalCount: 1,
      pageInfo: { hasNextPage: false, endCursor: `${policy}.1795208400500.updated_at_desc` },
      nodes: [{ id: policy, description: 'office', updatedAt }],
    },
    warnings: { totalCount: 0 },
    denied: { nodes: [] },
  });
});

test('lists of sessions, events and revocations are sorted and searched as others are', async () => {
  const none = { totalCount: 0, nodes: [] };
  expect(await ask('Sessions', { search: policy, revoked: '7' })).toEqual({
    dashboardSessions: { ...none, searchedInPart: false },
    auditEvents: {
      totalCount: 1,
      searchedInPart: false,
      nodes: [{ action: 'create', kind: 'IpPolicy', objectId: policy }],
    },
    sshRevocations: none,
  });
});

test('a search says what it has found, and why', async () => {
  expect((await ask('Search', { text: '192.0.2.7' })).search).toEqual([
    { field: 'cidr', text: '192.0.2.0/24', node: { __typename: 'IpPolicyRule', id: rule, description: '', updatedAt } },
  ]);
});

test('what is shown can be asked for again, and changed', async () => {
  const before = { __typename: 'IpPolicy', id: policy, version: 1, updatedAt, updatedBy };
  const ruleNow = {
    __typename: 'IpPolicyRule',
    id: rule,
    version: 1,
    updatedAt,
    updatedBy,
    cidr: '192.0.2.0/24',
    action: 'allow',
  };
  expect((await ask('Refresh', { ids: [policy, rule] })).nodes).toEqual([before, ruleNow]);
  const renamed = await ask('Rename', { id: policy, version: 1, description: 'offices' });
  expect(renamed.updateIpPolicy.ipPolicy).toEqual({
    id: policy,
    version: 2,
    description: 'offices',
    updatedAt,
    updatedBy,
  });
  const { errors } = await service.graphql(documents.get('Rename') ?? '', { id: policy, version: 1, description: 'x' });
  expect(errors?.map(({ extensions }) => extensions.code)).toEqual(['VERSION_CONFLICT']);
});
