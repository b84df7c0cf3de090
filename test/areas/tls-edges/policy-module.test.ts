// The policy module of a TLS edge on both surfaces: it is returned as it was sent, or refused with the place of the error.

import fc from 'fast-check';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { processorTime } from '../../support/processor.ts';
import { runs } from '../../support/runs.ts';
import { type Client, startService, type TestService } from '../../support/service.ts';
import { tablesRead } from '../../support/statements.ts';

let service: TestService;
let stranger: Client;
beforeAll(async () => {
  service = await startService();
  stranger = await service.otherAccount('stranger');
});

let edgeId: string;
let path: string;
beforeEach(async () => {
  edgeId = (await service.rest('POST', '/edges/tls', {})).body.id;
  path = `/edges/tls/${edgeId}/policy`;
});

/** Returns a rule with one action. */
const ruleOf = (type: string, config?: unknown) => ({
  actions: [{ type, ...(config === undefined ? {} : { config }) }],
});

/** PUTs a policy as text and returns the text of a GET, for values that parsing would change. */
async function roundTrip(text: string): Promise<string> {
  const headers = {
    Authorization: `Bearer ${service.token}`,
    'Service-Version': '2',
    'Content-Type': 'application/json',
  };
  const put = await fetch(`${service.url}${path}`, { method: 'PUT', headers, body: text });
  const putText = await put.text();
  const get = await fetch(`${service.url}${path}`, { headers });
  expect([put.status, putText]).toEqual([200, await get.clone().text()]);
  return get.text();
}

