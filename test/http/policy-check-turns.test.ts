// Checking a large traffic policy, and looking for likely mistakes in it, takes long, and is done in slices: all other work gets a
// turn between two slices.

import { GraphQLScalarType } from 'graphql';
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { schema } from '../../src/graphql/schema.ts';
import { dataOf } from '../support/answers.ts';
import { turnsOf } from '../support/asked-turns.ts';
import { startService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});

// On this clock, each look takes a fiftieth of a millisecond: a slice has as many steps on a fast machine as on a slow one.
beforeEach(() => {
  let ms = performance.now();
  vi.spyOn(performance, 'now').mockImplementation(() => {
    ms += 0.02;
    return ms;
  });
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** Returns a policy with 5,000 expressions about a variable. */
const policyAbout = (variable: string) => ({
  inbound: Array.from({ length: 100 }, (_, rule) => ({
    expressions: Array.from({ length: 50 }, (_, index) => `${variable} == "${rule}.${index}"`),
    actions: [{ type: 'deny' }],
  })),
});
const query = `query ($policy: TlsPolicyDraft!, $warnings: Boolean!) {
  checkTlsPolicy(policy: $policy, warnings: $warnings) { severity field } }`;
const check = async (variable: string, warnings: boolean) => {
  const { turns, result } = await turnsOf(() => service.graphql(query, { policy: policyAbout(variable), warnings }));
  return { turns, problems: dataOf(result).checkTlsPolicy };
};

test('the check takes turns of the event loop, and none once it has found enough', async () => {
  await check('conn.server_name', false);
  const valid = await check('conn.server_name', false);
  const broken = await check('=', false);
  expect([valid.problems, broken.problems.length, broken.problems[99]]).toEqual([
    [],
    100,
    { severity: 'error', field: 'inbound[1].expressions[49]' },
  ]);
  expect(valid.turns - broken.turns).toBeGreaterThanOrEqual(3);
});

test('warnings take turns of the event loop, and none is looked for that would not be told', async () => {
  await check('conn.server_name', true);
  const plain = await check('conn.server_name', false);
  const valid = await check('conn.server_name', true);
  const misspelt = await check('conn.server_nam', true);
  expect([plain.problems, valid.problems, misspelt.problems.length, misspelt.problems[99]]).toEqual([
    [],
    [],
    100,
    { severity: 'warning', field: 'inbound[1].expressions[49]' },
  ]);
  expect(valid.turns - plain.turns).toBeGreaterThanOrEqual(6);
  expect(misspelt.turns).toBeLessThan(valid.turns);
});

test('the price of warnings is that of the policy, and no list may be longer for it', async () => {
  const twice = `query ($policy: TlsPolicyDraft!, $warnings: Boolean!) {
    a: checkTlsPolicy(policy: $policy, warnings: $warnings) { field }
    b: checkTlsPolicy(policy: $policy, warnings: $warnings) { field }
    c: checkTlsPolicy(policy: $policy, warnings: $warnings) { field } }`;
  const policy = policyAbout('conn.server_name');
  const codeOf = async (variables: Record<string, unknown>, document = twice) =>
    (await service.graphql(document, variables)).errors?.map(({ extensions }) => extensions.code);
  expect(await codeOf({ policy, warnings: true })).toEqual(['QUERY_TOO_COMPLEX']);
  expect(await codeOf({ policy, warnings: false })).toBeUndefined();
  expect(await codeOf({ policy: { inbound: [] }, warnings: true })).toBeUndefined();
  // Those of a stored policy are counted for each alias.
  const { id } = (await service.rest('POST', '/edges/tls', {})).body;
  await service.rest('PUT', `/edges/tls/${id}/policy`, policy);
  const aliases = (count: number) =>
    `query ($id: ID!) { tlsEdge(id: $id) { policy { ${Array.from({ length: count }, (_, index) => `w${index}: warnings { field }`)} } } }`;
  expect(await codeOf({ id }, aliases(6))).toEqual(['QUERY_TOO_COMPLEX']);
  expect(await codeOf({ id }, aliases(2))).toBeUndefined();
  const inbound = Array.from({ length: 101 }, () => policy.inbound[0]);
  expect(await codeOf({ policy: { inbound }, warnings: true }, query)).toEqual(['INVALID_INPUT']);
});

/** Returns rules with 2,000 actions in all. */
const actions = (type: string) =>
  Array.from({ length: 100 }, (_, rule) => ({
    actions: Array.from({ length: 20 }, (_, index) => ({ type, config: { allow: [`10.${rule}.${index}.0/24`] } })),
  }));

test('a large policy is read, checked and saved in turns, and each of its values is coerced once, on both surfaces', async () => {
  const { id } = (await service.rest('POST', '/edges/tls', {})).body;
  const mutation = `mutation ($id: ID!, $inbound: [EndpointRuleInput!]) {
    replaceTlsEdgePolicy(input: { edgeId: $id, inbound: $inbound }) { tlsEdge { id } } }`;
  const ways: Record<string, (inbound: unknown) => Promise<{ status: number }>> = {
    rest: (inbound: unknown) => service.rest('PUT', `/edges/tls/${id}/policy`, { inbound }),
    graphql: (inbound: unknown) => service.graphql(mutation, { id, inbound }),
  };
  const json = schema.getType('JSON');
  if (!(json instanceof GraphQLScalarType)) throw new Error('There is no scalar JSON.');
  for (const save of Object.values(ways)) {
    const small = await turnsOf(() => save([{ actions: [{ type: 'deny' }] }]));
    const spy = vi.spyOn(json, 'parseValue');
    const large = await turnsOf(() => save(actions('restrict-ips')));
    const coerced = spy.mock.calls.length;
    spy.mockRestore();
    expect([small.result.status, large.result.status, coerced]).toEqual([200, 200, 2_000]);
    // Parsing, reading and checking ask for one each, and the slices of the check for more.
    expect(large.turns - small.turns).toBeGreaterThanOrEqual(6);
  }
});
