// IP policies and their rules in GraphQL.

import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { dataOf } from '../../support/answers.ts';
import { ownService, startService, type TestService } from '../../support/service.ts';
import { countStatements } from '../../support/statements.ts';

let shared: TestService;
let service: TestService;
beforeAll(async () => {
  shared = await startService();
});
beforeEach(async () => {
  service = await shared.asNewAccount();
});

const newPolicy = async (notes: object = {}): Promise<string> =>
  (await service.rest('POST', '/ip_policies', notes)).body.id;

let lastRange = 0;
async function newRule(ip_policy_id: string, values: object = {}): Promise<string> {
  lastRange += 1;
  const rule = { ip_policy_id, cidr: `${lastRange.toString(16)}::/64`, action: 'allow', ...values };
  const { status, body } = await service.rest('POST', '/ip_policy_rules', rule);
  expect(status).toBe(201);
  return body.id;
}

const mutate = (name: string, input: object, selection: string) => {
  const type = `${name.charAt(0).toUpperCase()}${name.slice(1)}Input`;
  return service.graphql(`mutation ($input: ${type}!) { ${name}(input: $input) { ${selection} } }`, { input });
};

describe('updateIpPolicy', () => {
  test('answers with relations as they are after the change', async () => {
    const id = await newPolicy();
    const rule = await newRule(id);
    const answer = await mutate('updateIpPolicy', { id, description: 'new' }, 'ipPolicy { rules { nodes { id } } }');
    expect(dataOf(answer).updateIpPolicy.ipPolicy.rules).toEqual({ nodes: [{ id: rule }] });
  });
});

describe('createIpPolicyRule', () => {
  test('answers with every field of the new rule, and its policy has the rule already', async () => {
    service = await ownService();
    const ipPolicyId = await newPolicy();
    const input = { ipPolicyId, cidr: '2001:DB8::/32', action: 'deny', description: 'lab' };
    const selection = `ipPolicyRule {
      __typename id uri createdAt description metadata version cidr action ipPolicy { id rules { nodes { id } } }
    }`;
    expect(dataOf(await mutate('createIpPolicyRule', input, selection))).toEqual({
      createIpPolicyRule: {
        ipPolicyRule: {
          __typename: 'IpPolicyRule',
          id: 'ipr_01m7xc4kkmepqbszdrczy3hnma',
          uri: 'https://sallyport.test/ip_policy_rules/ipr_01m7xc4kkmepqbszdrczy3hnma',
          createdAt: '2026-11-20T21:00:00Z',
          description: 'lab',
          metadata: '',
          version: 1,
          cidr: '2001:DB8::/32',
          action: 'deny',
          ipPolicy: { id: ipPolicyId, rules: { nodes: [{ id: 'ipr_01m7xc4kkmepqbszdrczy3hnma' }] } },
        },
      },
    });
  });
});

describe('ipPolicy', () => {
  test('leads to its rules and its restrictions, newest first, and back', async () => {
    const id = await newPolicy();
    const rules = [await newRule(id), await newRule(id)];
    const restrict = async (): Promise<string> =>
      (await service.rest('POST', '/ip_restrictions', { type: 'endpoints', ip_policy_ids: [await newPolicy(), id] }))
        .body.id;
    const restrictions = [await restrict(), await restrict()];
    const query = `{ ipPolicy(id: "${id}") { rules { nodes { id ipPolicy { id } } } restrictions { nodes { id ipPolicies { id } } } } }`;
    const { ipPolicy } = dataOf(await service.graphql(query));
    expect(ipPolicy.rules.nodes).toEqual([...rules].reverse().map((rule) => ({ id: rule, ipPolicy: { id } })));
    expect(ipPolicy.restrictions.nodes.map((restriction: { id: string }) => restriction.id)).toEqual(
      [...restrictions].reverse(),
    );
    for (const { ipPolicies } of ipPolicy.restrictions.nodes) expect(ipPolicies[1]).toEqual({ id });
  });
});

