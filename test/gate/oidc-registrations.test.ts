// One registration at an OpenID provider for many routes, and one login for one person.

import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { Browser, host, identityOf, locationOf, type Place } from '../support/login.ts';
import { type OpenIdLogins, page, pathOf, startOpenIdLogins } from '../support/openid-login.ts';
import { clientId, clientSecret } from '../support/openid-provider.ts';
import { baseUrl, type Client } from '../support/service.ts';

let logins: OpenIdLogins;
beforeAll(async () => {
  logins = await startOpenIdLogins();
});
afterAll(() => logins.close());
beforeEach(() => {
  logins.provider.lie({});
  logins.failures.length = 0;
});

const client = () => ({ issuer: logins.provider.issuer, client_id: clientId, client_secret: clientSecret });
const strict = { authorized_email_domains: ['example.com'] };

/** Creates a registration, and a route at another host that uses it, in an account of their own. */
async function makeBoth(settings: object = {}): Promise<{ owner: Client; own: Place; user: Place; wanted: string }> {
  const owner = await logins.service.asNewAccount();
  const own = await logins.makePlace({}, owner);
  const edge = await owner.rest('POST', '/edges/https', { hostports: ['wiki.example.com:443'] });
  const edgeId: string = edge.body.id;
  const route = { match_type: 'path_prefix', match: '/' };
  const { id: routeId } = (await owner.rest('POST', `/edges/https/${edgeId}/routes`, route)).body;
  const user = { edgeId, routeId, acs: '' };
  const module = { login_route_id: own.routeId, ...settings };
  expect((await owner.rest('PUT', pathOf(user), module)).status).toBe(200);
  return { owner, own, user, wanted: 'https://wiki.example.com/page' };
}

/** Goes from a page to our own address, and returns where that leads. */
async function lead(browser: Browser, place: Place, url: string): Promise<URL> {
  const asked = await browser.visit(locationOf(await browser.open(place, url)));
  expect(asked.status).toBe(303);
  return new URL(locationOf(asked));
}

test('a route that uses a registration has its addresses, and its own scopes, groups and domains', async () => {
  const { own, user, wanted } = await makeBoth({ scopes: ['groups'], authorized_groups: ['admins'] });
  const browser = new Browser(logins.service);
  const request = await lead(browser, user, wanted);
  expect(Object.fromEntries(request.searchParams)).toMatchObject({
    client_id: clientId,
    redirect_uri: `${baseUrl}/oidc/${own.routeId}/callback`,
    scope: 'openid groups',
  });
  const brought = await browser.visit(logins.provider.answer(request).href);
  expect(locationOf(await browser.open(user, locationOf(brought)))).toBe(wanted);
  expect(identityOf(await browser.open(user, wanted))).toEqual([200, 'amy-1', 'staff,admins', 'amy@example.com']);
});

test.each([
  ['the same registration', ({ routeId }: Place) => ({ login_route_id: routeId }), 200],
  ['the same client', () => client(), 200],
  ['another client of the provider', () => ({ ...client(), client_id: 'another' }), 401],
  ['the same registration and a stricter rule', ({ routeId }: Place) => ({ login_route_id: routeId, ...strict }), 401],
])('a session counts at another route of its edge and host: %s', async (_what, settings, status) => {
  const owner = await logins.service.asNewAccount();
  const own = await logins.makePlace({}, owner);
  const browser = await logins.enter(own);
  /** Answers a script of the page at another route of the edge, of the given groups. */
  const atRoute = async (match: string, more: object) => {
    const { id: routeId } = (
      await owner.rest('POST', `/edges/https/${own.edgeId}/routes`, { match_type: 'path_prefix', match })
    ).body;
    const place = { ...own, routeId };
    expect((await owner.rest('PUT', pathOf(place), { ...settings(own), ...more })).status).toBe(200);
    return identityOf(await browser.open(place, `https://${host}${match}`, 'application/json')).slice(0, 2);
  };
  expect(await atRoute('/api', {})).toEqual([status, status === 200 ? 'amy-1' : null]);
  // Its own groups are compared at every request.
  expect(await atRoute('/admins', { authorized_groups: ['nobody'] })).toEqual([status === 200 ? 403 : 401, null]);
});

