// An API key is exchanged for a session of the dashboard: who gets one, what it may do, and when it ends.

import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { dataOf, errorOf, failureOf, invalidField } from '../support/answers.ts';
import { DashboardBrowser } from '../support/dashboard-browser.ts';
import { refuseLastUses } from '../support/database.ts';
import { openStream, type Stream } from '../support/event-stream.ts';
import {
  type Client,
  ofOneServer,
  startBeside,
  startService,
  startTime,
  type TestService,
} from '../support/service.ts';
import { read } from '../support/source-files.ts';

let shared: TestService;
let service: TestService;
let browser: DashboardBrowser;
beforeAll(async () => {
  shared = ofOneServer(await startService());
});
beforeEach(async () => {
  service = ofOneServer(await shared.asNewAccount());
  browser = await new DashboardBrowser(service).signIn(service.token);
});

const later = (seconds: number) => new Date(startTime.getTime() + seconds * 1000);
const viewer = '{ viewer { account { name } dashboardSession { id current } } }';
const isIn = async (who = browser) => (await who.graphql(viewer)).status === 200;
const ended = {
  status: 401,
  code: 'UNAUTHENTICATED',
  msg: 'The session of the dashboard has ended. Sign in again.',
};
const refusalOf = async (who = browser) => {
  const { status, errors } = await who.graphql(viewer);
  return { status, code: errors?.[0]?.extensions.code, msg: errors?.[0]?.message };
};
const list = async (client: Pick<Client, 'graphql'>, fields = 'id') =>
  dataOf(await client.graphql(`{ dashboardSessions { totalCount nodes { ${fields} } } }`)).dashboardSessions;
const makeKey = async (body: object) => (await service.rest('POST', '/api_keys', body)).body;
const end = 'mutation ($id: ID!) { endDashboardSession(input: { id: $id }) { endedId } }';
const follow = (who: DashboardBrowser, url = service.url): Promise<Stream> =>
  openStream(`${url}/graphql`, null, {
    headers: who.headers,
    body: { query: 'subscription { changes { kind objectId } }' },
  });

