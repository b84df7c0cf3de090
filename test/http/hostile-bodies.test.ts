// Bodies that fit into 1 MiB and are designed to be expensive: each is answered for little CPU, on both surfaces, and everything
// that an honest client may send is still accepted.

import { beforeAll, describe, expect, test } from 'vitest';
import { processorTime } from '../support/processor.ts';
import { startService, type TestService } from '../support/service.ts';
import { send, type WireAnswer } from './wire.ts';

let service: TestService;
let tlsEdgeId: string;
let routeId: string;
let samlPath: string;
let edgeId: string;
beforeAll(async () => {
  service = await startService();
  tlsEdgeId = (await service.rest('POST', '/edges/tls', {})).body.id;
  const { body: edge } = await service.rest('POST', '/edges/https', {});
  const { body: route } = await service.rest('POST', `/edges/https/${edge.id}/routes`, {
    match_type: 'path_prefix',
    match: '/',
  });
  routeId = route.id;
  samlPath = `/edges/https/${edge.id}/routes/${routeId}/saml`;
  edgeId = edge.id;
});

const many = (count: number, item: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => item(index));
const list = (count: number, item: (index: number) => string) => `[${many(count, item)}]`;

function call(method: string, path: string, body: string): Promise<WireAnswer> {
  const headers = {
    authorization: `Bearer ${service.token}`,
    'service-version': '2',
    'content-type': 'application/json',
  };
  return send(service.url, path, { method, headers, body });
}

/** Most that a hostile body may cost: twice the measured cost of the most expensive one. */
const parsingsMax = 3;
/** A megabyte of JSON with neither many nor few values. */
const plainJson = list(55_000, (i) => `{"key":"${i}"}`);

/**
 * Sends a request several times; returns the answer and the CPU that it took, as a multiple of the time to parse a megabyte of
 * plain JSON. The minimum of each counts, because the first runs compile their code; both are measured in turn, because other
 * programs slow both down. Expensive requests are repeated more often, because more runs can only lower the minimum.
 */
async function costOf(ask: () => Promise<WireAnswer>) {
  let answer = await ask();
  let [least, unit] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let run = 0; run < 2 || (run < 6 && least / unit > parsingsMax / 2); run += 1) {
    unit = Math.min(unit, (await processorTime(() => JSON.parse(plainJson))).ms);
    const { ms, result } = await processorTime(ask);
    least = Math.min(least, ms);
    answer = result;
  }
  return { parsings: least / unit, answer };
}

/** An operation on both surfaces, with its input as JSON text. */
interface Operation {
  rest: [method: string, path: () => string];
  mutation: string;
  variables: (input: string) => string;
}

const policy: Operation = {
  rest: ['PUT', () => `/edges/tls/${tlsEdgeId}/policy`],
  mutation: 'mutation ($input: ReplaceTlsEdgePolicyInput!) { replaceTlsEdgePolicy(input: $input) { tlsEdge { id } } }',
  variables: (input) => `{"input":{"edgeId":"${tlsEdgeId}",${input.slice(1)}}`,
};
const hostports: Operation = {
  rest: ['POST', () => '/edges/tls'],
  mutation: 'mutation ($input: CreateTlsEdgeInput!) { createTlsEdge(input: $input) { tlsEdge { id } } }',
  variables: (input) => `{"input":${input}}`,
};
const backend: Operation = {
  rest: ['POST', () => '/backends/tunnel_group'],
  mutation:
    'mutation ($input: CreateTunnelGroupBackendInput!) { createTunnelGroupBackend(input: $input) { __typename } }',
  variables: (input) => `{"input":${input}}`,
};
const saml: Operation = {
  rest: ['PUT', () => samlPath],
  mutation: 'mutation ($input: ReplaceSamlModuleInput!) { replaceSamlModule(input: $input) { httpsEdgeRoute { id } } }',
  variables: (input) => {
    const { idp_metadata: idpMetadata } = JSON.parse(input);
    return JSON.stringify({ input: { edgeId, routeId, idpMetadata } });
  },
};

const config = (json: string) => `{"inbound":[{"actions":[{"type":"x","config":${json}}]}]}`;
const expressions = (texts: string) => `{"inbound":[{"actions":[{"type":"deny"}],"expressions":${texts}}]}`;
const metadataOf = (content: string) =>
  `<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="https://idp">${content}</EntityDescriptor>`;
const samlOf = (content: string) => JSON.stringify({ idp_metadata: metadataOf(content) });
const levels = (count: number, namespaces: number) =>
  many(count, (l) => `<b${many(namespaces, (n) => ` xmlns:c${l}_${n}="d"`).join('')}>`).join('') + '</b>'.repeat(count);