test('each route checks what its own module demands', async () => {
  const { own, user, wanted } = await makeBoth({ authorized_email_domains: ['example.org'] });
  const browser = await logins.enter(own);
  // Its session elsewhere was not accepted by these rules, so the provider is asked.
  const request = await lead(browser, user, wanted);
  expect(request.origin).toBe(logins.provider.issuer);
  expect((await browser.visit(logins.provider.answer(request).href)).status).toBe(403);
  expect(logins.failures.map(({ reason, routeId }) => [reason, routeId])).toEqual([['email_domain', own.routeId]]);
});

test('nothing arrives at the addresses of a route that uses another', async () => {
  const { own, user, wanted } = await makeBoth();
  const browser = new Browser(logins.service);
  const back = logins.provider.answer(await lead(browser, user, wanted)).href;
  expect((await browser.visit(back.replace(own.routeId, user.routeId))).status).toBe(404);
  const tell = { method: 'POST', body: new URLSearchParams({ logout_token: logins.provider.logoutToken() }) };
  expect((await fetch(`${logins.service.url}/oidc/${user.routeId}/backchannel-logout`, tell)).status).toBe(404);
});

test('who is logged in at one of them is not asked again at the other; a logout at the provider ends both', async () => {
  const { own, user, wanted } = await makeBoth();
  const browser = await logins.enter(own);
  const asked = logins.provider.asked.length;
  const ticket = await lead(browser, user, wanted);
  expect(ticket.host).toBe('wiki.example.com');
  expect(locationOf(await browser.open(user, ticket.href))).toBe(wanted);
  expect(logins.provider.asked.length).toBe(asked);
  const statuses = async () => [
    (await browser.open(own, page)).status,
    (await browser.open(user, wanted, 'application/json')).status,
  ];
  expect(await statuses()).toEqual([200, 200]);
  const body = new URLSearchParams({ logout_token: logins.provider.logoutToken({ sub: undefined, sid: 'session-1' }) });
  const told = await fetch(`${logins.service.url}/oidc/${own.routeId}/backchannel-logout`, { method: 'POST', body });
  expect([told.status, logins.events.at(-1)]).toMatchObject([200, { reason: 'identity_provider', sessions: 2 }]);
  expect(await statuses()).toEqual([302, 401]);
});

test('a logout at one of them ends both', async () => {
  const { own, user, wanted } = await makeBoth();
  const browser = await logins.enter(own);
  await browser.open(user, (await lead(browser, user, wanted)).href);
  await browser.open(own, `https://${host}/.sallyport/logout`);
  expect((await browser.open(user, wanted, 'application/json')).status).toBe(401);
});

test('another client of the registration ends the sessions of all routes that use it', async () => {
  const { owner, own, user, wanted } = await makeBoth();
  const browser = await logins.enter(own);
  await browser.open(user, (await lead(browser, user, wanted)).href);
  const client = { issuer: logins.provider.issuer, client_secret: clientSecret };
  for (const client_id of ['another', clientId]) await owner.rest('PUT', pathOf(own), { ...client, client_id });
  expect((await browser.open(user, wanted, 'application/json')).status).toBe(401);
});

test('whether the provider can be used is known of the registration', async () => {
  const { owner, own, user, wanted } = await makeBoth();
  const client = { issuer: logins.provider.issuer, client_id: clientId, client_secret: 'a wrong one' };
  await owner.rest('PUT', pathOf(own), client);
  const browser = new Browser(logins.service);
  await browser.visit(logins.provider.answer(await lead(browser, user, wanted)).href);
  const { data } = await owner.graphql('{ attention { code message } }');
  expect(data.attention).toContainEqual({
    code: 'oidc_provider_fails',
    message: expect.stringContaining('This concerns 2 routes: "/app", "/".'),
  });
});
