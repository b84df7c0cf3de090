// IP policies and their rules in GraphQL.

import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { dataOf, errorOf } from '../../support/answers.ts';
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

describe('createIpPolicy', () => {
  test('answers with every field of the new policy', async () => {
    service = await ownService();
    const input = { description: 'office', metadata: '{"a":1}' };
    const selection = `ipPolicy {
      __typename id uri createdAt description metadata version rules { nodes { id } } restrictions { nodes { id } }
    }`;
    expect(dataOf(await mutate('createIpPolicy', input, selection))).toEqual({
      createIpPolicy: {
        ipPolicy: {
          __typename: 'IpPolicy',
          id: 'ipp_01m7xc4kkmepqbszdn9mnvx5t8',
          uri: 'https://sallyport.test/ip_policies/ipp_01m7xc4kkmepqbszdn9mnvx5t8',
          createdAt: '2026-11-20T21:00:00Z',
          description: 'office',
          metadata: '{"a":1}',
          version: 1,
          rules: { nodes: [] },
          restrictions: { nodes: [] },
        },
      },
    });
  });
});

describe('updateIpPolicy', () => {
  const update = (input: object) => mutate('updateIpPolicy', input, 'ipPolicy { description metadata version }');

  test('keeps what is left out, clears with null or empty text, and counts the changes', async () => {
    const id = await newPolicy({ description: 'a', metadata: 'b' });
    const answers = [
      await update({ id, description: 'new' }),
      await update({ id, metadata: null }),
      await update({ id, description: '' }),
    ];
    expect(answers.map((answer) => dataOf(answer).updateIpPolicy.ipPolicy)).toEqual([
      { description: 'new', metadata: 'b', version: 2 },
      { description: 'new', metadata: '', version: 3 },
      { description: '', metadata: '', version: 4 },
    ]);
  });

  test('goes through with the expected version, and is refused with another one', async () => {
    const id = await newPolicy();
    expect(dataOf(await update({ id, description: 'a', expectedVersion: 1 })).updateIpPolicy.ipPolicy.version).toBe(2);
    expect(errorOf(await update({ id, description: 'b', expectedVersion: 1 }))).toEqual({
      code: 'VERSION_CONFLICT',
      message: 'The object has changed; it is at version 2. Read it again and retry the change.',
    });
    expect((await service.rest('GET', `/ip_policies/${id}`)).body.description).toBe('a');
  });

  test('answers with relations as they are after the change', async () => {
    const id = await newPolicy();
    const rule = await newRule(id);
    const answer = await mutate('updateIpPolicy', { id, description: 'new' }, 'ipPolicy { rules { nodes { id } } }');
    expect(dataOf(answer).updateIpPolicy.ipPolicy.rules).toEqual({ nodes: [{ id: rule }] });
  });
});

describe('deleteIpPolicy', () => {
  const remove = (input: object) => mutate('deleteIpPolicy', input, 'deletedId');

  test('answers with the id, and is NOT_FOUND the second time', async () => {
    const id = await newPolicy();
    expect(dataOf(await remove({ id }))).toEqual({ deleteIpPolicy: { deletedId: id } });
    expect(errorOf(await remove({ id }))).toEqual({ code: 'NOT_FOUND', message: 'No such object in this account.' });
  });
});

describe('createIpPolicyRule', () => {
  const create = (input: object) => mutate('createIpPolicyRule', input, 'ipPolicyRule { id }');

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

  test('suggests the lowest address of a range', async () => {
    const input = { ipPolicyId: await newPolicy(), cidr: '10.1.2.3/8', action: 'allow' };
    expect(errorOf(await create(input))).toEqual({
      code: 'INVALID_INPUT',
      field: 'cidr',
      message: 'cidr: must start at the lowest address of its range: write 10.0.0.0/8.',
    });
  });

  test('refuses an equal range that is written differently', async () => {
    const ipPolicyId = await newPolicy();
    await newRule(ipPolicyId, { cidr: '2001:db8::/32' });
    expect(errorOf(await create({ ipPolicyId, cidr: '2001:0DB8::/32', action: 'deny' }))).toEqual({
      code: 'DUPLICATE',
      field: 'cidr',
      message: 'cidr: The policy already has a rule for this range. Update or delete that one.',
    });
  });
});

describe('updateIpPolicyRule', () => {
  const update = (input: object) => mutate('updateIpPolicyRule', input, 'ipPolicyRule { cidr action version }');

  test('changes range and action, and keeps them with null', async () => {
    const id = await newRule(await newPolicy(), { cidr: '10.0.0.0/8' });
    expect(dataOf(await update({ id, cidr: null, action: 'deny' })).updateIpPolicyRule.ipPolicyRule).toEqual({
      cidr: '10.0.0.0/8',
      action: 'deny',
      version: 2,
    });
    expect(dataOf(await update({ id, cidr: '11.0.0.0/8', action: null })).updateIpPolicyRule.ipPolicyRule).toEqual({
      cidr: '11.0.0.0/8',
      action: 'deny',
      version: 3,
    });
  });
});

describe('deleteIpPolicyRule', () => {
  test('answers with the id, and the policy is without it', async () => {
    const policy = await newPolicy();
    const id = await newRule(policy);
    expect(dataOf(await mutate('deleteIpPolicyRule', { id }, 'deletedId'))).toEqual({
      deleteIpPolicyRule: { deletedId: id },
    });
    expect(dataOf(await service.graphql(`{ ipPolicy(id: "${policy}") { rules { nodes { id } } } }`))).toEqual({
      ipPolicy: { rules: { nodes: [] } },
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

  test('lists all rules of the account with null', async () => {
    await newRule(await newPolicy());
    await newRule(await newPolicy());
    expect(dataOf(await service.graphql('{ ipPolicyRules(ipPolicyId: null) { totalCount } }'))).toEqual({
      ipPolicyRules: { totalCount: 2 },
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
