// Lists inside objects as connections: pages, counts, and one statement for the lists of many objects.

import { beforeAll, describe, expect, test } from 'vitest';
import { startService, type TestService } from '../support/service.ts';
import { statementsOf } from '../support/statements.ts';

let service: TestService;
let policy: string;
let empty: string;
/** The rules of the policy, newest first. */
const rules: string[] = [];
beforeAll(async () => {
  service = await startService();
  empty = (await service.rest('POST', '/ip_policies', {})).body.id;
  policy = (await service.rest('POST', '/ip_policies', {})).body.id;
  for (let number = 0; number < 5; number += 1) {
    const rule = { ip_policy_id: policy, cidr: `10.${number}.0.0/16`, action: 'allow' };
    rules.unshift((await service.rest('POST', '/ip_policy_rules', rule)).body.id);
  }
});

const page = `totalCount uri nextPageUri pageInfo { hasNextPage hasPreviousPage startCursor endCursor } nodes { id } edges { cursor node { id } }`;

interface Args {
  first?: number;
  last?: number;
  after?: string;
  before?: string;
}

async function rulesOf(args: Args) {
  const query = `query ($id: ID!, $first: Int, $last: Int, $after: ID, $before: ID) {
    ipPolicy(id: $id) { rules(first: $first, last: $last, after: $after, before: $before) { ${page} } } }`;
  const { data, errors } = await service.graphql(query, { id: policy, ...args });
  expect(errors).toBeUndefined();
  const { nodes, edges, ...others } = data.ipPolicy.rules;
  expect(edges.map(({ node }: { node: object }) => node)).toEqual(nodes);
  return {
    ids: nodes.map(({ id }: { id: string }) => id),
    cursors: edges.map(({ cursor }: { cursor: string }) => cursor),
    ...others,
  };
}

describe('a page', () => {
  test('has what is asked for, its place, and the number of all', async () => {
    const [a, b, c, d, e] = rules;
    expect(await rulesOf({ first: 2 })).toEqual({
      ids: [a, b],
      cursors: [a, b],
      totalCount: 5,
      uri: 'https://sallyport.test/ip_policy_rules',
      nextPageUri: null,
      pageInfo: { hasNextPage: true, hasPreviousPage: false, startCursor: a, endCursor: b },
    });
    expect(await rulesOf({ first: 2, after: b ?? '' })).toMatchObject({
      ids: [c, d],
      pageInfo: { hasNextPage: true, hasPreviousPage: true },
    });
    expect(await rulesOf({ first: 2, after: d ?? '' })).toMatchObject({ ids: [e], pageInfo: { hasNextPage: false } });
    expect(await rulesOf({ last: 2 })).toMatchObject({
      ids: [d, e],
      totalCount: 5,
      pageInfo: { hasNextPage: false, hasPreviousPage: true, startCursor: d, endCursor: e },
    });
    expect(await rulesOf({ last: 2, before: d ?? '' })).toMatchObject({
      ids: [b, c],
      pageInfo: { hasNextPage: true, hasPreviousPage: true },
    });
    expect(await rulesOf({ after: a ?? '', before: d ?? '' })).toMatchObject({ ids: [b, c], totalCount: 5 });
    expect(await rulesOf({})).toMatchObject({ ids: rules, pageInfo: { hasNextPage: false, hasPreviousPage: false } });
  });

  test('of nothing is empty', async () => {
    const { data } = await service.graphql(`{ ipPolicy(id: "${empty}") { rules { ${page} } } }`);
    expect(data.ipPolicy.rules).toMatchObject({
      nodes: [],
      totalCount: 0,
      pageInfo: { hasNextPage: false, hasPreviousPage: false, startCursor: null, endCursor: null },
    });
  });

  test('goes on exactly after an object that is gone', async () => {
    const rule = { ip_policy_id: policy, cidr: '172.16.0.0/16', action: 'allow' };
    const { body } = await service.rest('POST', '/ip_policy_rules', rule);
    await service.rest('DELETE', `/ip_policy_rules/${body.id}`);
    expect((await rulesOf({ first: 1, after: body.id })).ids).toEqual([rules[0]]);
  });

  test.each([
    ['first: 0', 'first'],
    ['first: 101', 'first'],
    ['last: 0', 'last'],
    ['first: 1, last: 1', 'last'],
    ['after: "nonsense"', 'after'],
    ['before: "ipp_01h455vb4pex5vsknk084sn02q"', 'before'],
  ])('with %s is refused, and the field alone', async (args, field) => {
    const { data, errors } = await service.graphql(`{ ipPolicy(id: "${policy}") { rules(${args}) { nodes { id } } } }`);
    expect(data).toEqual({ ipPolicy: null });
    expect(errors?.map(({ extensions }) => extensions)).toEqual([{ code: 'INVALID_INPUT', field }]);
  });
});

