// IP restrictions of type `api` guard the service itself: a request that they refuse is not read at all.

import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { suspendIpRestrictions } from '../../src/areas/ip-restrictions/store.ts';
import { commandLine } from '../../src/storage/trail/origin.ts';
import { routes } from '../../src/surfaces/rest/routes.ts';
import type { RequestSummary } from '../../src/wire/trace.ts';
import { dataOf } from '../support/answers.ts';
import { passMs } from '../support/clocks.ts';
import { checkExchange } from '../support/openapi.ts';
import { accountOf, ownService, startBeside, startService, type TestService } from '../support/service.ts';

const inside = '192.0.2.10';
const outside = '198.51.100.7';

/** Behind a proxy, which passes on the addresses of clients. */
let shared: TestService;
let service: TestService;
const summaries: RequestSummary[] = [];
beforeAll(async () => {
  shared = await startService({ trustProxy: 1, requestEnded: (summary) => summaries.push(summary) });
});
beforeEach(async () => {
  service = await shared.asNewAccount();
});

interface Sent {
  readonly method?: string;
  readonly body?: string;
  readonly headers?: Record<string, string>;
}

/** Sends a request as the proxy would, with a forwarded address. */
async function send(forwardedFor: string | null, path: string, { method = 'GET', body, headers }: Sent = {}) {
  const response = await fetch(`${service.url}${path}`, {
    method,
    headers: {
      Authorization: `Bearer ${service.token}`,
      'Service-Version': '2',
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...(forwardedFor === null ? {} : { 'X-Forwarded-For': forwardedFor }),
      ...headers,
    },
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
}

const post = (path: string, body: object) => send(inside, path, { method: 'POST', body: JSON.stringify(body) });
const ask = (forwardedFor: string | null, query = '{ ipPolicies { totalCount } }') =>
  send(forwardedFor, '/graphql', { method: 'POST', body: JSON.stringify({ query }) });
const status = async (forwardedFor: string | null) => (await send(forwardedFor, '/ip_policies')).status;

/** Creates a policy that allows a range, and restricts the API to it. */
async function restrict(cidr = '192.0.2.0/24', enforced = true) {
  const policy = (await post('/ip_policies', {})).body.id;
  const rule = (await post('/ip_policy_rules', { ip_policy_id: policy, action: 'allow', cidr })).body.id;
  const restriction = { type: 'api', description: 'offices only', enforced, ip_policy_ids: [policy] };
  const made = await post('/ip_restrictions', restriction);
  expect(made.status).toBe(201);
  return { policy, rule, id: made.body.id };
}

describe('an enforced restriction', () => {
  test('refuses every documented route and GraphQL, whatever is sent', async () => {
    const { id } = dataOf(await service.graphql('{ viewer { account { id } } }')).viewer.account;
    await restrict();
    const message = `IP restrictions of the account refuse requests from ${outside}: "offices only". Who runs the server can suspend them: sallyport restrictions suspend --account ${id}`;
    expect(routes.length).toBeGreaterThan(40);
    for (const { method, path: template } of routes) {
      const path = template.replace(/\{\w+\}/g, 'x');
      const hasBody = method !== 'GET' && method !== 'DELETE';
      const answer = await send(outside, path, {
        method,
        ...(hasBody ? { body: '{"broken' } : {}),
        headers: { 'Service-Version': 'none' },
      });
      checkExchange({ method, path, ...answer });
      expect([method, path, answer.status, answer.body.error_code, answer.body.msg]).toEqual([
        method,
        path,
        403,
        'IP_RESTRICTED',
        message,
      ]);
    }
    const command = `sallyport restrictions suspend --account ${id}`;
    const refused = { status: 403, body: { errors: [{ message, extensions: { code: 'IP_RESTRICTED', command } }] } };
    expect(await ask(outside)).toMatchObject(refused);
    expect(await ask(outside, '{ broken')).toMatchObject(refused);
    expect(await send(outside, '/graphql', { method: 'POST', body: '{"broken' })).toMatchObject(refused);
    expect(await send(outside, '/graphql?query={__typename}')).toMatchObject(refused);
  });

  test('is named by its id to a key that may not read restrictions, also by what such a key may ask or change', async () => {
    const keyOf = async (scope: string) => (await post('/api_keys', { scopes: [scope] })).body.token;
    const headersOf = async (scope: string) => ({ headers: { Authorization: `Bearer ${await keyOf(scope)}` } });
    const [backends, policies, gate, reads] = await Promise.all(
      ['backends:read', 'ip-policies:write', 'gate', 'ip-restrictions:read'].map(headersOf),
    );
    const { id, policy, rule } = await restrict();
    const messageTo = async (key = {}) => (await send(outside, '/ip_policies', key)).body.msg;
    expect(await messageTo(backends)).toContain(`: ${id}. Who runs`);
    expect(await messageTo(reads)).toContain(': "offices only". Who runs');
    const lockout = await send(inside, `/ip_policy_rules/${rule}`, { method: 'DELETE', ...policies });
    expect([lockout.status, lockout.body.msg]).toEqual([
      409,
      expect.stringContaining(`The IP restriction ${id} would`),
    ]);

    const edge = (await post('/edges/https', { hostports: ['app.example.com:443'] })).body.id;
    await post(`/edges/https/${edge}/routes`, { match_type: 'path_prefix', match: '/' });
    const endpoints = { type: 'endpoints', description: 'offices only', enforced: true, ip_policy_ids: [policy] };
    const { body: guarding } = await post('/ip_restrictions', endpoints);
    const query = `{ evaluateGate(edge: "${edge}", url: "https://app.example.com/", address: "${outside}") { steps { message } } }`;
    const asked = await send(inside, '/graphql', { method: 'POST', body: JSON.stringify({ query }), ...gate });
    expect(asked.body.data.evaluateGate.steps.at(-1).message).toContain(`The IP restriction ${guarding.id} refuses`);
  });

  test('says nothing to who has no key, and guards no page, probe or public file', async () => {
    await restrict();
    const withoutKey = { headers: { Authorization: 'Bearer sallyport_unknown' } };
    expect((await send(outside, '/ip_policies', withoutKey)).body.error_code).toBe('UNAUTHENTICATED');
    const open = ['/', '/docs', '/openapi.json', '/saml/edghtsrt_01h455vb4pex5vsknk084sn02q'];
    const statuses = open.map(async (path) => {
      const answer = await fetch(`${service.url}${path}`, { headers: { 'X-Forwarded-For': outside } });
      await answer.arrayBuffer();
      return [path, answer.status];
    });
    expect(await Promise.all(statuses)).toEqual([
      ['/', 200],
      ['/docs', 200],
      ['/openapi.json', 200],
      ['/saml/edghtsrt_01h455vb4pex5vsknk084sn02q', 404],
    ]);
  });

  test('of another account or another type refuses nothing', async () => {
    const policy = (await post('/ip_policies', {})).body.id;
    for (const type of ['dashboard', 'agent', 'endpoints']) {
      expect((await post('/ip_restrictions', { type, enforced: true, ip_policy_ids: [policy] })).status).toBe(201);
    }
    const other = await service.otherAccount('other');
    await restrict();
    const answer = await fetch(`${service.url}/ip_policies`, {
      headers: { Authorization: `Bearer ${other.token}`, 'Service-Version': '2', 'X-Forwarded-For': outside },
    });
    expect([answer.status, (await answer.json()).ip_policies]).toEqual([200, []]);
    expect(await status(outside)).toBe(403);
  });

  test('counts for the next request after a change', async () => {
    const { id, policy, rule } = await restrict();
    const change = (method: string, path: string, body?: object) =>
      send(inside, path, { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
    expect(await status(outside)).toBe(403);
    const added = await post('/ip_policy_rules', { ip_policy_id: policy, action: 'allow', cidr: '198.51.100.0/24' });
    expect(await status(outside)).toBe(200);
    await change('PATCH', `/ip_policy_rules/${added.body.id}`, { action: 'deny' });
    expect(await status(outside)).toBe(403);
    await change('PATCH', `/ip_policy_rules/${rule}`, { cidr: '0.0.0.0/0' });
    await change('DELETE', `/ip_policy_rules/${added.body.id}`);
    expect(await status(outside)).toBe(200);
    await change('PATCH', `/ip_policy_rules/${rule}`, { cidr: '192.0.2.0/24' });
    expect(await status(outside)).toBe(403);
    await change('PATCH', `/ip_restrictions/${id}`, { enforced: false });
    expect(await status(outside)).toBe(200);
    await change('PATCH', `/ip_restrictions/${id}`, { enforced: true });
    expect(await status(outside)).toBe(403);
    await change('DELETE', `/ip_restrictions/${id}`);
    expect(await status(outside)).toBe(200);
  });

  test('counts within a second after a change by another process', async () => {
    const accountId = await accountOf(service);
    const { id } = await restrict();
    expect(await status(outside)).toBe(403);
    const beside = await startBeside(service);
    const scope = beside.storage.actingFor(accountId, commandLine);
    expect(await suspendIpRestrictions(scope, 'api')).toEqual([{ id, description: 'offices only' }]);
    await passMs(1_000);
    expect(await status(outside)).toBe(200);
    await beside.close();
  });

  test('is told to the log with the address, and one that is not enforced as well', async () => {
    const { id } = await restrict();
    summaries.length = 0;
    await status(outside);
    await status(inside);
    await expect.poll(() => summaries.length).toBe(2);
    expect(summaries.map(({ status, errorCode, ipRestrictions }) => [status, errorCode, ipRestrictions])).toEqual([
      [403, 'IP_RESTRICTED', { address: outside, refusedBy: [id], wouldRefuse: [] }],
      [200, null, null],
    ]);
  });
});

describe('a restriction that is not enforced', () => {
  test('warns of what it would refuse in a header, on every answer of both surfaces, and in the log', async () => {
    const { id } = await restrict('192.0.2.0/24', false);
    summaries.length = 0;
    const answers = [
      await send(outside, '/ip_policies'),
      await send(outside, '/ip_policies/x'),
      await send(outside, '/ip_policies', { method: 'POST', body: '{"broken' }),
      await ask(outside),
      await ask(outside, '{ broken'),
    ];
    expect(answers.map((answer) => [answer.status, answer.headers.get('Sallyport-Would-Refuse')])).toEqual([
      [200, id],
      [404, id],
      [400, id],
      [200, id],
      [200, id],
    ]);
    const objection = { address: outside, refusedBy: [], wouldRefuse: [id] };
    await expect.poll(() => summaries.map(({ ipRestrictions }) => ipRestrictions)).toEqual(Array(5).fill(objection));
    expect((await send(inside, '/ip_policies')).headers.has('Sallyport-Would-Refuse')).toBe(false);
  });

  test('is named with others, at most ten', async () => {
    const ids: string[] = [];
    for (let count = 0; count < 12; count += 1) ids.push((await restrict('192.0.2.0/24', false)).id);
    const { headers } = await send(outside, '/ip_policies');
    expect(headers.get('Sallyport-Would-Refuse')).toBe(ids.slice(0, 10).join(', '));
  });
});

describe('behind a proxy, the address', () => {
  beforeEach(async () => {
    await restrict();
  });

  test.each([
    ['the last one, whatever the client sent', `${outside}, ${inside}`, 200],
    ['the last one, not the first, which a client may have made up', `${inside}, ${outside}`, 403],
    ['an IPv4 address in IPv6', `::ffff:${inside}`, 200],
    ['an IPv4 address in IPv6, in hexadecimal', '::ffff:c000:20a', 200],
    ['an IPv6 address', '2001:db8::1', 403],
    ['with spaces around it', ` ${inside}  `, 200],
    ['with a port', `${outside}:1, ${inside}:4000`, 200],
    ['in brackets, with a port', `[::ffff:${inside}]:4000`, 200],
  ])('is %s', async (_case, header, expected) => {
    expect(await status(header)).toBe(expected);
  });

  test.each([
    ['missing', null],
    ['empty', ''],
    ['no address', 'unknown'],
    ['cut off', `${inside},`],
    ['with a zone', 'fe80::1%eth0'],
    ['mapped, with a zone', `::ffff:${inside}%eth0`],
    ['in octal', '0300.0.2.10'],
    ['a number', '3221225994'],
    ['shortened', '192.0.522'],
    ['a range', '192.0.2.0/24'],
    ['compatible with IPv4, which is another address', `::${inside}`],
  ])('that is %s is refused', async (_case, header) => {
    const { status, body } = await send(header, '/ip_policies');
    expect([status, body.error_code]).toEqual([403, 'IP_RESTRICTED']);
  });
});

test('behind two proxies, the address is the last but one', async () => {
  service = await ownService({ trustProxy: 2 });
  const viaBoth = (address: string) => `${address}, 203.0.113.1`;
  const policy = (await post('/ip_policies', {})).body.id;
  await post('/ip_policy_rules', { ip_policy_id: policy, action: 'allow', cidr: '192.0.2.0/24' });
  const restriction = JSON.stringify({ type: 'api', enforced: true, ip_policy_ids: [policy] });
  const made = await send(viaBoth(inside), '/ip_restrictions', { method: 'POST', body: restriction });
  expect(made.status).toBe(201);
  const headers = [viaBoth(inside), viaBoth(outside), viaBoth(`${inside}, ${outside}`), `${inside},`, inside];
  expect(await Promise.all(headers.map(status))).toEqual([200, 403, 403, 200, 403]);
});

test('where nothing is enforced, a proxy that does not tell the address changes nothing', async () => {
  expect(await status(null)).toBe(200);
  const { id } = await restrict('192.0.2.0/24', false);
  const { status: answered, headers } = await send(null, '/ip_policies');
  expect([answered, headers.get('Sallyport-Would-Refuse')]).toEqual([200, id]);
});

test('without a proxy, nobody can claim another address', async () => {
  service = await ownService();
  const policy = (await post('/ip_policies', {})).body.id;
  await post('/ip_policy_rules', { ip_policy_id: policy, action: 'allow', cidr: '127.0.0.1/32' });
  await post('/ip_restrictions', { type: 'api', enforced: true, ip_policy_ids: [policy] });
  expect([await status(null), await status(outside), await status('broken')]).toEqual([200, 200, 200]);
  const [rule] = (await send(null, '/ip_policy_rules')).body.ip_policy_rules;
  const forced = { 'Sallyport-Force': 'true' };
  const body = JSON.stringify({ cidr: `${inside}/32` });
  expect((await send(null, `/ip_policy_rules/${rule.id}`, { method: 'PATCH', body, headers: forced })).status).toBe(
    200,
  );
  expect([await status(null), await status(inside), await status('127.0.0.1')]).toEqual([403, 403, 403]);
});
