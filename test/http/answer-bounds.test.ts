// The cost of one answer is bounded while the answer is made, whatever it consists of; and an account that asks for much delays no
// other account.

import { buildClientSchema, getIntrospectionQuery } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { answerBytesMax, errorsMax, messageCharactersMax, nameCharactersMax } from '../../src/load/limits.ts';
import { execute } from '../support/database.ts';
import { onOneEngine } from '../support/one-engine.ts';
import { type Client, startService, type TestService } from '../support/service.ts';
import { statementsOf, tablesRead } from '../support/statements.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const codesOf = async (query: string, client: Client = service) =>
  (await client.graphql(query)).errors?.map(({ extensions }) => extensions.code);
const aliases = (count: number, field: (place: number) => string) =>
  Array.from({ length: count }, (_, index) => field(index)).join(' ');

/** Creates policies, and restrictions that refer to all of them. */
async function fill(client: Client, policyCount: number, restrictionCount: number): Promise<string[]> {
  const create = (path: string, body: object) => client.rest('POST', path, body);
  const policies = await Promise.all(Array.from({ length: policyCount }, () => create('/ip_policies', {})));
  const ids = policies.map(({ body }) => body.id as string);
  const restriction = { type: 'endpoints', ip_policy_ids: ids };
  await Promise.all(Array.from({ length: restrictionCount }, () => create('/ip_restrictions', restriction)));
  return ids;
}

onOneEngine(() => {
  describe('introspection', () => {
    /** The attack from an issue: `count` aliases on each of three levels. */
    const attack = (count: number) =>
      `{ __schema { ${aliases(count, (place) => `a${place}: types { ...A }`)} } }
       fragment A on __Type { ${aliases(count, (place) => `b${place}: fields { ...B }`)} }
       fragment B on __Field { type { ofType { ${aliases(count, (place) => `c${place}: fields { name }`)} } } }`;

    test.each([3, 4, 6, 10, 40])('is refused before it is executed with %i aliases on each level', async (count) => {
      const { data, errors } = await service.graphql(attack(count));
      expect([data, errors?.map(({ extensions }) => extensions.code)]).toEqual([undefined, ['QUERY_TOO_COMPLEX']]);
    });

    /** Older tools follow `ofType` less deeply, and ask for less. */
    const olderTypeReference = (levels: number): string =>
      levels === 0 ? 'kind name' : `kind name ofType { ${olderTypeReference(levels - 1)} }`;
    const olderTools = (levels: number) => `query IntrospectionQuery {
      __schema { queryType { name } mutationType { name } subscriptionType { name } types { ...FullType }
        directives { name description locations args { ...InputValue } } } }
      fragment FullType on __Type { kind name description fields(includeDeprecated: true) { name description
        args { ...InputValue } type { ...TypeRef } isDeprecated deprecationReason } inputFields { ...InputValue }
        interfaces { ...TypeRef } enumValues(includeDeprecated: true) { name description isDeprecated deprecationReason }
        possibleTypes { ...TypeRef } }
      fragment InputValue on __InputValue { name description type { ...TypeRef } defaultValue }
      fragment TypeRef on __Type { ${olderTypeReference(levels)} }`;
    const everything = { specifiedByUrl: true, directiveIsRepeatable: true, schemaDescription: true, oneOf: true };

    test.each([
      ['of today', getIntrospectionQuery()],
      ['of today with all that can be told', getIntrospectionQuery({ ...everything, inputValueDeprecation: true })],
      ['without descriptions', getIntrospectionQuery({ descriptions: false })],
      ['of 2016', olderTools(3)],
      ['of 2018', olderTools(7)],
      ['of 2024', olderTools(9)],
    ])('is answered whole to the tools %s', async (_, query) => {
      const { data, errors } = await service.graphql(query);
      expect(errors).toBeUndefined();
      expect(Object.keys(buildClientSchema(data).getTypeMap())).toContain('IpPolicyConnection');
    });
  });
});