const expression = (index: number) => `"a.b == ${index} && c"`;

describe('a body that is made to cost much takes less CPU than to parse three megabytes of plain JSON', () => {
  test.each<[string, Operation, string, number]>([
    ['60,000 actions', policy, `{"inbound":[{"actions":${list(60_000, () => '{"type":"deny"}')}}]}`, 413],
    ['8,600 arrays nested 55 deep', policy, config(list(8_600, () => '['.repeat(55) + ']'.repeat(55))), 413],
    ['340,000 empty strings for expressions', policy, expressions(list(340_000, () => '""')), 413],
    ['340,000 empty strings for hosts', hostports, `{"hostports":${list(340_000, () => '""')}}`, 413],
    ['40,000 empty strings for hosts', hostports, `{"hostports":${list(40_000, () => '""')}}`, 400],
    ['250,000 expressions', policy, expressions(list(250_000, () => '"1"')), 413],
    ['40,000 expressions', policy, expressions(list(40_000, () => '"1"')), 400],
    ['30,000 empty rules', policy, `{"inbound":${list(30_000, () => '{}')}}`, 400],
    ['88,000 labels', backend, `{"labels":{${many(88_000, (i) => `"${i}a":""`)}}}`, 413],
    ['2,000 labels', backend, `{"labels":{${many(2_000, (i) => `"${i}a":""`)}}}`, 400],
    ['520,000 numbers', backend, `{"labels":${list(520_000, () => '1')}}`, 413],
    ['18,000 numbers with exponents', backend, `{"labels":${list(18_000, (i) => `${i + 1}.5e300`)}}`, 400],
    ['a number of a megabyte', backend, `{"labels":1.${'0'.repeat(1_040_000)}}`, 400],
    ['900 levels of 14 namespaces', saml, samlOf(levels(900, 14)), 400],
    ['4,000 comments', saml, samlOf('<!---->'.repeat(4_000)), 400],
    ['22,000 attributes', saml, samlOf(`<b ${many(22_000, (n) => `b${n}="c"`).join(' ')}/>`), 400],
  ])('%s', async (_, { rest: [method, path], mutation, variables }, input, status) => {
    const rest = await costOf(() => call(method, path(), input));
    const body = `{"query":${JSON.stringify(mutation)},"variables":${variables(input)}}`;
    const graphql = await costOf(() => call('POST', '/graphql', body));
    expect([rest.answer.status, graphql.answer.body.errors.length]).toEqual([status, 1]);
    expect(Math.max(rest.parsings, graphql.parsings)).toBeLessThan(parsingsMax);
    expect(Math.max(rest.answer.bytes.length, graphql.answer.bytes.length)).toBeLessThan(1_000);
  });
});

describe('what an honest client may send is taken', () => {
  test.each<[string, Operation, string]>([
    ['29,000 numbers in a configuration', policy, config(`{"a":${list(29_000, () => '1')}}`)],
    [
      '3,000 actions that write to a log',
      policy,
      `{"inbound":${list(100, () => `{"actions":${list(15, () => '{"type":"log","config":{"metadata":{"a":"b"}}}')}}`)},
        "outbound":${list(100, () => `{"actions":${list(15, () => '{"type":"log","config":{"metadata":{"a":"b"}}}')}}`)}}`,
    ],
    [
      '10,000 expressions in 200 rules',
      policy,
      `{"inbound":${list(100, (r) => `{"actions":[{"type":"deny"}],"expressions":${list(50, (e) => expression(r * 50 + e))}}`)},
        "outbound":${list(100, (r) => `{"actions":[{"type":"deny"}],"expressions":${list(50, (e) => expression(r + e))}}`)}}`,
    ],
    ['64 labels', backend, `{"labels":{${many(64, (i) => `"key ${i}":"value"`)}}}`],
  ])('%s', async (_, { rest: [method, path], mutation, variables }, input) => {
    expect((await call(method, path(), input)).status).toBeLessThan(300);
    const body = `{"query":${JSON.stringify(mutation)},"variables":${variables(input)}}`;
    expect((await call('POST', '/graphql', body)).body.errors).toBeUndefined();
  });
});

