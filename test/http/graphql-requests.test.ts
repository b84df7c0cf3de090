// GraphQL over HTTP: how requests are read, what is refused, and that nothing internal leaks.

import { beforeAll, describe, expect, test } from 'vitest';
import type { errorCatalogue } from '../../src/domain/error-catalogue.ts';
import { createGraphQLEngine } from '../../src/graphql/execution/yoga.ts';
import type { Context } from '../../src/graphql/kit/context.ts';
import { execute } from '../support/database.ts';
import { startService, type TestService } from '../support/service.ts';
import { send, type WireAnswer, type WireRequest } from './wire.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});

function ask(body: object | string, headers: Record<string, string> = {}, url = service.url): Promise<WireAnswer> {
  return send(url, '/graphql', {
    method: 'POST',
    headers: { authorization: `Bearer ${service.token}`, 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

/** Checks that an answer is refused with exactly one error, which has a given code, and returns that error. */
function onlyError({ body }: WireAnswer, code: keyof typeof errorCatalogue) {
  expect(body).toEqual({ errors: [expect.objectContaining({ extensions: expect.objectContaining({ code }) })] });
  const [{ message, extensions, ...place }] = body.errors;
  expect(message).toMatch(/\S/);
  expect(Object.keys(extensions).every((name) => ['code', 'field'].includes(name))).toBe(true);
  expect(Object.keys(place).every((name) => ['locations', 'path'].includes(name))).toBe(true);
  return { message, field: extensions.field };
}

const responseJson = { accept: 'application/graphql-response+json' };

describe('a document', () => {
  test.each([
    ['that cannot be parsed', { query: '{' }, 'GRAPHQL_SYNTAX'],
    ['that is empty', { query: '' }, 'GRAPHQL_SYNTAX'],
    ['with an unknown field', { query: '{ nope }' }, 'GRAPHQL_INVALID'],
    ['without an operation', { query: 'fragment A on Query { __typename }' }, 'GRAPHQL_INVALID'],
    ['with a subscription to nothing', { query: 'subscription { __typename }' }, 'GRAPHQL_INVALID'],
    ['with a fragment in itself', { query: '{ ...A } fragment A on Query { ...A }' }, 'GRAPHQL_INVALID'],
    ['without the operation named', { query: 'query A { __typename }', operationName: 'B' }, 'GRAPHQL_INVALID'],
    ['with two operations and no name', { query: 'query A {__typename} query B {__typename}' }, 'GRAPHQL_INVALID'],
    ['with a literal of the wrong type', { query: '{ ipPolicies(first: "1") { totalCount } }' }, 'GRAPHQL_INVALID'],
    ['without a variable', { query: 'query ($id: ID!) { node(id: $id) { id } }' }, 'INVALID_INPUT'],
  ] as const)('%s is refused with a code: 400 to new clients, 200 to old ones', async (_name, body, code) => {
    const modern = await ask(body, responseJson);
    onlyError(modern, code);
    expect(modern.status).toBe(400);
    const old = await ask(body);
    onlyError(old, code);
    expect(old.status).toBe(200);
  });

  test('of several operations runs the one that is named', async () => {
    const query = 'query A { a: __typename } query B { b: __typename }';
    expect((await ask({ query, operationName: 'B' })).body).toEqual({ data: { b: 'Query' } });
  });

  test('keeps what could be read beside an error, with its path', async () => {
    const query = 'query ($id: ID!) { __typename ipPolicy(id: $id) { id } node(id: $id) { id } }';
    const { status, body } = await ask({ query, variables: { id: 'ipp_00000000000000000000000000' } });
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        data: { __typename: 'Query', ipPolicy: null, node: null },
        errors: [
          {
            message: 'No such object in this account.',
            path: ['ipPolicy'],
            locations: [{ line: 1, column: 31 }],
            extensions: { code: 'NOT_FOUND' },
          },
        ],
      },
    });
  });
});

test.each(['constructor', 'toString', 'hasOwnProperty', '__proto__'])(
  'a variable may be called %s, and has its default where it is not given',
  async (name) => {
    const query = `query ($${name}: Int = 1) { ipPolicies(first: $${name}) { nodes { id } } }`;
    expect((await ask({ query, variables: {} })).body).toEqual({ data: { ipPolicies: { nodes: [] } } });
  },
);

describe('a value in a document', () => {
  const create = 'createIpRestriction(input:';
  test.each<[string, string, string?]>([
    ['an enum', `mutation { ${create} { type: HUSH, ipPolicyIds: [] }) { __typename } }`],
    ['an enum, alike one of its values', `mutation { ${create} { type: apiHUSH, ipPolicyIds: [] }) { __typename } }`],
    ['an enum, as text', `mutation { ${create} { type: "HUSH", ipPolicyIds: [] }) { __typename } }`],
    ['text', 'mutation { createIpPolicy(input: { description: HUSH }) { __typename } }'],
    ['text in a list', 'mutation { createTlsEdge(input: { hostports: [HUSH] }) { __typename } }'],
    [
      'text in a list of objects',
      'mutation { replaceTlsEdgePolicy(input: { edgeId: "a", inbound: [{ name: HUSH, actions: [] }] }) { __typename } }',
    ],
    ['an id', '{ node(id: HUSH) { id } }'],
    ['an id, as an object', '{ node(id: { a: HUSH }) { id } }'],
    ['a number', '{ ipPolicies(first: HUSH) { totalCount } }'],
    ['true or false', `mutation { ${create} { type: api, enforced: HUSH, ipPolicyIds: [] }) { __typename } }`],
    ['an object', 'mutation { createIpPolicy(input: HUSH) { __typename } }'],
    ['a list of objects', 'mutation { replaceTlsEdgePolicy(input: { edgeId: "a", inbound: HUSH }) { __typename } }'],
    ['a condition', '{ __typename @include(if: HUSH) }'],
    ['the default of text', 'query ($a: ID = HUSH) { ipPolicies(after: $a) { totalCount } }'],
    ['the default of an enum', 'query ($t: IpRestrictionType = HUSH) { ipRestrictions(type: $t) { totalCount } }'],
    ['a text between fields', '{ ipPolicies "HUSH" { totalCount } }', 'GRAPHQL_SYNTAX'],
    ['a text of lines', '{ ipPolicies """HUSH\nHUSH""" }', 'GRAPHQL_SYNTAX'],
    ['a name that is out of place', '{ ipPolicies(first: 1 HUSH) { totalCount } }', 'GRAPHQL_SYNTAX'],
    ['a number that is out of place', '{ ipPolicies 4815162342 }', 'GRAPHQL_SYNTAX'],
  ])('given for %s is not repeated', async (_name, query, code = 'GRAPHQL_INVALID') => {
    const { body, bytes } = await ask({ query });
    const codes = body.errors.map(({ extensions }: { extensions: { code: string } }) => extensions.code);
    expect(new Set(codes)).toEqual(new Set([code]));
    expect(bytes.toString()).not.toMatch(/HUSH|4815162342/);
  });

  test('is told what it does not fit', async () => {
    const { body } = await ask({ query: '{ ipRestrictions(type: HUSH) { totalCount } }' });
    expect(body.errors).toEqual([
      {
        message: 'This value does not exist in "IpRestrictionType" enum.',
        locations: [{ line: 1, column: 24 }],
        extensions: { code: 'GRAPHQL_INVALID' },
      },
    ]);
  });
});

test('a failure outside of any execution is reported with the id of its request', async () => {
  const reported: unknown[] = [];
  const engine = createGraphQLEngine({
    report: (requestId, error) => reported.push([requestId, error instanceof SyntaxError]),
    usePlans: true,
  });
  const parameters = {
    get query() {
      throw new SyntaxError('hush');
    },
  };
  expect(await engine.ask(parameters, 'POST', { requestId: 'op_1', trace: {} } as Context)).toEqual({
    body: `{"errors":[{"message":"Internal error. The server's log has the cause under this request ID.","extensions":{"code":"INTERNAL"}}]}`,
    refusal: ['INTERNAL'],
  });
  expect(reported).toEqual([['op_1', true]]);
});

describe('variables', () => {
  const createPolicy = 'mutation ($input: CreateIpPolicyInput!) { createIpPolicy(input: $input) { ipPolicy { id } } }';
  test.each([
    ['query ($id: ID!) { node(id: $id) { id } }', { id: { secret: 'hush' } }, 'id'],
    ['query ($id: ID!) { node(id: $id) { id } }', { id: ['hush'] }, 'id'],
    ['query ($first: Int) { ipPolicies(first: $first) { totalCount } }', { first: 'hush' }, 'first'],
    ['query ($first: Int) { ipPolicies(first: $first) { totalCount } }', { first: 2 ** 31 }, 'first'],
    [createPolicy, { input: 'hush' }, 'input'],
    [createPolicy, { input: { description: { secret: 'hush' } } }, 'input.description'],
    [createPolicy, { input: { descriptio: 'hush' } }, 'input'],
    [createPolicy, { input: null }, 'input'],
    [
      'mutation ($input: CreateIpRestrictionInput!) { createIpRestriction(input: $input) { ipRestriction { id } } }',
      { input: { type: 'hush', ipPolicyIds: [] } },
      'input.type',
    ],
    [
      'mutation ($input: CreateIpRestrictionInput!) { createIpRestriction(input: $input) { ipRestriction { id } } }',
      { input: { type: 'api', ipPolicyIds: ['a', { secret: 'hush' }] } },
      'input.ipPolicyIds[1]',
    ],
  ])('of the wrong type in %s are named and not repeated: %j', async (query, variables, field) => {
    const answer = await ask({ query, variables }, responseJson);
    expect(answer.status).toBe(400);
    const error = onlyError(answer, 'INVALID_INPUT');
    expect(error.field).toBe(field);
    expect(error.message.startsWith(`${field}: `)).toBe(true);
    expect(answer.bytes.toString()).not.toContain('hush');
  });
});

describe('a request', () => {
  test.each([
    ['without a query', {}],
    ['with only variables', { variables: {} }],
    ['with a query that is no text', { query: 5 }],
    ['with variables that are no object', { query: '{__typename}', variables: 'hush' }],
    ['with a list of variables', { query: '{__typename}', variables: ['hush'] }],
    ['with extensions that are no object', { query: '{__typename}', extensions: 'hush' }],
    ['with a parameter that does not exist', { query: '{__typename}', foo: 'hush' }],
  ])('%s is refused with 400 and a code', async (_name, body) => {
    const answer = await ask(body, responseJson);
    expect(answer.status).toBe(400);
    onlyError(answer, 'BAD_REQUEST');
    expect(answer.bytes.toString()).not.toContain('hush');
  });

  test('without a body, with a list of requests, or with no JSON is refused', async () => {
    expect([(await ask('')).status, (await ask('[]')).status, (await ask('{')).status]).toEqual([400, 400, 400]);
    onlyError(await ask(''), 'BAD_REQUEST');
    onlyError(await ask('[{"query":"{__typename}"}]'), 'MALFORMED_BODY');
    onlyError(await ask('{"query":hush'), 'MALFORMED_BODY');
    onlyError(await ask(`{"variables":${'['.repeat(65)}${']'.repeat(65)}}`), 'BODY_TOO_DEEP');
    const large = await ask(JSON.stringify({ query: '{__typename}' }).padEnd(1_048_577));
    expect(large.status).toBe(413);
    onlyError(large, 'BODY_TOO_LARGE');
    expect((await ask(JSON.stringify({ query: '{__typename}' }).padEnd(1_048_576))).status).toBe(200);
  });

  test('of any type but JSON is refused with 415, so that no web form can send one', async () => {
    const mutation = 'mutation { createIpPolicy(input: {}) { ipPolicy { id } } }';
    for (const [type, body] of [
      ['application/x-www-form-urlencoded', `query=${encodeURIComponent(mutation)}`],
      ['text/plain', JSON.stringify({ query: mutation })],
      [
        'multipart/form-data; boundary=x',
        `--x\r\nContent-Disposition: form-data; name="query"\r\n\r\n${mutation}\r\n--x--`,
      ],
      ['application/graphql', mutation],
    ] as const) {
      const answer = await ask(body, { 'content-type': type });
      expect([type, answer.status]).toEqual([type, 415]);
      onlyError(answer, 'UNSUPPORTED_MEDIA_TYPE');
    }
    expect((await ask({ query: '{ ipPolicies { totalCount } }' })).body.data.ipPolicies.totalCount).toBe(0);
  });

  test('that accepts no JSON is told so', async () => {
    for (const accept of [
      'text/html',
      'image/png',
      'application/json;q=0',
      'application/json; charset=iso-8859-1',
      '*/*;q=0',
    ]) {
      const answer = await ask({ query: '{__typename}' }, { accept });
      expect([accept, answer.status, onlyError(answer, 'NOT_ACCEPTABLE').message]).toEqual([
        accept,
        406,
        'GraphQL answers are JSON: send "Accept: application/json".',
      ]);
    }
  });

  const [json, response] = ['application/json; charset=utf-8', 'application/graphql-response+json; charset=utf-8'];
  test.each([
    ['application/graphql-response+json; charset=utf-8, application/json; charset=utf-8', response],
    ['application/graphql-response+json;charset=UTF-8;q=0.5, application/json;charset="utf-8"', json],
    ['application/graphql-response+json, application/json;q=0.9', response],
    ['application/*;q=0.8, application/graphql-response+json', response],
    ['application/json;q=0, */*', response],
    ['text/html, */*;q=0.1', json],
  ])('that accepts %s is answered in what it prefers', async (accept, type) => {
    const answer = await ask({ query: '{__typename}' }, { accept });
    expect([answer.status, answer.headers['content-type'], answer.body]).toEqual([
      200,
      type,
      { data: { __typename: 'Query' } },
    ]);
  });

  test('may be a GET or its HEAD, and OPTIONS tells the methods to browsers and programs without a key', async () => {
    const get = { headers: { authorization: `Bearer ${service.token}` } };
    const head = await send(service.url, '/graphql?query={__typename}', { method: 'HEAD', ...get });
    expect([head.status, head.headers['content-type'], head.headers['content-length']]).toEqual([200, json, '31']);
    for (const accept of ['text/html', '*/*']) {
      const options = await send(service.url, '/graphql', { method: 'OPTIONS', headers: { accept } });
      expect([options.status, options.headers.allow]).toEqual([204, 'HEAD, GET, POST, OPTIONS']);
    }
    const put = await send(service.url, '/graphql', { method: 'PUT', ...get });
    expect([put.status, put.headers.allow, onlyError(put, 'METHOD_NOT_ALLOWED').message]).toEqual([
      405,
      'HEAD, GET, POST, OPTIONS',
      'This path does not support PUT. Supported: HEAD, GET, POST, OPTIONS.',
    ]);
    for (const path of ['/graphql/start.js', '/docs/start.js']) {
      const options = await send(service.url, path, { method: 'OPTIONS' });
      expect([path, options.status, options.headers.allow]).toEqual([path, 204, 'HEAD, GET, OPTIONS']);
    }
  });

  test('needs a key, whatever it asks for', async () => {
    const introspection = { query: '{ __schema { queryType { name } } }' };
    expect((await ask(introspection)).body).toEqual({ data: { __schema: { queryType: { name: 'Query' } } } });
    for (const authorization of ['', 'Bearer unknown-key-of-nobody']) {
      const answer = await ask(introspection, { authorization });
      expect(answer.status).toBe(401);
      expect(answer.headers['www-authenticate']).toBe('Bearer');
      onlyError(answer, 'UNAUTHENTICATED');
    }
  });

  test('needs no version header, and takes the path as REST does', async () => {
    const body = '{"query":"{__typename}"}';
    const headers = { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' };
    for (const path of ['/graphql', '/graphql/', '//graphql', '/graphql?x=1']) {
      const answer = await send(service.url, path, { method: 'POST', headers, body });
      expect([path, answer.body]).toEqual([path, { data: { __typename: 'Query' } }]);
    }
    const other = await send(service.url, '/GraphQL', { method: 'POST', headers, body });
    expect([other.status, other.body.error_code]).toEqual([404, 'UNKNOWN_ROUTE']);
  });

  const call = (options: WireRequest & { path?: string }) =>
    send(service.url, options.path ?? '/graphql', {
      ...options,
      headers: { authorization: `Bearer ${service.token}`, ...options.headers },
    });

  test.each([
    ['variables that are no JSON', 'variables=hush'],
    ['extensions that are no JSON', 'extensions=hush'],
    ['variables that are cut short', 'variables={"hush":'],
    ['variables that are text', 'variables="hush"'],
    ['variables that are a list', 'variables=["hush"]'],
    ['two documents', 'query={hush}'],
    ['variables twice', 'variables={}&variables={"a":"hush"}'],
  ])('with GET and %s is refused with 400, and not repeated', async (_name, parameters) => {
    const answer = await call({ path: encodeURI(`/graphql?query={__typename}&${parameters}`) });
    expect(answer.status).toBe(400);
    expect(answer.headers['x-request-id']).toMatch(/^op_/);
    onlyError(answer, 'BAD_REQUEST');
    expect(answer.bytes.toString()).not.toContain('hush');
  });

  test('with GET is read as strictly as one with POST', async () => {
    const deep = await call({ path: encodeURI(`/graphql?query={__typename}&variables=${'['.repeat(65)}`) });
    onlyError(deep, 'BODY_TOO_DEEP');
    const rounded = await call({ path: '/graphql?query={__typename}&variables={%22a%22:1e400}' });
    expect(onlyError(rounded, 'INVALID_INPUT').message).toBe(
      'The parameter "variables" holds a number at position 5 that a double cannot keep exactly. Send it as text.',
    );
    const empty = await call({ path: '/graphql?query={__typename}&variables=&operationName=' });
    expect(empty.body).toEqual({ data: { __typename: 'Query' } });
  });

  test('with a parameter of an odd name is refused, and the name is not repeated', async () => {
    const answer = await ask({ query: '{__typename}', 'hush hush': 1 });
    expect([answer.status, onlyError(answer, 'BAD_REQUEST').message]).toEqual([
      400,
      'The request has an unknown parameter. Supported: query, variables, operationName, extensions.',
    ]);
  });

  test('may read with GET, and never changes anything with it', async () => {
    const read = await call({ path: `/graphql?query=${encodeURIComponent('{ ipPolicies { totalCount } }')}` });
    expect({ status: read.status, body: read.body }).toEqual({
      status: 200,
      body: { data: { ipPolicies: { totalCount: 0 } } },
    });
    const mutation = encodeURIComponent('mutation { createIpPolicy(input: {}) { ipPolicy { id } } }');
    const refused = await call({ path: `/graphql?query=${mutation}` });
    expect([refused.status, refused.headers.allow]).toEqual([405, 'POST']);
    onlyError(refused, 'METHOD_NOT_ALLOWED');
    const hidden = await call({
      path: `/graphql?operationName=B&query=${encodeURIComponent('query A { __typename } ')}${mutation.replace('mutation', 'mutation%20B')}`,
    });
    onlyError(hidden, 'METHOD_NOT_ALLOWED');
    expect(
      (await call({ path: `/graphql?query=${encodeURIComponent('{ ipPolicies { totalCount } }')}` })).body,
    ).toEqual({ data: { ipPolicies: { totalCount: 0 } } });
  });

  test.each(['multipart/mixed', 'text/event-stream'])(
    'are not answered in %s, in which nothing comes',
    async (type) => {
      const ask = (accept: string) =>
        call({
          method: 'POST',
          headers: { 'content-type': 'application/json', accept, connection: 'close' },
          body: JSON.stringify({ query: '{ __typename }' }),
        });
      onlyError(await ask(type), 'NOT_ACCEPTABLE');
      const { status, headers, bytes } = await ask(`${type};deferSpec=20220824, application/json`);
      expect([status, headers['content-type'], headers.connection]).toEqual([
        200,
        'application/json; charset=utf-8',
        'close',
      ]);
      expect([headers['content-length'], headers['transfer-encoding']]).toEqual([String(bytes.length), undefined]);
      expect(bytes.toString()).toBe('{"data":{"__typename":"Query"}}');
    },
  );
});

describe('limits', () => {
  const aliases = (count: number) => `{ ${Array.from({ length: count }, (_, i) => `a${i}: __typename`).join(' ')} }`;
  const doubling = `{ ipPolicies { nodes { ...F0 } } } ${Array.from({ length: 12 }, (_, i) => {
    const next = `restrictions { nodes { ipPolicies { ...F${i + 1} } } }`;
    return `fragment F${i} on IpPolicy { a: ${next} b: ${next} }`;
  }).join(' ')} fragment F12 on IpPolicy { id }`;
  const spreads = Array.from({ length: 30 }, (_, i) => `fragment F${i} on Query { ...F${i + 1} ...F${i + 1} }`);

  test.each([
    ['600 aliases', aliases(600), 'QUERY_TOO_COMPLEX'],
    ['10,000 aliases', aliases(10_000), 'GRAPHQL_SYNTAX'],
    ['100 KB of tokens', '{a '.repeat(33_000), 'GRAPHQL_SYNTAX'],
    ['100 KB of brackets in a literal', `{ node(id: ${'['.repeat(100_000)}`, 'GRAPHQL_SYNTAX'],
    [
      '16 fields deep',
      `{ ipPolicies { nodes ${'{ restrictions { nodes { ipPolicies '.repeat(5)} { id } ${'} } }'.repeat(5)} } }`,
      'QUERY_TOO_COMPLEX',
    ],
    [
      'fragments that double 30 times',
      `{ ...F0 } ${spreads.join(' ')} fragment F30 on Query { __typename }`,
      'QUERY_TOO_COMPLEX',
    ],
    ['fields that double 12 times', doubling, 'QUERY_TOO_COMPLEX'],
    [
      'lists of lists',
      '{ ipPolicies { nodes { rules { nodes { ipPolicy { rules { nodes { ipPolicy { rules { nodes { ipPolicy { rules { nodes { id } } } } } } } } } } } } } }',
      'QUERY_TOO_COMPLEX',
    ],
    [
      '60 whole lists at once',
      `{ ${Array.from({ length: 60 }, (_, i) => `a${i}: ipPolicies { nodes { id uri description metadata version createdAt rules { nodes { id cidr } } } }`).join(' ')} }`,
      'QUERY_TOO_COMPLEX',
    ],
  ] as const)('refuse %s before anything is executed', async (_name, query, code) => {
    const answer = await ask({ query }, responseJson);
    onlyError(answer, code);
    expect(answer.status).toBe(400);
    expect(answer.bytes.length).toBeLessThan(1_000);
  });

  test('turn documents away that nest deeper than the stack is, wherever they nest', async () => {
    for (const depth of [50, 200, 400, 700, 900, 1_200, 1_500, 1_800, 1_990]) {
      const nested = (open: string, close: string, inner = '') => `${open.repeat(depth)}${inner}${close.repeat(depth)}`;
      for (const query of [
        `{ node(id: ${nested('[', '')}`,
        `{ node(id: ${nested('[', ']')}) { id } }`,
        `{ node(id: ${nested('{a:', '}', '1')}) { id } }`,
        `query ($a: ${nested('[', ']', 'Int')}) { __typename }`,
        nested('{a', '}'),
        nested('{...on Query', '}', '{__typename}'),
      ]) {
        const { status, body } = await ask({ query }, responseJson);
        // Nested inline fragments cost nothing, so they may be answered.
        expect([query.slice(0, 30), depth, body.errors === undefined ? 200 : 400]).toEqual([
          query.slice(0, 30),
          depth,
          status,
        ]);
        for (const { extensions } of body.errors ?? []) {
          expect(['GRAPHQL_SYNTAX', 'GRAPHQL_INVALID', 'QUERY_TOO_COMPLEX']).toContain(extensions.code);
        }
      }
    }
  });

  test('leave alone what a dashboard asks for', async () => {
    const query = `{
      viewer { account { name } apiKey { id } }
      ipPolicies { totalCount nodes { id description rules { nodes { id cidr action } } restrictions { nodes { id type } } } }
      ipRestrictions { totalCount nodes { id type enforced ipPolicies { id description rules { nodes { cidr action } } } } }
    }`;
    expect((await ask({ query })).body.errors).toBeUndefined();
    expect((await ask({ query: aliases(400) })).body.errors).toBeUndefined();
  });

  test('hold for pages, too', async () => {
    for (const [args, field] of [
      ['first: 0', 'first'],
      ['first: 101', 'first'],
      ['last: -1', 'last'],
      ['first: 1, last: 1', 'last'],
      ['after: "junk"', 'after'],
      ['before: "ipx_00000000000000000000000000"', 'before'],
    ]) {
      const { body } = await ask({ query: `{ ipPolicies(${args}) { totalCount } }` });
      expect(body.errors).toEqual([
        expect.objectContaining({ path: ['ipPolicies'], extensions: { code: 'INVALID_INPUT', field } }),
      ]);
    }
  });
});

describe('a failure inside', () => {
  test('is masked as INTERNAL, and its cause goes to the log only', async () => {
    const other = await startService();
    await execute(other.database, 'DROP TABLE "IpPolicyRule"', 'DROP TABLE "IpPolicy"');
    for (const [field, query] of [
      ['ipPolicies', '{ ipPolicies { nodes { id } } }'],
      ['createIpPolicy', 'mutation { createIpPolicy(input: {description: "hush"}) { ipPolicy { id } } }'],
    ] as const) {
      const answer = await ask({ query }, { authorization: `Bearer ${other.token}` }, other.url);
      expect(answer.body).toEqual({
        data: { [field]: null },
        errors: [
          {
            message: "Internal error. The server's log has the cause under this request ID.",
            locations: [expect.anything()],
            path: [field],
            extensions: { code: 'INTERNAL' },
          },
        ],
      });
      expect(answer.bytes.toString()).not.toMatch(/prisma|sqlite|table|stack|\.ts|hush/i);
    }
    expect(other.failures).toHaveLength(2);
    expect(String(other.failures[0])).toContain('IpPolicy');
    await other.close();
  });
});

describe('GraphiQL', () => {
  const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

  test('is served to browsers without a key', async () => {
    const answer = await send(service.url, '/graphql', { headers: browser });
    expect([answer.status, answer.headers['content-type'], answer.headers.vary]).toEqual([
      200,
      'text/html; charset=utf-8',
      'Accept',
    ]);
    expect(answer.bytes.toString()).toContain('<title>Sallyport GraphiQL</title>');
  });

  test('is not what a program gets, with or without a query', async () => {
    for (const [path, accept] of [
      ['/graphql', 'application/json'],
      ['/graphql', '*/*'],
      ['/graphql?query=%7B__typename%7D', browser.accept],
    ] as const) {
      const answer = await send(service.url, path, { headers: { accept } });
      expect([path, answer.status]).toEqual([path, 401]);
      onlyError(answer, 'UNAUTHENTICATED');
    }
  });
});