describe('signing in', () => {
  test('gives a cookie that no script can read, and tells when it ends', async () => {
    const other = new DashboardBrowser(service);
    const { status, headers, body } = await other.askSession(service.token);
    expect([status, body]).toEqual([201, { expires_at: '2026-11-21T09:00:00Z', idle_seconds: 1_800 }]);
    expect(headers.getSetCookie()).toEqual([
      expect.stringMatching(/^sallyport_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/),
    ]);
    expect(headers.get('cache-control')).toBe('no-store');
  });

  test('keeps the cookie to https where the browser has come by it', async () => {
    const secure = /^__Host-sallyport_session=[\w-]{43}; Path=\/; Secure; HttpOnly; SameSite=Strict$/;
    const behindProxy = await startService({ trustProxy: 1 });
    const byProxy = new DashboardBrowser(behindProxy, { 'X-Forwarded-Proto': 'https', 'X-Forwarded-For': '192.0.2.1' });
    const told = await byProxy.askSession(behindProxy.token);
    expect(told.headers.getSetCookie()).toEqual([expect.stringMatching(secure)]);
    expect((await byProxy.graphql(viewer)).status).toBe(200);
    // A cookie with the other name may have been planted over plain HTTP.
    byProxy.cookie = String(byProxy.cookie).replace('__Host-', '');
    expect((await byProxy.graphql(viewer)).status).toBe(401);
    await behindProxy.close();
    // If the proxy says nothing about TLS, the browser's Origin counts.
    const said = await new DashboardBrowser(service).askSession(service.token, { Origin: 'https://sallyport.test' });
    expect(said.headers.getSetCookie()).toEqual([expect.stringMatching(secure)]);
  });

  test('ends with the key where that ends first', async () => {
    const { token } = await makeKey({ expires_at: '2026-11-20T22:00:00Z' });
    const other = new DashboardBrowser(service);
    expect((await other.askSession(token)).body.expires_at).toBe('2026-11-20T22:00:00Z');
  });

  test('again ends the session that the browser had', async () => {
    const before = browser.cookie;
    await browser.signIn(service.token);
    expect(await isIn()).toBe(true);
    browser.cookie = before;
    expect(await refusalOf()).toEqual(ended);
    expect((await list(service)).totalCount).toBe(1);
  });

  test('is refused without a key that is good, and says what to send', async () => {
    const other = new DashboardBrowser(service);
    const wrong = {
      status: 401,
      code: 'UNAUTHENTICATED',
      msg: 'The API key is unknown, has expired or has been revoked.',
    };
    const revoked = await makeKey({});
    await service.rest('DELETE', `/api_keys/${revoked.id}`);
    for (const token of ['x', 'x'.repeat(600), revoked.token, `${service.token}x`]) {
      expect(failureOf(await other.askSession(token))).toEqual(wrong);
    }
    for (const token of [undefined, null, 1, {}]) {
      expect(failureOf(await other.askSession(token))).toEqual(invalidField('token', 'must be an API key, as text.'));
    }
    const send = (body: unknown, headers = {}) =>
      other.send('/dashboard/session', { method: 'POST', body, headers }).then(failureOf);
    expect(await send({ token: 'x', name: 'y' })).toEqual(
      invalidField('name', 'is not a field of a session. Accepted: token.', 'UNKNOWN_FIELD'),
    );
    expect(await send('[]')).toMatchObject({ status: 400, code: 'MALFORMED_BODY' });
    expect(await send('token=x', { 'Content-Type': 'application/x-www-form-urlencoded' })).toMatchObject({
      status: 415,
      code: 'UNSUPPORTED_MEDIA_TYPE',
    });
    expect(other.cookie).toBeNull();
  });

  test('may fail only so often from one network, where a right key still gets in', async () => {
    let ms = 0;
    const own = await startService({ monotonicMs: () => ms });
    const other = new DashboardBrowser(own);
    for (let turn = 0; turn < 20; turn++) expect((await other.askSession('wrong')).status).toBe(401);
    const refused = await other.askSession('wrong');
    expect([failureOf(refused), refused.headers.get('retry-after')]).toEqual([
      {
        status: 429,
        code: 'TOO_MANY_REQUESTS',
        msg: 'Too many wrong API keys came from your network. Try again in 3 seconds.',
      },
      '3',
    ]);
    // Successful attempts are neither refused nor counted, and refused attempts are not counted again.
    for (let turn = 0; turn < 5; turn++) await other.signIn(own.token);
    ms = 3_000;
    expect((await other.askSession('wrong')).status).toBe(401);
    expect((await other.askSession('wrong')).status).toBe(429);
    await own.close();
  });

  test('counts as a request of the key', async () => {
    const own = ofOneServer(await startService({ rateLimit: { quota: 2, seconds: 60 } }));
    const other = await new DashboardBrowser(own).signIn(own.token);
    expect((await other.graphql('{ viewer { account { name } } }')).status).toBe(200);
    expect((await own.graphql('{ viewer { account { name } } }')).status).toBe(429);
    await own.close();
  });
});