describe('PUT /edges/tls/{id}/policy', () => {
  test('gives back the recorded policy of the API family', async () => {
    const policy = {
      enabled: true,
      inbound: [
        {
          name: 'log and deny old clients',
          expressions: ["conn.tls.version.contains('1.3')"],
          actions: [
            // biome-ignore lint/suspicious/noTemplateCurlyInString: the edge fills it in
            { type: 'log', config: { metadata: { message: 'client ${conn.client_ip}', edgeId: 1 } } },
            { type: 'deny', config: null },
          ],
        },
      ],
      outbound: null,
    };
    const { status, headers, body } = await service.rest('PUT', path, policy);
    expect([status, headers.get('etag'), body]).toEqual([200, '"2"', policy]);
    expect((await service.rest('GET', path)).body).toEqual(policy);
  });

  test('shows what is not set as null, and keeps what is empty', async () => {
    const sent = {
      inbound: [
        { actions: [{ type: 'deny' }] },
        { name: '', expressions: [], actions: [{ type: 'deny', config: {} }] },
      ],
      outbound: [],
    };
    const { body } = await service.rest('PUT', path, sent);
    expect(body).toEqual({
      enabled: true,
      inbound: [
        { name: null, expressions: null, actions: [{ type: 'deny', config: null }] },
        { name: '', expressions: [], actions: [{ type: 'deny', config: {} }] },
      ],
      outbound: [],
    });
    // The answer's body is accepted in turn and returned unchanged.
    expect((await service.rest('PUT', path, body)).body).toEqual(body);
  });

  test.each([
    ['no body, as one client sends it', undefined],
    ['an empty body', {}],
    ['nulls', { enabled: null, inbound: null, outbound: null }],
  ])('returns everything to its default for %s', async (_, body) => {
    await service.rest('PUT', path, { enabled: false, inbound: [ruleOf('deny')], outbound: [ruleOf('deny')] });
    const answer = await service.rest('PUT', path, body);
    expect([answer.status, answer.body]).toEqual([200, { enabled: true, inbound: null, outbound: null }]);
  });

  test('unwraps the module that one client wraps', async () => {
    const { status, body } = await service.rest('PUT', path, { id: edgeId, module: { enabled: false, inbound: [] } });
    expect([status, body]).toEqual([200, { enabled: false, inbound: [], outbound: null }]);
  });

  test('keeps a configuration byte for byte, with keys that mean something to JavaScript and to the database client', async () => {
    const config =
      '{"__proto__":{"__proto__":"a","b":[{"__proto__":null}]},"constructor":{"prototype":1},"toJSON":"x",' +
      '"$type":"Param","value":{"name":"x"},"camelCase":{"snake_case":1},"":"","😀":"\u2028é\\n\\"","n":[1,-0.5,1e+21,true,null]}';
    const policy = `{"enabled":true,"inbound":[{"name":null,"expressions":null,"actions":[{"type":"custom","config":${config.replace('1e+21', '1.5e-7')}}]}],"outbound":null}`;
    expect(await roundTrip(policy)).toBe(policy);
  });

  test('gives back whatever JSON a configuration holds', async () => {
    const noNul = fc
      .jsonValue({ stringUnit: 'grapheme', maxDepth: 4 })
      .filter((value) => !JSON.stringify(value).includes('\\u0000'));
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.string({ unit: 'grapheme-ascii' }), noNul), async (config) => {
        const rules = [{ name: null, expressions: null, actions: [{ type: 'custom', config }] }];
        const answer = await service.rest('PUT', path, { inbound: rules });
        // Integers that a double would round are refused; no value is ever changed.
        if (answer.status === 400)
          expect(answer.body.msg).toContain('holds a number that a double cannot keep exactly');
        else expect(JSON.stringify(answer.body.inbound)).toBe(JSON.stringify(rules));
      }),
      { numRuns: runs(50) },
    );
  });

  test('takes restrict-ips with ranges and IP policies, and keeps it when such a policy is deleted', async () => {
    const { body: ipPolicy } = await service.rest('POST', '/ip_policies', {});
    const config = {
      enforce: false,
      allow: ['10.0.0.0/8', '2001:DB8::/32'],
      deny: [],
      ip_policies: [ipPolicy.id, ipPolicy.id],
    };
    const expected = [{ name: null, expressions: null, actions: [{ type: 'restrict-ips', config }] }];
    expect((await service.rest('PUT', path, { outbound: [ruleOf('restrict-ips', config)] })).body.outbound).toEqual(
      expected,
    );
    expect((await service.rest('DELETE', `/ip_policies/${ipPolicy.id}`)).status).toBe(204);
    expect((await service.rest('GET', path)).body.outbound).toEqual(expected);
  });

  const many = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);
  const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)]);

  test.each([
    ['100 rules', many(100, ruleOf('deny'))],
    ['20 actions', [{ actions: many(20, { type: 'deny' }) }]],
    ['50 expressions of 4096 bytes', [{ expressions: many(50, `'${'a'.repeat(4094)}'`), actions: [{ type: 'deny' }] }]],
    ['the longest name', [{ name: 'ü'.repeat(127), ...ruleOf('deny') }]],
    ['the deepest configuration', [ruleOf('custom', { a: nested(56) })]],
    ['the most values and keys', [ruleOf('custom', { a: many(29_987, 1) })]],
    ['the most entries', [ruleOf('restrict-ips', { allow: many(1000, '::/0') })]],
    ['unknown types, whatever they hold', [ruleOf('set-vars', { vars: [{ a: 1 }] }), ruleOf('x1-y2')]],
  ])('takes %s', async (_, inbound) => {
    const { status, body } = await service.rest('PUT', path, { inbound });
    expect([status, body.inbound?.length]).toEqual([200, inbound.length]);
  });

  const list = 'must be a list.';
  test.each([
    [
      'a rule without actions',
      [ruleOf('deny'), {}],
      'inbound[1]',
      'must fit its type. Field "actions" of required type "[EndpointActionInput!]!" was not provided.',
    ],
    ['an empty list of actions', [{ actions: [] }], 'inbound[0].actions', 'must have at least one action.'],
    [
      'a misspelt field',
      [{ expression: ['true'], ...ruleOf('deny') }],
      'inbound[0]',
      'must fit its type. Field "expression" is not defined by type "EndpointRuleInput". Did you mean "expressions"?',
    ],
    [
      'an expression that does not parse',
      [ruleOf('deny'), { expressions: ['true', 'a &&'], ...ruleOf('deny') }],
      'inbound[1].expressions[1]',
      'must be a CEL expression. Unexpected token: EOF, at position 4.',
    ],
    [
      'an expression of 4097 bytes',
      [{ expressions: ['a'.repeat(4097)], ...ruleOf('deny') }],
      'inbound[0].expressions[0]',
      'must be at most 4096 bytes of UTF-8; it has 4097.',
    ],
    ['101 rules', many(101, ruleOf('deny')), 'inbound', 'must have at most 100 entries; it has 101.'],
    [
      'a name of 256 bytes',
      [{ name: 'ü'.repeat(128), ...ruleOf('deny') }],
      'inbound[0].name',
      'must be at most 255 bytes of UTF-8; it has 256.',
    ],
    [
      'a type in capitals',
      [ruleOf('Deny')],
      'inbound[0].actions[0].type',
      'must be lower-case words separated by hyphens, such as restrict-ips.',
    ],
    [
      'a configuration that is a list',
      [ruleOf('custom', [])],
      'inbound[0].actions[0].config',
      'must be an object or null.',
    ],
    [
      'a configuration of 58 levels',
      [ruleOf('custom', { a: nested(57) })],
      'inbound[0].actions[0].config',
      'must not nest deeper than 57 levels.',
    ],
    [
      'NUL in a key of a configuration',
      [ruleOf('custom', { a: { '\u0000': 1 } })],
      'inbound[0].actions[0].config',
      'must not contain the NUL character (U+0000).',
    ],
    [
      'a configuration of too many values and keys',
      [ruleOf('custom', { a: many(29_988, 1) })],
      'inbound',
      'holds too much: both directions together may have 30000 values and keys as JSON.',
    ],
    [
      'a log without configuration',
      [ruleOf('log')],
      'inbound[0].actions[0].config',
      'must have an object in `metadata`, which the action writes to the log.',
    ],
    [
      'a log whose metadata is a text',
      [ruleOf('log', { metadata: 'a' })],
      'inbound[0].actions[0].config',
      'must have an object in `metadata`, which the action writes to the log.',
    ],
    [
      'a deny with a configuration',
      [ruleOf('deny', { status_code: 403 })],
      'inbound[0].actions[0].config',
      'must be omitted: a deny action takes no configuration.',
    ],
    [
      'a restrict-ips without configuration',
      [ruleOf('restrict-ips')],
      'inbound[0].actions[0].config',
      'is required: lists of ranges in `allow` and `deny`, and of IP policies in `ip_policies`.',
    ],
    [
      'an enforce that is a text',
      [ruleOf('restrict-ips', { enforce: 'no' })],
      'inbound[0].actions[0].config.enforce',
      'must be true or false.',
    ],
    [
      'a range that is no list',
      [ruleOf('restrict-ips', { allow: '::/0' })],
      'inbound[0].actions[0].config.allow',
      list,
    ],
    [
      'a range without a mask',
      [ruleOf('restrict-ips', { deny: ['::/0', '10.0.0.1'] })],
      'inbound[0].actions[0].config.deny[1]',
      'must have a mask; for this one address write 10.0.0.1/32.',
    ],
    [
      '1001 ranges',
      [ruleOf('restrict-ips', { allow: many(1001, '::/0') })],
      'inbound[0].actions[0].config.allow',
      'must have at most 1000 entries; it has 1001.',
    ],
    [
      'an IP policy that is a number',
      [ruleOf('restrict-ips', { ip_policies: [1] })],
      'inbound[0].actions[0].config.ip_policies[0]',
      'must be a string.',
    ],
  ])('refuses %s, and keeps what is set', async (_, inbound, field, message) => {
    await service.rest('PUT', path, { outbound: [] });
    const { status, body } = await service.rest('PUT', path, { inbound });
    expect({ status, body }).toEqual({
      status: 400,
      body: {
        error_code: 'INVALID_INPUT',
        status_code: 400,
        msg: `${field}: ${message}`,
        details: { operation_id: expect.stringMatching(/^op_/), field },
      },
    });
    expect((await service.rest('GET', path)).body).toEqual({ enabled: true, inbound: null, outbound: [] });
  });

  test('refuses a misspelt list of restrict-ips, which would let in whom nobody meant', async () => {
    const { status, body } = await service.rest('PUT', path, {
      inbound: [ruleOf('restrict-ips', { allowed: ['::/0'] })],
    });
    expect([status, body.error_code, body.msg]).toEqual([
      400,
      'UNKNOWN_FIELD',
      'inbound[0].actions[0].config: has a setting that restrict-ips does not support: "allowed". ' +
        'Supported: enforce, allow, deny, ip_policies.',
    ]);
  });

  test('refuses IP policies that do not exist, or belong to another account', async () => {
    const { body: own } = await service.rest('POST', '/ip_policies', {});
    const { body: foreign } = await stranger.rest('POST', '/ip_policies', {});
    for (const id of [foreign.id, 'ipp_00000000000000000000000000', '']) {
      const which = id === '' ? 'such IP policy' : `IP policy "${id}"`;
      const config = { ip_policies: [own.id, id] };
      const { status, body } = await service.rest('PUT', path, {
        outbound: [ruleOf('log', { metadata: {} }), ruleOf('restrict-ips', config)],
      });
      expect([status, body.error_code, body.msg]).toEqual([
        400,
        'UNKNOWN_REFERENCE',
        `outbound[1].actions[0].config.ip_policies[1]: There is no ${which} in this account.`,
      ]);
    }
  });

  test('asks for all IP policies in one statement', async () => {
    const ids: string[] = [];
    while (ids.length < 40) ids.push((await service.rest('POST', '/ip_policies', {})).body.id);
    const inbound = ids.map((id) => ruleOf('restrict-ips', { ip_policies: Array.from({ length: 100 }, () => id) }));
    const replace = async () => expect((await service.rest('PUT', path, { inbound })).status).toBe(200);
    expect((await tablesRead(service, replace)).filter((table) => table === 'IpPolicy')).toHaveLength(1);
  });

  test('refuses a policy that is too long as a whole, and names the longer direction', async () => {
    const rulesOf = (length: number) => [ruleOf('custom', { a: 'x'.repeat(length) })];
    const { status, body } = await service.rest('PUT', path, { inbound: rulesOf(150_000), outbound: rulesOf(250_000) });
    expect([status, body.msg]).toEqual([
      400,
      'outbound: is too long: both directions together have 400102 bytes as JSON; the maximum is 262144.',
    ]);
  });
});

