// Programs that pass the gate with an API key, in place of a login.

import { beforeAll, expect, test } from 'vitest';
import type { GateSummary } from '../../src/surfaces/gate/outcome.ts';
import { errorOf, failureOf } from '../support/answers.ts';
import { idpMetadata } from '../support/identity-provider.ts';
import { idpKey } from '../support/login.ts';
import { createClient, ofOneServer, startService, type TestService } from '../support/service.ts';
import { allWays, ask, makeEdge, makeRoute, restrictTo, type WayOfAsking } from './support.ts';

let service: TestService;
let edge: string;
let route: string;
const decided: GateSummary[] = [];
beforeAll(async () => {
  service = ofOneServer(await startService({ gateDecided: (summary) => decided.push(summary) }));
  edge = await makeEdge(service);
  route = await makeRoute(service, edge, '/app', { idp_metadata: idpMetadata([idpKey]) });
  await makeRoute(service, edge, '/staff', { idp_metadata: idpMetadata([idpKey]), authorized_groups: ['staff'] });
  await makeRoute(service, edge, '/open');
});

const makeKey = async (values: object = {}, maker: Pick<TestService, 'rest'> = service) =>
  (await maker.rest('POST', '/api_keys', { scopes: ['gate:pass'], ...values })).body;
const askWith = (token: string, path = '/app', way: WayOfAsking = 'forward-auth', address = '203.0.113.7') => {
  const headers = [`Authorization: Bearer ${token}`, 'Accept: text/html', 'Cookie: theme=dark'];
  return ask(service.url, way, edge, { url: `https://app.example.com${path}`, address, headers });
};
const wrongKey = {
  error: 'invalid_token',
  message: 'The API key is unknown, has expired or has been revoked.',
};

test.each(allWays)('%s: a program passes as itself, and the application does not get its key', async (way) => {
  const { id, token } = await makeKey({ pass_groups: ['staff', 'büro'] });
  for (const path of ['/app', '/staff/list']) {
    expect(await askWith(token, path, way)).toEqual({
      status: 200,
      head: [
        'Content-Length: 0',
        'Cache-Control: no-store',
        `Remote-User: ${id}`,
        'Remote-Groups: staff,b%C3%BCro',
        'Remote-Email: ',
        'Remote-Name: ',
        'Sallyport-Identity: ',
        'Cookie: theme=dark',
        'Authorization: ',
      ],
      body: '',
    });
  }
  expect(decided.at(-1)).toMatchObject({ result: 'allow', reason: 'key', particulars: null });
  expect(JSON.stringify(decided)).not.toContain(token);
});

test('where no login is asked for, a key decides nothing, and is kept from the application as well', async () => {
  const { status, head } = await askWith('sallyport_wrong', '/open');
  expect([status, head.at(-1)]).toEqual([200, 'Authorization: ']);
});

test('an edge forwards keys if it is told to, and what is no key of ours always', async () => {
  const { token } = await makeKey();
  await service.rest('PATCH', `/edges/https/${edge}`, { forwards_keys: true });
  expect((await askWith(token)).head.at(-1)).toBe(`Authorization: Bearer ${token}`);
  await service.rest('PATCH', `/edges/https/${edge}`, { forwards_keys: false });
  expect((await askWith('of-the-application', '/open')).head.at(-1)).toBe('Authorization: Bearer of-the-application');
});

test('a wrong key is refused as programs understand it, without a way to a login', async () => {
  const revoked = await makeKey();
  await service.rest('DELETE', `/api_keys/${revoked.id}`);
  const stranger = await makeKey({}, await service.asNewAccount());
  for (const token of ['sallyport_wrong', revoked.token, stranger.token]) {
    const { status, head, body } = await askWith(token);
    expect([status, JSON.parse(body)]).toEqual([401, wrongKey]);
    expect(head).toContain('WWW-Authenticate: Bearer realm="Sallyport", error="invalid_token"');
    expect(head.join()).not.toMatch(/Location|Set-Cookie|Sallyport-Login/);
  }
});

test('a key without the scope, of another route, or in no authorized group, is refused', async () => {
  const unlimited = await makeKey({ scopes: ['write'] });
  const elsewhere = await makeKey({ pass_at: await makeEdge(service) });
  const here = await makeKey({ pass_at: route });
  const onEdge = await makeKey({ pass_at: edge });
  const statuses = [];
  for (const { token } of [unlimited, elsewhere, here, onEdge]) statuses.push((await askWith(token)).status);
  expect(statuses).toEqual([403, 403, 200, 200]);
  expect((await askWith(here.token, '/staff')).status).toBe(403);
  expect(decided.at(-1)).toMatchObject({ result: 'refuse', reason: 'key', particulars: { user: here.id } });
  expect((await askWith(onEdge.token, '/staff')).status).toBe(403);
  expect(decided.at(-1)).toMatchObject({ result: 'refuse', reason: 'groups', particulars: { user: onEdge.id } });
});

test('IP restrictions apply to programs', async () => {
  const { token } = await makeKey();
  const { restriction } = await restrictTo(service, '198.51.100.0/24', true);
  expect((await askWith(token)).status).toBe(403);
  expect((await askWith(token, '/app', 'forward-auth', '198.51.100.7')).status).toBe(200);
  await service.rest('DELETE', `/ip_restrictions/${restriction}`);
});