describe('a request by a session', () => {
  test('acts for the account with the scopes of the key', async () => {
    const { token } = await makeKey({ scopes: ['read'], description: 'reader' });
    const reader = await new DashboardBrowser(service).signIn(token);
    const told = '{ viewer { apiKey { description scopes } clientAddress dashboardSession { current userAgent } } }';
    expect(dataOf(await reader.graphql(told)).viewer).toEqual({
      apiKey: { description: 'reader', scopes: ['read'] },
      clientAddress: '127.0.0.1',
      dashboardSession: { current: true, userAgent: expect.any(String) },
    });
    const create = 'mutation { createIpPolicy(input: {}) { ipPolicy { id } } }';
    expect(errorOf(await reader.graphql(create))).toEqual({
      message: 'The API key lacks "ip-policies:write"; it has "read".',
      code: 'FORBIDDEN',
    });
    expect(dataOf(await browser.graphql(create)).createIpPolicy.ipPolicy.id).toMatch(/^ipp_/);
    // With the key itself, there is no session.
    expect(dataOf(await service.graphql(viewer)).viewer.dashboardSession).toBeNull();
  });

  test('is in the trail by its key, and so are signing in and out', async () => {
    await browser.graphql('mutation { createIpPolicy(input: {}) { ipPolicy { id } } }');
    await browser.send('/dashboard/session', { method: 'DELETE' });
    const query = `{ auditEvents(first: 3) { nodes { action kind surface clientAddress requestId
      actor { type description } changes { field } } } }`;
    const { nodes } = dataOf(await service.graphql(query)).auditEvents;
    const key = dataOf(await service.graphql('{ viewer { apiKey { description } } }')).viewer.apiKey;
    const by = {
      surface: 'dashboard',
      clientAddress: '127.0.0.1',
      requestId: expect.stringMatching(/^op_/),
      actor: { type: 'api_key', description: key.description },
    };
    expect(nodes).toEqual([
      { action: 'delete', kind: 'DashboardSession', ...by, changes: expect.any(Array) },
      { action: 'create', kind: 'IpPolicy', ...by, changes: expect.any(Array) },
      { action: 'create', kind: 'DashboardSession', ...by, changes: expect.any(Array) },
    ]);
    const fields = nodes[2].changes.map(({ field }: { field: string }) => field);
    expect(fields.sort()).toEqual(['apiKeyId', 'clientAddress', 'createdAt', 'endsAt', 'userAgent']);
  });

  test('needs the header that no other site can send', async () => {
    const without = {
      status: 401,
      code: 'UNAUTHENTICATED',
      msg: 'Requests by a session of the dashboard need the header "Sallyport-Dashboard: 1".',
    };
    const headers = { 'Sallyport-Dashboard': undefined };
    for (const value of ['', '0', 'true', '1, 1', 'Background']) {
      const { status, errors } = await browser.graphql(viewer, {}, { 'Sallyport-Dashboard': value });
      expect([value, status, errors?.[0]?.message]).toEqual([value, 401, without.msg]);
    }
    const change = 'mutation { createIpPolicy(input: {}) { ipPolicy { id } } }';
    for (const query of [viewer, change]) {
      const { status, errors } = await browser.graphql(query, {}, headers);
      expect([status, errors?.[0]]).toEqual([401, { message: without.msg, extensions: { code: without.code } }]);
    }
    expect((await browser.send('/graphql?query={viewer{account{name}}}', { headers })).status).toBe(401);
    const stream = await openStream(`${service.url}/graphql`, null, {
      headers: { Cookie: String(browser.cookie) },
      body: { query: 'subscription { changes { kind } }' },
    });
    expect(stream.status).toBe(401);
    for (const [method, body] of [
      ['POST', { token: service.token }],
      ['DELETE', undefined],
    ] as const) {
      const answer = await browser.send('/dashboard/session', { method, body, headers });
      expect([method, failureOf(answer)]).toEqual([method, without]);
    }
    expect((await browser.send('/dashboard/session', { headers })).body).toEqual({ signed_in: false });
    expect(await isIn()).toBe(true);
    expect(dataOf(await service.graphql('{ ipPolicies { totalCount } }')).ipPolicies.totalCount).toBe(0);
  });

  test('is written down as a use at most once a minute, even if the database refuses the write', async () => {
    const own = ofOneServer(await startService());
    const other = await new DashboardBrowser(own).signIn(own.token);
    const allow = await refuseLastUses(own.database, 'DashboardSession');
    const writes = () => own.statements.filter((statement) => /UPDATE "DashboardSession"/.test(statement));
    for (const seconds of [60, 60, 100, 119]) {
      own.setTime(later(seconds));
      expect(await isIn(other)).toBe(true);
    }
    await expect.poll(() => own.failures).toHaveLength(1);
    expect(writes()).toHaveLength(1);
    await allow();
    own.setTime(later(120));
    expect(await isIn(other)).toBe(true);
    await expect.poll(() => list(own, 'lastUsedAt')).toMatchObject({ nodes: [{ lastUsedAt: '2026-11-20T21:02:00Z' }] });
    expect(writes()).toHaveLength(2);
    await own.close();
  });

  test('cannot be one of a page that may call the API', async () => {
    const origin = 'https://pages.example';
    const own = await startService({ corsOrigins: [origin] });
    const preflight = await fetch(`${own.url}/graphql`, {
      method: 'OPTIONS',
      headers: {
        Origin: origin,
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'sallyport-dashboard',
      },
    });
    expect(preflight.headers.get('access-control-allow-origin')).toBe(origin);
    expect(preflight.headers.get('access-control-allow-headers')).not.toMatch(/dashboard/i);
    expect(preflight.headers.get('access-control-allow-credentials')).toBeNull();
    await own.close();
  });

  test('is none where an API key comes with it, nor on REST', async () => {
    const other = await shared.otherAccount(`other ${service.token.slice(-8)}`);
    const name = { Authorization: `Bearer ${other.token}` };
    expect(dataOf(await browser.graphql(viewer, {}, name)).viewer.dashboardSession).toBeNull();
    expect((await browser.graphql(viewer, {}, { Authorization: 'Bearer wrong' })).status).toBe(401);
    const rest = await browser.send('/ip_policies', { headers: { 'Service-Version': '2' } });
    expect(failureOf(rest)).toEqual({
      status: 401,
      code: 'UNAUTHENTICATED',
      msg: 'Send an API key as "Authorization: Bearer <API key>".',
    });
  });

  test('is carried out once with an idempotency key, which is that of the API key', async () => {
    const create = 'mutation { createIpPolicy(input: {}) { ipPolicy { id } } }';
    const first = await browser.graphql(create, {}, { 'Idempotency-Key': 'once' });
    const again = await browser.graphql(create, {}, { 'Idempotency-Key': 'once' });
    expect(again).toEqual(first);
    expect(dataOf(await service.graphql('{ ipPolicies { totalCount } }')).ipPolicies.totalCount).toBe(1);
  });

  test('with a cookie that is none, or of nobody, is one without a key', async () => {
    for (const [cookie, msg] of [
      ['sallyport_session=short', 'Send an API key as "Authorization: Bearer <API key>".'],
      [`sallyport_session=${'A'.repeat(43)}`, ended.msg],
    ] as const) {
      browser.cookie = cookie;
      expect(await refusalOf()).toEqual({ status: 401, code: 'UNAUTHENTICATED', msg });
    }
  });
});

