// What a traffic policy does with a connection, according to `evaluateTlsPolicy`.

import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { dataOf, errorOf } from '../../support/answers.ts';
import { type Client, startService, type TestService } from '../../support/service.ts';

let service: TestService;
let stranger: Client;
beforeAll(async () => {
  service = await startService();
  stranger = await service.otherAccount('stranger');
});

let edge: string;
beforeEach(async () => {
  edge = (await service.rest('POST', '/edges/tls', {})).body.id;
});

async function put(policy: object): Promise<void> {
  expect((await service.rest('PUT', `/edges/tls/${edge}/policy`, policy)).status).toBe(200);
}

/** Creates an IP policy with rules such as `allow 10.0.0.0/8` and returns its id. */
async function ipPolicyOf(...rules: string[]): Promise<string> {
  const { id } = (await service.rest('POST', '/ip_policies')).body;
  for (const rule of rules) {
    const [action, cidr] = rule.split(' ');
    expect((await service.rest('POST', '/ip_policy_rules', { ip_policy_id: id, action, cidr })).status).toBe(201);
  }
  return id;
}

const step = `direction position name matched expressions { expression value error }
  actions { type effect matchedRange message }`;
const query = `query ($edge: ID!, $connection: TlsConnectionInput!) {
  evaluateTlsPolicy(edge: $edge, connection: $connection) {
    allowed complete decidedBy { direction position } steps { ${step} }
  }
}`;
const ask = (connection: object, client: Client = service) =>
  client.graphql(query, { edge, connection: { clientIp: '10.1.2.3', ...connection } });
const evaluate = async (connection: object = {}) => dataOf(await ask(connection)).evaluateTlsPolicy;