describe('hostile policies', () => {
  const expressions = (count: number, expression: string) => ({
    inbound: [{ expressions: Array.from({ length: count }, () => expression), actions: [{ type: 'deny' }] }],
  });
  const rules = (count: number, ...texts: string[]) => ({
    inbound: Array.from({ length: count }, () => ({ expressions: texts, actions: [{ type: 'deny' }] })),
  });
  const deep = (depth: number) =>
    `{"inbound":[{"actions":[{"type":"x","config":${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}}]}]}`;

  test.each<[string, unknown, number]>([
    ['10,000 parentheses', expressions(1, '('.repeat(10_000)), 400],
    ['as many parentheses as fit', rules(60, '('.repeat(4096)), 400],
    ['a row of negations, as long as the policy may be', rules(60, `${'!'.repeat(4095)}a`), 200],
    ['sums without end, as long as the policy may be', rules(60, `${'a+'.repeat(2047)}a`), 200],
    ['1,000 expressions', expressions(1_000, 'true'), 400],
    ['100,000 empty expressions', expressions(100_000, ''), 413],
    ['an expression of 1 MB', expressions(1, 'a'.repeat(1_000_000)), 400],
    ['a name of 1 MB', { inbound: [{ name: 'a'.repeat(1_000_000), actions: [{ type: 'deny' }] }] }, 400],
    ['an unknown field of 1 MB', { inbound: [{ ['a'.repeat(1_000_000)]: 1, actions: [{ type: 'deny' }] }] }, 400],
    ['a text of 1 MB for a rule', { inbound: ['a'.repeat(1_000_000)] }, 400],
    ['100,000 rules that are none', { inbound: Array.from({ length: 100_000 }, () => 1) }, 400],
    ['a body of 5 MB', expressions(1, 'a'.repeat(5_000_000)), 413],
    ['65 levels', deep(65), 400],
    ['100,000 levels', deep(100_000), 400],
    [
      '50,000 keys',
      { inbound: [ruleOf('x', Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`k${i}`, i])))] },
      413,
    ],
    [
      '20,000 ranges in lists',
      {
        inbound: Array.from({ length: 20 }, () =>
          ruleOf('restrict-ips', { allow: Array.from({ length: 1000 }, () => '::/0') }),
        ),
      },
      200,
    ],
  ])('are answered within a second: %s', async (_, body, status) => {
    const { ms, result: answer } = await processorTime(() => service.rest('PUT', path, body));
    expect(answer.status).toBe(status);
    expect(ms).toBeLessThan(1_000);
    // The answer to a refused policy is small, too.
    if (status !== 200) expect(JSON.stringify(answer.body).length).toBeLessThan(1_000);
  });
});

describe('GraphQL', () => {
  test('takes a configuration that is written in the document, and bounds its depth', async () => {
    const document = (config: string) =>
      `mutation { replaceTlsEdgePolicy(input: { edgeId: "${edgeId}", outbound: [{ actions: [{ type: "x", config: ${config} }] }] }) {
        tlsEdge { policy { outbound { actions { config } } } } } }`;
    const { data } = await service.graphql(document('{ __proto__: { a: [1, "b", null, true] }, c: {} }'));
    const [action] = data.replaceTlsEdgePolicy.tlsEdge.policy.outbound[0].actions;
    expect(JSON.stringify(action.config)).toBe('{"__proto__":{"a":[1,"b",null,true]},"c":{}}');
    const { errors } = await service.graphql(document(`{ a: ${'['.repeat(300)}1${']'.repeat(300)} }`));
    expect(errors?.map(({ message }) => message)).toEqual([
      'outbound[0].actions[0].config: must not nest deeper than 57 levels.',
    ]);
  });
});