describe('lists', () => {
  test('whose length nobody could tell are counted before more is read', async () => {
    const own = await service.otherAccount('with long lists');
    await fill(own, 20, 70);
    // Far below the bound by the usual lengths of these lists, but actually 20 x 20 x 60 x 20 references.
    const query =
      '{ ipRestrictions(first: 20) { nodes { ipPolicies { restrictions(first: 60) { nodes { ipPolicyRefs { id } } } } } } }';
    const statements = await statementsOf(service, async () => {
      expect(new Set(await codesOf(query, own))).toEqual(new Set(['QUERY_TOO_COMPLEX']));
    });
    expect(statements.length).toBeLessThan(30);
    expect(await codesOf(query.replaceAll('0)', ')'), own)).toBeUndefined();
  });

  test('that ask for too many objects together are not read at all', async () => {
    const pages = (sizes: readonly number[]) =>
      `{ ${sizes.map((size, index) => `a${index}: tlsEdges(first: ${size}) { nodes { policy { enabled } } }`).join(' ')} }`;
    const statements = await statementsOf(service, async () => {
      const sizes = Array.from({ length: 60 }, (_, index) => index + 41);
      expect(new Set(await codesOf(pages(sizes)))).toEqual(new Set(['QUERY_TOO_COMPLEX']));
    });
    // Of the first list alone, the ids of its page may have been read.
    expect(statements.length).toBeLessThan(4);
    expect(await codesOf(pages(Array.from({ length: 10 }, () => 100)))).toBeUndefined();
  });

  test.each(['node', 'tlsEdge'])('and look-ups by %s are bounded together', async (field) => {
    const { body } = await service.rest('POST', '/edges/tls', {});
    const lookups = (count: number) =>
      `{ ${aliases(count, (place) => `a${place}: ${field}(id: "${body.id}") { id }`)} }`;
    expect(await codesOf(lookups(50))).toBeUndefined();
    expect(new Set(await codesOf(lookups(51)))).toEqual(new Set(['QUERY_TOO_COMPLEX']));
  });

  test('of objects with large parts read no more of these than is answered', async () => {
    const own = await service.otherAccount('with a large policy');
    const { body } = await own.rest('POST', '/edges/tls', {});
    const actions = [{ type: 'custom', config: { text: 'x'.repeat(2_400) } }];
    await own.rest('PUT', `/edges/tls/${body.id}/policy`, { inbound: [{ actions }] });
    const statements = await statementsOf(service, async () => {
      expect(await codesOf('{ tlsEdges { nodes { policy { enabled } } } }', own)).toBeUndefined();
    });
    expect(statements.filter((sql) => sql.includes('inbound'))).toEqual([]);
  });

  test('inside of objects are read as far as they are asked for', async () => {
    const [first = '', second = ''] = await fill(service, 2, 0);
    for (const policy of [first, second]) {
      for (let number = 0; number < 9; number += 1) {
        const rule = { ip_policy_id: policy, cidr: `10.${number}.0.0/16`, action: 'allow' };
        await service.rest('POST', '/ip_policy_rules', rule);
      }
    }
    const query = '{ ipPolicies(first: 2) { nodes { id rules(first: 3) { nodes { cidr ipPolicy { id } } } } } }';
    const rulesOf = (id: string) => ({
      id,
      rules: { nodes: ['10.8.0.0/16', '10.7.0.0/16', '10.6.0.0/16'].map((cidr) => ({ cidr, ipPolicy: { id } })) },
    });
    const tables = await tablesRead(service, async () => {
      expect((await service.graphql(query)).data.ipPolicies.nodes).toEqual([rulesOf(second), rulesOf(first)]);
    });
    // For the rules, first the ids are read, three for each policy, and then the rows. Of their policies only the id is asked for.
    expect(tables).toEqual(['IpPolicy', 'IpPolicyRule', 'IpPolicyRule']);
  });
});