describe('evaluateTlsPolicy', () => {
  test('answers rule by rule, and names the one that decides', async () => {
    const inbound = [
      {
        name: 'log old clients',
        expressions: ["conn.tls.version == '1.2'"],
        actions: [{ type: 'log', config: { metadata: {} } }],
      },
      { expressions: ["conn.server_name == 'www.example.com'"], actions: [{ type: 'deny' }] },
      { actions: [{ type: 'log', config: { metadata: {} } }] },
    ];
    await put({ inbound, outbound: [{ actions: [{ type: 'deny' }] }] });
    const variables = { 'conn.tls.version': '1.2' };
    expect(await evaluate({ serverName: 'www.example.com', variables })).toEqual({
      allowed: false,
      complete: true,
      decidedBy: { direction: 'inbound', position: 1 },
      steps: [
        {
          direction: 'inbound',
          position: 0,
          name: 'log old clients',
          matched: true,
          expressions: [{ expression: "conn.tls.version == '1.2'", value: true, error: null }],
          actions: [{ type: 'log', effect: 'pass', matchedRange: null, message: 'The connection is logged.' }],
        },
        {
          direction: 'inbound',
          position: 1,
          name: null,
          matched: true,
          expressions: [{ expression: "conn.server_name == 'www.example.com'", value: true, error: null }],
          actions: [{ type: 'deny', effect: 'refuse', matchedRange: null, message: 'The connection is closed.' }],
        },
      ],
    });
    expect((await evaluate({ serverName: 'a.example.com', variables })).decidedBy).toEqual({
      direction: 'outbound',
      position: 0,
    });
  });

  test('asks the IP policies that a rule names, as they are now', async () => {
    const policy = await ipPolicyOf('allow 10.0.0.0/8', 'deny 10.9.0.0/16', 'allow 2001:db8::/32');
    const config = { ip_policies: [policy], allow: ['192.0.2.0/24'] };
    await put({ inbound: [{ actions: [{ type: 'restrict-ips', config }] }] });
    const decision = async (clientIp: string) => {
      const { allowed, steps } = await evaluate({ clientIp });
      return [allowed, steps[0].actions[0].matchedRange];
    };
    expect(await decision('10.1.2.3')).toEqual([true, '10.0.0.0/8']);
    expect(await decision('10.9.2.3')).toEqual([false, '10.9.0.0/16']);
    expect(await decision('192.0.2.1')).toEqual([true, '192.0.2.0/24']);
    expect(await decision('2001:db8::1')).toEqual([true, '2001:db8::/32']);
    expect(await decision('2001:db9::1')).toEqual([false, null]);
    expect((await service.rest('DELETE', `/ip_policies/${policy}`)).status).toBe(204);
    expect(await decision('10.1.2.3')).toEqual([false, null]);
    expect(await decision('192.0.2.1')).toEqual([true, '192.0.2.0/24']);
  });

  test('says when something could not be evaluated', async () => {
    await put({
      inbound: [
        { expressions: ['req.url == "/"'], actions: [{ type: 'deny' }] },
        { actions: [{ type: 'rate-limit', config: { capacity: 1 } }] },
      ],
    });
    const answer = await evaluate();
    expect([answer.allowed, answer.complete]).toEqual([true, false]);
    expect(answer.steps[0].expressions).toEqual([
      { expression: 'req.url == "/"', value: null, error: 'Unknown variable: req, at position 0.' },
    ]);
    expect(answer.steps[1].actions).toEqual([
      {
        type: 'rate-limit',
        effect: 'unknown',
        matchedRange: null,
        message: 'Actions of this type are not evaluated.',
      },
    ]);
  });

  test('applies no rule of a policy that is not set or not enabled', async () => {
    const nothing = { allowed: true, complete: true, decidedBy: null, steps: [] };
    expect(await evaluate()).toEqual(nothing);
    await put({ enabled: false, inbound: [{ actions: [{ type: 'deny' }] }] });
    expect(await evaluate()).toEqual(nothing);
  });

  test('takes the time of the question where none is given', async () => {
    await put({
      inbound: [{ expressions: ['conn.ts.start > timestamp("2026-11-20T00:00:00Z")'], actions: [{ type: 'deny' }] }],
    });
    expect((await evaluate({ time: '2026-11-19T00:00:00Z' })).allowed).toBe(true);
    expect((await evaluate({ time: '2026-11-21T00:00:00Z' })).allowed).toBe(false);
    const { steps } = await evaluate();
    expect(steps[0].expressions[0].error).toBeNull();
  });

  test.each([
    [{ clientIp: 'localhost' }, 'INVALID_INPUT', 'connection.clientIp'],
    [{ variables: { 'conn.nonsense': 1 } }, 'UNKNOWN_FIELD', 'connection.variables'],
  ])('refuses %j', async (connection, code, field) => {
    expect(errorOf(await ask(connection))).toMatchObject({ code, field });
  });

  test("does not find another account's edge, or something else", async () => {
    await put({ inbound: [{ actions: [{ type: 'deny' }] }] });
    const theirs = await ask({}, stranger);
    expect(errorOf(theirs)?.code).toBe('NOT_FOUND');
    for (const id of ['edgtls_00000000000000000000000000', 'nonsense']) {
      const missing = await stranger.graphql(query, { edge: id, connection: { clientIp: '10.1.2.3' } });
      expect(errorOf(missing)).toEqual(errorOf(theirs));
    }
  });

  test('costs no more than an answer may, however often it is asked', async () => {
    const list = (length: number) => `[${Array(length).fill(1).join(',')}]`;
    const expression = `${list(100)}.all(x, ${list(60)}.all(y, x + y > 0))`;
    await put({ inbound: [{ expressions: [expression], actions: [{ type: 'deny' }] }] });
    const alias = (place: number) =>
      `a${place}: evaluateTlsPolicy(edge: "${edge}", connection: { clientIp: "10.1.2.3" }) { allowed }`;
    const askTimes = async (times: number) =>
      service.graphql(`{ ${Array.from({ length: times }, (_, index) => alias(index)).join(' ')} }`);
    expect(dataOf(await askTimes(1))).toEqual({ a0: { allowed: false } });
    expect(errorOf(await askTimes(40))?.code).toBe('QUERY_TOO_COMPLEX');
  });
});
