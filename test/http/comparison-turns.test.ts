// Comparing the addresses that restrictions let pass takes long, and is done in slices: all other work gets a turn between two
// slices.

import { beforeAll, expect, test } from 'vitest';
import { dataOf } from '../support/answers.ts';
import { turnsOf } from '../support/asked-turns.ts';
import { copyRow } from '../support/crowd.ts';
import { execute } from '../support/database.ts';
import { startService, type TestService } from '../support/service.ts';

const policiesCount = 12;
let service: TestService;
const policies: string[] = [];
beforeAll(async () => {
  service = await startService();
  for (let count = 0; count < policiesCount; count += 1)
    policies.push((await service.rest('POST', '/ip_policies', {})).body.id);
  const rule = { ip_policy_id: policies[0], cidr: '192.0.2.0/24', action: 'allow' };
  const { id } = (await service.rest('POST', '/ip_policy_rules', rule)).body;
  // A thousand for each policy, of which no two touch.
  const range = `'10.' || ((n % 1000) / 100) || '.' || ((n % 100) * 2) || '.0/24'`;
  const policyOf = policies.map((policy, index) => `WHEN ${index} THEN '${policy}'`).join(' ');
  const changed = { ipPolicyId: `CASE n / 1000 ${policyOf} END`, range, cidr: range };
  const columns = ['id', 'accountId', 'ipPolicyId', 'action', 'range', 'cidr', 'version', 'createdAt', 'updatedAt'];
  await copyRow(service.database, 'IpPolicyRule', id, policiesCount * 1_000, changed, columns);
  await execute(service.database, `UPDATE "IpPolicy" SET "ruleCount" = 1000`);
});

test('a comparison takes turns of the event loop for each policy that it reads', async () => {
  const query = `query ($policies: [ID!]!) {
    evaluateIpRestrictionChange(type: api, enforced: false, ipPolicyIds: $policies) { newlyRefusedCount } }`;
  const compare = async (policies: readonly string[]) => {
    const { turns, result } = await turnsOf(() => service.graphql(query, { policies }));
    return { turns, count: dataOf(result).evaluateIpRestrictionChange.newlyRefusedCount };
  };
  await compare(policies);
  const [few, many] = [await compare(policies.slice(1, 2)), await compare(policies)];
  // All of IPv6, and the addresses before, between and after the ranges; the first policy has one more range.
  expect([few.count, many.count]).toEqual([1_002, 1_003]);
  expect(many.turns - few.turns).toBeGreaterThanOrEqual(policiesCount - 1);
});