describe('a list that is longer than its maximum is named', () => {
  const message = (field: string, max: number, length: number) =>
    `${field}: must have at most ${max} entries; it has ${length}.`;
  const rules = (count: number) => many(count, () => '{ actions: [{ type: "deny" }] }').join(' ');
  const replace = (inbound: string) =>
    `mutation { replaceTlsEdgePolicy(input: { edgeId: "${tlsEdgeId}", inbound: ${inbound} }) { tlsEdge { id } } }`;

  test.each([
    ['a literal', () => replace(`[${rules(101)}]`), {}, message('input.inbound', 100, 101)],
    [
      'a literal within others',
      () => replace(`[{ actions: [${'{ type: "deny" } '.repeat(21)}] }]`),
      {},
      message('input.inbound[0].actions', 20, 21),
    ],
    [
      'a variable of its own',
      () => `mutation ($h: [String!]) { createTlsEdge(input: { hostports: $h }) { tlsEdge { id } } }`,
      { h: Array(101).fill('a:1') },
      message('h', 100, 101),
    ],
    [
      'a variable within an object that is a literal',
      () => `mutation ($e: [String!]) { ${replace('[{ actions: [{ type: "deny" }], expressions: $e }]').slice(11)}`,
      { e: Array(51).fill('true') },
      message('e', 50, 51),
    ],
    [
      'the default of a variable',
      () =>
        `mutation ($h: [String!] = [${'"a:1" '.repeat(101)}]) { createTlsEdge(input: { hostports: $h }) { tlsEdge { id } } }`,
      {},
      message('h', 100, 101),
    ],
    [
      'a variable within a free value',
      () => `mutation ($l: [String!]) { ${replace('[{ actions: [{ type: "x", config: { a: $l } }] }]').slice(11)}`,
      { l: Array(1001).fill('') },
      message('l', 1000, 1001),
    ],
  ])('%s', async (_, query, variables, expected) => {
    const { errors } = await service.graphql(query(), variables);
    expect(errors?.map(({ message, extensions }) => [message, extensions.code])).toEqual([[expected, 'INVALID_INPUT']]);
  });

  test('and the maximum itself is taken', async () => {
    const query = 'mutation ($h: [String!]) { createTlsEdge(input: { hostports: $h }) { tlsEdge { hostports } } }';
    const h = many(100, (index) => `h${index}:443`);
    expect((await service.graphql(query, { h })).data.createTlsEdge.tlsEdge.hostports).toEqual(h);
    expect((await service.graphql(replace(`[${rules(100)}]`))).errors).toBeUndefined();
  });
});

describe('a number that would be rounded is refused', () => {
  const numbers = ['-0', '1e400', '1e-400', '1.00000000000000000001', '9007199254740993'];
  test.each(numbers)('%s in a body, whatever it is for', async (number) => {
    const refused = expect.stringMatching(
      /^The body holds a number at position \d+ that a double cannot keep exactly\./,
    );
    const rest = await call('PUT', policy.rest[1](), config(`{"a":[${number}]}`));
    expect([rest.status, rest.body.error_code, rest.body.msg]).toEqual([400, 'INVALID_INPUT', refused]);
    const variables = policy.variables(config(`{"a":[${number}]}`));
    const graphql = await call(
      'POST',
      '/graphql',
      `{"query":${JSON.stringify(policy.mutation)},"variables":${variables}}`,
    );
    expect(graphql.body.errors).toEqual([{ message: refused, extensions: { code: 'INVALID_INPUT' } }]);
    const unused = await call('POST', '/graphql', `{"query":"{__typename}","extensions":{"a":${number}}}`);
    expect(unused.status).toBe(400);
  });

  test.each(numbers)('%s in a literal, with its place', async (number) => {
    const { errors } = await service.graphql(
      `mutation { replaceTlsEdgePolicy(input: { edgeId: "${tlsEdgeId}", inbound: [
        { actions: [{ type: "x", config: { a: [${number}] } }] }] }) { tlsEdge { id } } }`,
    );
    expect(errors).toEqual([
      {
        message: 'JSON must not hold a number that a double cannot keep exactly. Send it as text.',
        locations: [{ line: 2, column: 48 }],
        extensions: { code: 'GRAPHQL_INVALID' },
      },
    ]);
  });

  test('and what is exact comes back equal, on both surfaces', async () => {
    const exact = '[1.0,1e2,0.1,1.5e-7,9007199254740992,1e23,-1.25]';
    const rest = await call('PUT', policy.rest[1](), config(`{"a":${exact}}`));
    expect(rest.body.inbound[0].actions[0].config).toEqual({ a: JSON.parse(exact) });
    const { data } = await service.graphql(
      `mutation { replaceTlsEdgePolicy(input: { edgeId: "${tlsEdgeId}", inbound: [
        { actions: [{ type: "x", config: { a: ${exact} } }] }] }) { tlsEdge { policy { inbound { actions { config } } } } } }`,
    );
    expect(data.replaceTlsEdgePolicy.tlsEdge.policy.inbound[0].actions[0].config).toEqual({ a: JSON.parse(exact) });
  });
});