test('a session is found beside cookies that another host has planted under the same name', async () => {
  browser.cookie = `sallyport_session=${'A'.repeat(43)}; ${browser.cookie}; sallyport_session=${'B'.repeat(43)}`;
  expect((await browser.send('/dashboard/session')).body.signed_in).toBe(true);
});

describe('GET /dashboard/session', () => {
  test('tells whether one is signed in, and until when', async () => {
    expect((await browser.send('/dashboard/session')).body).toEqual({
      signed_in: true,
      expires_at: '2026-11-21T09:00:00Z',
      idle_seconds: 1_800,
    });
    const { status, body } = await new DashboardBrowser(service).send('/dashboard/session');
    expect([status, body]).toEqual([200, { signed_in: false }]);
    const put = await browser.send('/dashboard/session', { method: 'PUT' });
    expect([failureOf(put).code, put.headers.get('allow')]).toEqual([
      'METHOD_NOT_ALLOWED',
      'HEAD, GET, POST, DELETE, OPTIONS',
    ]);
  });
});

describe('a session ends', () => {
  test('when its person signs out', async () => {
    const { cookie } = browser;
    const { status, headers } = await browser.send('/dashboard/session', { method: 'DELETE' });
    expect([status, headers.getSetCookie()]).toEqual([
      204,
      ['sallyport_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict'],
    ]);
    expect(browser.cookie).toBeNull();
    browser.cookie = cookie;
    expect(await refusalOf()).toEqual(ended);
    expect((await browser.send('/dashboard/session')).body).toEqual({ signed_in: false });
    // Signing out again succeeds.
    expect((await browser.send('/dashboard/session', { method: 'DELETE' })).status).toBe(204);
  });

  test('when its person asks for nothing for a while, whatever the page asks by itself', async () => {
    service.setTime(later(1_700));
    expect(await isIn()).toBe(true);
    service.setTime(later(3_400));
    expect((await browser.graphql(viewer, {}, { 'Sallyport-Dashboard': 'background' })).status).toBe(200);
    await browser.send('/dashboard/session');
    service.setTime(later(3_499));
    expect((await browser.send('/dashboard/session')).body.signed_in).toBe(true);
    service.setTime(later(3_500));
    expect(await refusalOf()).toEqual(ended);
  });

  test('after its longest time, however busy', async () => {
    for (let seconds = 0; seconds < 43_200; seconds += 1_200) {
      service.setTime(later(seconds));
      expect(await isIn()).toBe(true);
    }
    service.setTime(later(43_200));
    expect(await refusalOf()).toEqual(ended);
  });

  test('with its key, at once', async () => {
    const { id, token } = await makeKey({});
    const other = await new DashboardBrowser(service).signIn(token);
    expect(await isIn(other)).toBe(true);
    const stream = await follow(other);
    await service.rest('DELETE', `/api_keys/${id}`);
    expect(await refusalOf(other)).toEqual(ended);
    expect(await stream.ended).toBe('end');
    expect((await list(service)).totalCount).toBe(1);
    const gone = await makeKey({ expires_at: '2026-11-20T21:10:00Z' });
    await other.signIn(gone.token);
    service.setTime(new Date('2026-11-20T21:10:00Z'));
    expect(await refusalOf(other)).toEqual(ended);
  });

  test('when a hundred others of its key have begun, with an event', async () => {
    const { id, token } = await makeKey({});
    const oldest = await new DashboardBrowser(service).signIn(token);
    const next = await new DashboardBrowser(service).signIn(token);
    const stream = await follow(oldest);
    for (let begun = 2; begun < 100; begun++) await new DashboardBrowser(service).signIn(token);
    expect(await isIn(oldest)).toBe(true);
    const ofOldest = dataOf(await oldest.graphql(viewer)).viewer.dashboardSession.id;
    await new DashboardBrowser(service).signIn(token);
    expect(await refusalOf(oldest)).toEqual(ended);
    expect(await stream.ended).toBe('end');
    expect(await isIn(next)).toBe(true);
    // Sessions of other keys are not counted.
    expect(await isIn()).toBe(true);
    expect((await list(service)).totalCount).toBe(101);
    const query = `query ($id: ID!) { auditEvents(objectId: $id, first: 1) { nodes { action surface actor { id } } } }`;
    expect(dataOf(await service.graphql(query, { id: ofOldest })).auditEvents.nodes).toEqual([
      { action: 'delete', surface: 'dashboard', actor: { id } },
    ]);
  });

  test('one for each that begins, and those of a key begin one after the other', async () => {
    const { token } = await makeKey({});
    const signIn = async () => (await new DashboardBrowser(service).askSession(token)).status;
    const statuses = await Promise.all(Array.from({ length: 300 }, signIn));
    // At most a hundred wait; the others are told to retry.
    expect([...new Set(statuses)].sort()).toEqual([201, 503]);
    expect((await list(service)).totalCount).toBe(101);
  });

  test('on every server', async () => {
    const beside = await startBeside(service);
    beside.setTime(startTime);
    const there = new DashboardBrowser(beside);
    there.cookie = browser.cookie;
    expect(await isIn(there)).toBe(true);
    const stream = await follow(there, beside.url);
    await browser.send('/dashboard/session', { method: 'DELETE' });
    expect(await refusalOf(there)).toEqual(ended);
    expect(await stream.ended).toBe('end');
    await beside.close();
  });

  test('and its live streams with it, which keep none alive', async () => {
    const stream = await follow(browser);
    expect(stream.status).toBe(200);
    service.setTime(later(1_000));
    await service.rest('POST', '/ip_policies', {});
    await stream.wait(1);
    service.setTime(later(1_799));
    await service.rest('POST', '/ip_policies', {});
    await stream.wait(2);
    service.setTime(later(1_800));
    expect(await stream.ended).toBe('end');
    expect(stream.data().at(-1)).toEqual({
      errors: [{ message: ended.msg, extensions: { code: 'UNAUTHENTICATED' } }],
    });
  });
});