test('after many wrong keys from a network, wrong ones wait, and right ones do not', async () => {
  const address = '2001:db8:1::7';
  const statuses = new Set<number>();
  for (let sent = 0; sent < 21; sent += 1)
    statuses.add((await askWith('sallyport_x', '/app', 'ext-authz', address)).status);
  expect([...statuses]).toEqual([401, 429]);
  expect((await askWith('sallyport_x', '/app', 'auth-request', address)).head).toContain('Retry-After: 3');
  const { token } = await makeKey();
  expect((await askWith(token, '/app', 'ext-authz', address)).status).toBe(200);
});

test('refusals are in the trail, with the key that it was', async () => {
  const own = ofOneServer(await startService());
  try {
    const ownEdge = await makeEdge(own);
    const ownRoute = await makeRoute(own, ownEdge, '/app', { idp_metadata: idpMetadata([idpKey]) });
    const limited = await makeKey({ scopes: ['read'], description: 'reader' }, own);
    const revoked = await makeKey({ description: 'gone' }, own);
    await own.rest('DELETE', `/api_keys/${revoked.id}`);
    for (const { token } of [limited, revoked]) {
      await ask(own.url, 'forward-auth', ownEdge, { headers: [`Authorization: Bearer ${token}`] });
    }
    await own.storage.refusals.settled();
    const fields = 'actor { id description } surface clientAddress state';
    const { data } = await own.graphql(`{ auditEvents(action: refuse) { nodes { ${fields} } } }`);
    const refused = { surface: 'gate', clientAddress: '203.0.113.7' };
    expect(data.auditEvents.nodes).toEqual([
      {
        ...refused,
        actor: { id: revoked.id, description: 'gone' },
        state: expect.objectContaining({ code: 'UNAUTHENTICATED', asked: `gate ${ownRoute}`, reason: 'revoked' }),
      },
      {
        ...refused,
        actor: { id: limited.id, description: 'reader' },
        state: expect.objectContaining({ code: 'FORBIDDEN', asked: `gate ${ownRoute}`, reason: null }),
      },
    ]);
  } finally {
    await own.close();
  }
});

test('evaluateGate tells what a program with a key may do', async () => {
  const { id } = await makeKey({ pass_groups: ['others'] });
  const reader = createClient(service.url, (await makeKey({ scopes: ['gate'] })).token);
  const query = `query ($edge: ID!, $key: ID!, $url: String!) {
    evaluateGate(edge: $edge, key: $key, url: $url, address: "203.0.113.7") { allowed steps { check effect message } } }`;
  const evaluate = async (path: string, client: Pick<TestService, 'graphql'> = service) =>
    client.graphql(query, { edge, key: id, url: `https://app.example.com${path}` });
  expect((await evaluate('/app')).data.evaluateGate).toMatchObject({ allowed: true });
  const { allowed, steps } = (await evaluate('/staff')).data.evaluateGate;
  expect([allowed, steps.slice(-2)]).toEqual([
    false,
    [
      { check: 'key', effect: 'pass', message: 'The API key passes here.' },
      { check: 'groups', effect: 'refuse', message: 'The program is in none of the authorized groups.' },
    ],
  ]);
  expect(errorOf(await evaluate('/app', reader))).toMatchObject({ code: 'FORBIDDEN' });
});

test('who may not change edges can give a new key only what its own passes', async () => {
  const maker = await makeKey({ scopes: ['gate:pass', 'api-keys:write'], pass_groups: ['staff'], pass_at: route });
  const client = createClient(service.url, maker.token);
  const make = async (values: object) => client.rest('POST', '/api_keys', { scopes: ['gate:pass'], ...values });
  expect((await make({ pass_groups: ['staff'] })).body).toMatchObject({ pass_groups: ['staff'], pass_at: route });
  expect(failureOf(await make({ pass_groups: ['admins'] }))).toMatchObject({ status: 403, code: 'FORBIDDEN' });
  expect(failureOf(await make({ pass_at: edge }))).toMatchObject({ status: 403, code: 'FORBIDDEN' });
  const other = createClient(service.url, (await makeKey({ scopes: ['read', 'api-keys:write'] })).token);
  const refused = failureOf(await other.rest('POST', '/api_keys', { scopes: ['gate:pass'] }));
  expect(refused).toMatchObject({ status: 403, msg: expect.stringContaining('lacks gate:pass') });
});

test.each([
  [{ pass_groups: [''] }, 'pass_groups[0]'],
  [{ scopes: ['read'], pass_groups: ['staff'] }, 'pass_groups'],
  [{ scopes: ['read'], pass_at: 'edghts_1' }, 'pass_at'],
])('%j is refused at %s', async (values, field) => {
  const answer = await service.rest('POST', '/api_keys', { scopes: ['gate:pass'], ...values });
  expect([answer.status, answer.body.error_code, answer.body.details.field]).toEqual([400, 'INVALID_INPUT', field]);
});

test('a key can be limited only to what there is', async () => {
  const other = await makeEdge(await service.asNewAccount());
  for (const at of ['nothing', other]) {
    const answer = await service.rest('POST', '/api_keys', { scopes: ['gate:pass'], pass_at: at });
    expect(failureOf(answer)).toMatchObject({ status: 400, code: 'UNKNOWN_REFERENCE' });
  }
});