describe('ipPolicyRules', () => {
  test('lists and counts only the rules of one policy where it is named', async () => {
    const [one, two] = [await newPolicy(), await newPolicy()];
    const rules = [await newRule(one), await newRule(one), await newRule(one)];
    await newRule(two);
    const query = `query ($after: ID) {
      ipPolicyRules(ipPolicyId: "${one}", first: 2, after: $after) {
        totalCount nodes { id } pageInfo { hasNextPage endCursor }
      }
    }`;
    const first = dataOf(await service.graphql(query)).ipPolicyRules;
    expect(first).toEqual({
      totalCount: 3,
      nodes: [{ id: rules[2] }, { id: rules[1] }],
      pageInfo: { hasNextPage: true, endCursor: rules[1] },
    });
    const second = await service.graphql(query, { after: first.pageInfo.endCursor });
    expect(dataOf(second).ipPolicyRules).toEqual({
      totalCount: 3,
      nodes: [{ id: rules[0] }],
      pageInfo: { hasNextPage: false, endCursor: rules[0] },
    });
  });

  test.each(['nonsense', '', 'ipr_01m7xc4kkme5vapgx722vcdxqm'])('refuses the policy "%s"', async (ipPolicyId) => {
    const query = 'query ($ipPolicyId: ID) { ipPolicyRules(ipPolicyId: $ipPolicyId) { totalCount } }';
    const { errors } = await service.graphql(query, { ipPolicyId });
    expect(errors?.map(({ message, extensions }) => [message, extensions])).toEqual([
      ['ipPolicyId: must be an identifier with the prefix "ipp_".', { code: 'INVALID_INPUT', field: 'ipPolicyId' }],
    ]);
  });

  test('gives no REST URL for the next page of a narrowed list, which the REST surface does not have', async () => {
    const policy = await newPolicy();
    await newRule(policy);
    await newRule(policy);
    const query =
      'query ($id: ID) { ipPolicyRules(ipPolicyId: $id, first: 1) { nextPageUri pageInfo { hasNextPage } } }';
    expect(dataOf(await service.graphql(query, { id: policy }))).toEqual({
      ipPolicyRules: { nextPageUri: null, pageInfo: { hasNextPage: true } },
    });
  });
});

describe('SQL statements', () => {
  test('of nested queries do not grow with the number of objects', async () => {
    const query = `{
      ipPolicies(first: 20) { totalCount nodes { id rules { nodes { id ipPolicy { id } } } restrictions(first: 20) { nodes { id ipPolicies { id rules(first: 20) { nodes { id } } } } } } }
      ipPolicyRules { nodes { ipPolicy { restrictions { nodes { id } } } } }
    }`;
    const grow = async () => {
      const policies = [await newPolicy(), await newPolicy()];
      for (const policy of policies) {
        await newRule(policy);
        await newRule(policy);
      }
      const input = { type: 'endpoints', ip_policy_ids: policies };
      expect((await service.rest('POST', '/ip_restrictions', input)).status).toBe(201);
    };
    const ask = async () => dataOf(await service.graphql(query));
    // A list of one element is read by different statements than a longer list.
    await grow();
    await grow();
    const few = await countStatements(service, ask);
    for (let times = 0; times < 4; times += 1) await grow();
    expect(await countStatements(service, ask)).toBe(few);
    expect(few).toBeLessThanOrEqual(21);
  });

  test('of a list on the REST surface are one, and one for each kind of relation and the objects with it', async () => {
    for (let made = 0; made < 5; made += 1) await newRule(await newPolicy());
    await service.rest('GET', '/ip_policies');
    expect(await countStatements(service, () => service.rest('GET', '/ip_policies'))).toBe(1);
    expect(await countStatements(service, () => service.rest('GET', '/ip_policy_rules'))).toBe(1);
  });
});