onOneEngine(() => {
  describe('the text of an answer', () => {
    test('counts, however often it is asked for under other names', async () => {
      const query = (count: number) =>
        `{ ipPolicies(first: 100) { nodes { ${aliases(count, (place) => `a${place}: metadata`)} } } }`;
      expect(await codesOf(query(490))).toEqual(['QUERY_TOO_COMPLEX']);
      expect(await codesOf(query(10))).toBeUndefined();
    });

    test('is bounded in bytes of JSON, in which a character may take six', async () => {
      const own = await service.otherAccount('with control characters');
      const metadata = '\u0001'.repeat(4_096);
      await Promise.all(Array.from({ length: 100 }, () => own.rest('POST', '/ip_policies', { metadata })));
      const query = (count: number) =>
        `{ ipPolicies(first: 100) { nodes { ${aliases(count, (place) => `a${place}: metadata`)} } } }`;
      const { data } = await own.graphql(query(2));
      expect(data.ipPolicies.nodes).toHaveLength(100);
      expect(data.ipPolicies.nodes[99].a1).toBe(metadata);
      const { data: none, errors } = await own.graphql(query(30));
      expect([none, errors]).toEqual([
        undefined,
        [
          {
            message: `The answer has more than ${answerBytesMax} bytes. Ask for smaller pages or fewer fields.`,
            extensions: { code: 'QUERY_TOO_COMPLEX' },
          },
        ],
      ]);
    });

    test('comes whole and in order where it is large, on both surfaces, beside errors too', async () => {
      const own = await service.otherAccount('with large policies');
      const config = { text: 'é"\n'.repeat(20_000), list: [1, 2.5, null, true, { deep: [[]] }] };
      const rules = [{ name: 'large', expressions: ['true'], actions: [{ type: 'custom', config }] }];
      const edges = await Promise.all(Array.from({ length: 8 }, () => own.rest('POST', '/edges/tls', {})));
      for (const { body } of edges) await own.rest('PUT', `/edges/tls/${body.id}/policy`, { inbound: rules });
      const { body } = await own.rest('GET', '/edges/tls');
      expect(body.tls_edges.map(({ policy }: { policy: unknown }) => policy)).toEqual(
        edges.map(() => ({ enabled: true, inbound: rules, outbound: null })),
      );
      expect(Object.keys(body)).toEqual(['tls_edges', 'uri', 'next_page_uri']);
      const fields = 'name expressions actions { type config }';
      const query = `{ tlsEdges { nodes { policy { inbound { ${fields} } } } } node(id: "nonsense") { id } }`;
      const { data, errors } = await own.graphql(query);
      expect([errors, data.node]).toEqual([undefined, null]);
      expect(data.tlsEdges.nodes).toEqual(edges.map(() => ({ policy: { inbound: rules } })));
      // A client that also accepts multipart answers gets the same.
      const either = await fetch(`${service.url}/graphql`, {
        method: 'POST',
        headers: {
          Authorization: `Bearer ${own.token}`,
          'Content-Type': 'application/json',
          Accept: 'multipart/mixed, application/json;q=0.9',
        },
        body: JSON.stringify({ query }),
      });
      expect(either.headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(await either.json()).toEqual({ data });
    });
  });
});

test('a page of edges whose policies are as large as they may be is answered whole, on both surfaces', async () => {
  const own = await service.otherAccount('with the largest policies');
  const actions = [{ type: 'custom', config: { text: 'x'.repeat(2_400) } }];
  const inbound = Array.from({ length: 100 }, (_, index) => ({
    name: `rule ${index}`,
    expressions: ['true'],
    actions,
  }));
  const { body: whole } = await own.rest('POST', '/edges/tls', {});
  expect((await own.rest('PUT', `/edges/tls/${whole.id}/policy`, { inbound })).status).toBe(200);
  const others = await Promise.all(Array.from({ length: 59 }, () => own.rest('POST', '/edges/tls', {})));
  // The same policy for the others, without the time that checking it takes.
  const columns = '"accountId", "enabled", "inbound", "outbound"';
  const copies = others.map(
    ({ body }) =>
      `INSERT INTO "TlsPolicyModule" ("edgeId", ${columns})
       SELECT '${body.id}', ${columns} FROM "TlsPolicyModule" WHERE "edgeId" = '${whole.id}'`,
  );
  await execute(service.database, ...copies);
  const query = '{ tlsEdges { nodes { policy { inbound { name expressions actions { type config } } } } } }';
  const { data, errors } = await own.graphql(query);
  expect([errors, data.tlsEdges.nodes.length, data.tlsEdges.nodes[59]]).toEqual([
    undefined,
    60,
    { policy: { inbound } },
  ]);
  const answer = await fetch(`${service.url}/edges/tls`, {
    headers: { Authorization: `Bearer ${own.token}`, 'Service-Version': '2' },
  });
  const { tls_edges: edges } = await answer.json();
  expect([answer.status, edges.length, edges[59].policy.inbound]).toEqual([200, 60, inbound]);
});

onOneEngine(() => {
  describe('errors', () => {
    test('say where they stand, but in documents of so many lines that finding out would be the most work', async () => {
      const behind = async (lines: number) => (await service.graphql(`{${'\n'.repeat(lines)} nothing }`)).errors?.[0];
      expect(await behind(990)).toMatchObject({ locations: [{ line: 991, column: 2 }] });
      const { locations, extensions } = { locations: undefined, ...(await behind(1_001)) };
      expect([locations, extensions?.code]).toEqual([undefined, 'GRAPHQL_INVALID']);
    });

    test('are bounded in number and length, whatever a document is made of', async () => {
      const name = 'x'.repeat(nameCharactersMax);
      const { errors = [] } = await service.graphql(
        `query ${name} { ${aliases(400, (place) => `${name}: nothing${place}`)} }`,
      );
      expect(errors.length).toBeLessThanOrEqual(errorsMax + 1);
      for (const { message } of errors) expect(message.length).toBeLessThanOrEqual(messageCharactersMax + 3);
      const { errors: executed = [] } = await service.graphql(
        `{ ${aliases(200, (place) => `a${place}: ipPolicy(id: "ipp_00000000000000000000000000") { id }`)} }`,
      );
      expect(executed.length).toBeLessThanOrEqual(errorsMax);
    });

    test.each([
      ['an operation', (name: string) => `query ${name} { viewer { account { id } } }`],
      ['an alias', (name: string) => `{ ${name}: viewer { account { id } } }`],
      ['a field', (name: string) => `{ ${name} }`],
      ['a variable', (name: string) => `query ($${name}: Int) { ipPolicies(first: $${name}) { uri } }`],
    ])('do not repeat a long name of %s', async (_, document) => {
      const { errors } = await service.graphql(document('n'.repeat(100_000)));
      expect(errors).toEqual([
        {
          message: `A name in a document may have at most ${nameCharactersMax} characters.`,
          extensions: { code: 'GRAPHQL_SYNTAX' },
        },
      ]);
    });

    test('tell of too many comments instead of reading all of them', async () => {
      expect(await codesOf(`{ viewer { account { id } } }${'\n#'.repeat(300_000)}`)).toEqual(['GRAPHQL_SYNTAX']);
      expect(await codesOf(`{ viewer { account { id } } }${'\n# why'.repeat(400)}`)).toBeUndefined();
    });
  });

  describe('a key `then`, which JavaScript takes for a promise', () => {
    const config = JSON.parse('{ "then": 1, "catch": null, "finally": { "then": "x" } }');

    test('comes back in client-owned JSON, alone and in lists, on both surfaces', async () => {
      const own = await service.otherAccount('with promises');
      const { body: edge } = await own.rest('POST', '/edges/tls', {});
      const inbound = [{ name: null, expressions: null, actions: [{ type: 'custom', config }] }];
      const answer = await own.rest('PUT', `/edges/tls/${edge.id}/policy`, { inbound });
      expect([answer.status, answer.body.inbound]).toEqual([200, inbound]);
      expect((await own.rest('GET', `/edges/tls/${edge.id}/policy`)).body.inbound).toEqual(inbound);
      expect((await own.rest('GET', `/edges/tls/${edge.id}`)).body.policy.inbound).toEqual(inbound);
      expect((await own.rest('GET', '/edges/tls')).body.tls_edges[0].policy.inbound).toEqual(inbound);
      const labels = JSON.parse('{ "then": "x" }');
      const { body: backend } = await own.rest('POST', '/backends/tunnel_group', { labels });
      expect(backend.labels).toEqual(labels);
      expect((await own.rest('GET', '/backends/tunnel_group')).body.backends[0].labels).toEqual(labels);
      const { data } = await own.graphql(
        '{ tunnelGroupBackends { nodes { labels then: id } } then: viewer { account { name } } }',
      );
      expect(JSON.stringify(data)).toBe(
        `{"tunnelGroupBackends":{"nodes":[{"labels":{"then":"x"},"then":"${backend.id}"}]},` +
          `"then":{"account":{"name":"with promises"}}}`,
      );
      expect(service.failures).toEqual([]);
    });

    test.each(['then', 'catch', '__proto__'])(
      'is refused beside the parameters of a GraphQL request: %s',
      async (name) => {
        const answer = await fetch(`${service.url}/graphql`, {
          method: 'POST',
          headers: { Authorization: `Bearer ${service.token}`, 'Content-Type': 'application/json' },
          body: `{ "query": "{ __typename }", "${name}": 1 }`,
        });
        const { errors } = await answer.json();
        expect([answer.status, errors[0].extensions.code]).toEqual([400, 'BAD_REQUEST']);
        expect(service.failures).toEqual([]);
      },
    );
  });
});

onOneEngine(() => {
  test('who asks for large answers does not keep another account waiting for a small one', async () => {
    const [greedy, modest] = [await service.otherAccount('greedy'), await service.otherAccount('modest')];
    const metadata = 'm'.repeat(4_096);
    await Promise.all(Array.from({ length: 100 }, () => greedy.rest('POST', '/ip_policies', { metadata })));
    const query = `{ ipPolicies(first: 100) { nodes { ${aliases(40, (place) => `a${place}: metadata`)} } } }`;
    const done: string[] = [];
    const large = Array.from({ length: 5 }, async () => {
      const { data } = await greedy.graphql(query);
      expect(data.ipPolicies.nodes).toHaveLength(100);
      done.push('large');
    });
    const small = Array.from({ length: 8 }, async () => {
      expect((await modest.rest('GET', '/ip_policies')).status).toBe(200);
      done.push('small');
    });
    await Promise.all([...large, ...small]);
    // Two large answers are made at once; the small ones were requested after all the large ones.
    expect(done.slice(0, 9).filter((what) => what === 'small')).toHaveLength(8);
  });
});
