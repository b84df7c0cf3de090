// IP restrictions in GraphQL.

import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { dataOf } from '../../support/answers.ts';
import { startService, type TestService } from '../../support/service.ts';
import { countStatements } from '../../support/statements.ts';

let shared: TestService;
let service: TestService;
beforeAll(async () => {
  shared = await startService();
});
beforeEach(async () => {
  service = await shared.asNewAccount();
});

const newPolicy = async (): Promise<string> => (await service.rest('POST', '/ip_policies')).body.id;

async function newRestriction(values: object = {}): Promise<string> {
  const input = { type: 'endpoints', ip_policy_ids: [await newPolicy()], ...values };
  const { status, body } = await service.rest('POST', '/ip_restrictions', input);
  expect(status).toBe(201);
  return body.id;
}

describe('updateIpRestriction', () => {
  test('shows the list that it wrote, also in a document that writes another one after it', async () => {
    const [a, b] = [await newPolicy(), await newPolicy()];
    const id = await newRestriction({ ip_policy_ids: [a] });
    const set = (policy: string) =>
      `updateIpRestriction(input: { id: "${id}", ipPolicyIds: ["${policy}"] }) { ipRestriction { ipPolicyRefs { id } ipPolicies { id } } }`;
    const { data } = await service.graphql(`mutation { first: ${set(b)} second: ${set(a)} }`);
    const shown = (policy: string) => ({
      ipRestriction: { ipPolicyRefs: [{ id: policy }], ipPolicies: [{ id: policy }] },
    });
    expect(data).toEqual({ first: shown(b), second: shown(a) });
  });
});

describe('ipRestriction', () => {
  test('keeps the reference to a deleted policy, and leads only to those that exist', async () => {
    const [a, b] = [await newPolicy(), await newPolicy()];
    const id = await newRestriction({ ip_policy_ids: [a, b] });
    await service.rest('DELETE', `/ip_policies/${a}`);
    const query = `{ ipRestriction(id: "${id}") { ipPolicyRefs { id } ipPolicies { id } } }`;
    expect(dataOf(await service.graphql(query))).toEqual({
      ipRestriction: { ipPolicyRefs: [{ id: a }, { id: b }], ipPolicies: [{ id: b }] },
    });
  });
});

describe('ipRestrictions', () => {
  test('lists and counts only those of one type where it is given', async () => {
    const agents = [await newRestriction({ type: 'agent' }), await newRestriction({ type: 'agent' })];
    await newRestriction({ type: 'api' });
    const query = 'query ($type: IpRestrictionType) { ipRestrictions(type: $type) { totalCount nodes { id } } }';
    expect(dataOf(await service.graphql(query, { type: 'agent' }))).toEqual({
      ipRestrictions: { totalCount: 2, nodes: [{ id: agents[1] }, { id: agents[0] }] },
    });
    expect(dataOf(await service.graphql(query, { type: 'dashboard' }))).toEqual({
      ipRestrictions: { totalCount: 0, nodes: [] },
    });
    expect(dataOf(await service.graphql(query, { type: null })).ipRestrictions.totalCount).toBe(3);
  });
});

describe('SQL statements', () => {
  test('of nested queries do not grow with the number of objects', async () => {
    const query =
      '{ ipRestrictions { nodes { ipPolicyRefs { id } ipPolicies { rules { nodes { id } } restrictions { nodes { id } } } } } }';
    const grow = async () => {
      const policies = [await newPolicy(), await newPolicy()];
      await newRestriction({ ip_policy_ids: policies });
      await newRestriction({ ip_policy_ids: policies });
    };
    const ask = async () => dataOf(await service.graphql(query));
    await grow();
    await grow();
    const few = await countStatements(service, ask);
    for (let times = 0; times < 4; times += 1) await grow();
    expect(await countStatements(service, ask)).toBe(few);
    expect(few).toBeLessThanOrEqual(10);
  });

  test('of a list on the REST surface are one for each relation', async () => {
    for (let made = 0; made < 5; made += 1) await newRestriction();
    expect(await countStatements(service, () => service.rest('GET', '/ip_restrictions'))).toBe(2);
  });
});