describe('the history of an object', () => {
  const history = async (args: string) => {
    const fields = 'pageInfo { hasNextPage endCursor } totalCount nodes { version }';
    return service.graphql(`{ ipPolicy(id: "${empty}") { history(${args}) { ${fields} } } }`);
  };

  test('pages by versions', async () => {
    for (const description of ['b', 'c', 'd']) await service.rest('PATCH', `/ip_policies/${empty}`, { description });
    const { data } = await history('first: 2');
    expect(data.ipPolicy.history).toMatchObject({ totalCount: 4, nodes: [{ version: 4 }, { version: 3 }] });
    const { endCursor } = data.ipPolicy.history.pageInfo;
    expect((await history(`first: 5, after: "${endCursor}"`)).data.ipPolicy.history).toEqual({
      totalCount: 4,
      nodes: [{ version: 2 }, { version: 1 }],
      pageInfo: { hasNextPage: false, endCursor: '1' },
    });
  });

  test.each(['"-1"', '"1.5"', '"9999999999"', '""', '"evt_01h455vb4pex5vsknk084sn02q"'])(
    'refuses %s as a cursor',
    async (after) => {
      const { errors } = await history(`after: ${after}`);
      expect(errors?.map(({ extensions }) => extensions)).toEqual([{ code: 'INVALID_INPUT', field: 'after' }]);
    },
  );
});

describe('the lists of all objects of a page', () => {
  test('are read by one statement, and their objects by another', async () => {
    const statements = await statementsOf(service, async () => {
      const { data } = await service.graphql('{ ipPolicies { nodes { id rules(first: 2) { nodes { id } } } } }');
      expect(data.ipPolicies.nodes).toEqual([
        { id: policy, rules: { nodes: rules.slice(0, 2).map((id) => ({ id })) } },
        { id: empty, rules: { nodes: [] } },
      ]);
    });
    expect(statements.filter((sql) => sql.includes('IpPolicyRule'))).toHaveLength(2);
  });

  test('are counted by one statement, and no object is read for that', async () => {
    const statements = await statementsOf(service, async () => {
      const { data } = await service.graphql('{ ipPolicies { nodes { id rules { totalCount } } } }');
      expect(data.ipPolicies.nodes).toEqual([
        { id: policy, rules: { totalCount: 5 } },
        { id: empty, rules: { totalCount: 0 } },
      ]);
    });
    expect(statements.filter((sql) => sql.includes('IpPolicyRule'))).toHaveLength(1);
  });

  test('may be counted for a whole page of objects', async () => {
    const { errors } = await service.graphql(
      '{ ipPolicies(first: 100) { totalCount nodes { rules { totalCount } restrictions { totalCount } history { totalCount } } } }',
    );
    expect(errors).toBeUndefined();
  });

  test('differ for objects of several types under one name', async () => {
    const { body: edge } = await service.rest('POST', '/edges/tls', {});
    const query = `query ($ids: [ID!]!) { nodes(ids: $ids) {
      ... on IpPolicy { list: history(first: 1) { nodes { version } } }
      ... on TlsEdge { list: history(last: 5) { nodes { action } } } } }`;
    expect((await service.graphql(query, { ids: [policy, edge.id] })).data.nodes).toEqual([
      { list: { nodes: [{ version: 1 }] } },
      { list: { nodes: [{ action: 'create' }] } },
    ]);
  });
});

test('the other lists are pages as well', async () => {
  const restrict = async () =>
    (await service.rest('POST', '/ip_restrictions', { type: 'agent', ip_policy_ids: [policy] })).body.id;
  const restrictions = [await restrict(), await restrict()].reverse();
  const backend = (await service.rest('POST', '/backends/tunnel_group', {})).body.id;
  const edges: string[] = [];
  for (let number = 0; number < 2; number += 1) {
    const edge = (await service.rest('POST', '/edges/tls', {})).body.id;
    await service.rest('PUT', `/edges/tls/${edge}/backend`, { backend_id: backend });
    edges.unshift(edge);
  }
  const query = `query ($ids: [ID!]!) { nodes(ids: $ids) {
    ... on IpPolicy { list: restrictions(first: 1) { ...Page } }
    ... on TunnelGroupBackend { list: tlsEdges(first: 1) { ...Page2 } } } }
    fragment Page on IpRestrictionConnection { totalCount nodes { id } pageInfo { hasNextPage endCursor } }
    fragment Page2 on TlsEdgeConnection { totalCount nodes { id } pageInfo { hasNextPage endCursor } }`;
  const { data, errors } = await service.graphql(query, { ids: [policy, backend] });
  expect(errors).toBeUndefined();
  expect(data.nodes.map(({ list }: { list: object }) => list)).toEqual(
    [restrictions[0], edges[0]].map((id) => ({
      totalCount: 2,
      nodes: [{ id }],
      pageInfo: { hasNextPage: true, endCursor: id },
    })),
  );
});