describe('the sessions of an account', () => {
  test('are listed, and can be ended by who may change keys', async () => {
    const fields = 'id current userAgent clientAddress createdAt lastUsedAt endsAt apiKey { description }';
    const other = new DashboardBrowser(service, { 'User-Agent': `Browser ${'ä'.repeat(200)}` });
    await other.signIn(service.token);
    const { totalCount, nodes } = await list(browser, fields);
    const times = {
      createdAt: '2026-11-20T21:00:00Z',
      lastUsedAt: '2026-11-20T21:00:00Z',
      endsAt: '2026-11-20T21:30:00Z',
    };
    const common = { id: expect.stringMatching(/^dses_/), clientAddress: '127.0.0.1', ...times };
    expect([totalCount, nodes]).toEqual([
      2,
      [
        {
          ...common,
          current: false,
          userAgent: `Browser ${'ä'.repeat(123)}`,
          apiKey: { description: expect.stringMatching(/^key of account/) },
        },
        { ...common, current: true, userAgent: expect.any(String), apiKey: nodes[1].apiKey },
      ],
    ]);
    const node = 'query ($id: ID!) { node(id: $id) { ... on DashboardSession { current } } }';
    expect(dataOf(await browser.graphql(node, { id: nodes[1].id })).node).toEqual({ current: true });
    const stream = await follow(other);
    expect(dataOf(await browser.graphql(end, { id: nodes[0].id }))).toEqual({
      endDashboardSession: { endedId: nodes[0].id },
    });
    expect(await refusalOf(other)).toEqual(ended);
    expect(await stream.ended).toBe('end');
    expect(errorOf(await browser.graphql(end, { id: nodes[0].id }))).toMatchObject({ code: 'NOT_FOUND' });
    // Sessions that are no longer used are not included.
    service.setTime(later(1_800));
    expect((await list(service)).totalCount).toBe(0);
  });

  test('end together, and those that have ended already are passed over', async () => {
    const others = [new DashboardBrowser(service), new DashboardBrowser(service)];
    for (const other of others) await other.signIn(service.token);
    const { nodes } = await list(service, 'id current');
    const own = dataOf(await browser.graphql(viewer)).viewer.dashboardSession.id;
    const ids = nodes.map(({ id }: { id: string }) => id).filter((id: string) => id !== own);
    const endAll = `mutation ($ids: [ID!]!) { endDashboardSessions(input: { ids: $ids }) { endedCount } }`;
    expect(dataOf(await browser.graphql(end, { id: ids[0] }))).toEqual({ endDashboardSession: { endedId: ids[0] } });
    expect(dataOf(await browser.graphql(endAll, { ids }))).toEqual({ endDashboardSessions: { endedCount: 1 } });
    expect(await Promise.all(others.map((other) => refusalOf(other)))).toEqual([ended, ended]);
    expect(await isIn()).toBe(true);
  });

  test('are in the order of their last uses, of one key, and those that hold a text', async () => {
    const key = await makeKey({ description: 'of somebody else' });
    const enter = async (userAgent: string, token: string) => {
      shared.setTime(later(60));
      return new DashboardBrowser(service, { 'User-Agent': userAgent }).signIn(token);
    };
    await enter('Mozilla/5.0 (X11; Linux x86_64) Firefox/145.0', service.token);
    await enter('Mozilla/5.0 (Macintosh) Version/26.0 Safari/605', key.token);
    shared.setTime(later(120));
    expect(await isIn()).toBe(true);
    const agentsOf = async (args: string) => {
      const query = `{ list: dashboardSessions(${args}) { totalCount nodes { userAgent } } }`;
      const { totalCount, nodes } = dataOf(await service.graphql(query)).list;
      expect(totalCount).toBe(nodes.length);
      return nodes.map(({ userAgent }: { userAgent: string }) => /Firefox|Safari/.exec(userAgent)?.[0] ?? 'own');
    };
    await expect.poll(() => agentsOf('orderBy: last_used_at_desc')).toEqual(['own', 'Safari', 'Firefox']);
    expect(await agentsOf('orderBy: last_used_at_asc')).toEqual(['Firefox', 'Safari', 'own']);
    expect(await agentsOf('orderBy: created_at_asc')).toEqual(['own', 'Firefox', 'Safari']);
    expect(await agentsOf(`apiKeyId: "${key.id}"`)).toEqual(['Safari']);
    expect(await agentsOf('search: "linux X86"')).toEqual(['Firefox']);
    expect(await agentsOf(`search: "${key.id.slice(3)}"`)).toEqual(['Safari']);
    expect(await agentsOf('search: "127.0.0", orderBy: last_used_at_asc')).toEqual(['Firefox', 'Safari', 'own']);
    expect(await agentsOf(`search: "mozilla", apiKeyId: "${key.id}"`)).toEqual(['Safari']);
    expect(await agentsOf('search: "nowhere"')).toEqual([]);
    const wrong = errorOf(await service.graphql('{ dashboardSessions(apiKeyId: "ipp_1") { totalCount } }'));
    expect(wrong).toMatchObject({ code: 'INVALID_INPUT', field: 'apiKeyId' });
  });

  test('are what the page of the documentation asks for', async () => {
    const [, query = ''] = /```graphql\n(.*?)```/s.exec(read('docs/dashboard.md')) ?? [];
    const { viewer: told, dashboardSessions } = dataOf(await browser.graphql(query));
    expect(dashboardSessions.nodes).toEqual([
      expect.objectContaining({ ...told.dashboardSession, current: true, clientAddress: told.clientAddress }),
    ]);
  });

  test('are for nobody else to see or to end, but each may end its own', async () => {
    const [{ id }] = (await list(browser)).nodes;
    const stranger = await shared.otherAccount(`stranger ${service.token.slice(-8)}`);
    expect((await list(stranger)).totalCount).toBe(0);
    expect(errorOf(await stranger.graphql(end, { id }))).toMatchObject({ code: 'NOT_FOUND' });
    expect(errorOf(await service.graphql(end, { id: 'dses_x' }))).toMatchObject({ code: 'NOT_FOUND' });
    const { token } = await makeKey({ scopes: ['read'] });
    const reader = await new DashboardBrowser(service).signIn(token);
    expect(errorOf(await reader.graphql(end, { id }))).toMatchObject({
      code: 'FORBIDDEN',
      message: 'The API key lacks "api-keys:write"; it has "read".',
    });
    const own = dataOf(await reader.graphql(viewer)).viewer.dashboardSession.id;
    expect(dataOf(await reader.graphql(end, { id: own })).endDashboardSession).toEqual({ endedId: own });
    expect(await refusalOf(reader)).toEqual(ended);
    expect(await isIn()).toBe(true);
  });

  test('are known to their persons, whatever the key may read', async () => {
    const { token } = await makeKey({ scopes: ['ssh:read'] });
    const narrow = await new DashboardBrowser(service).signIn(token);
    expect(dataOf(await narrow.graphql(viewer)).viewer.dashboardSession.current).toBe(true);
    expect(errorOf(await narrow.graphql('{ dashboardSessions { totalCount } }'))).toMatchObject({ code: 'FORBIDDEN' });
  });
});
