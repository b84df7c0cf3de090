// One registration for many routes, and one login for one person: at other routes of the edge, and at other edges of the account.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { LoginFailure, SessionEvent } from '../../src/surfaces/gate/session-events.ts';
import {
  honestLogout,
  idpMetadata,
  logoutXml,
  shifted,
  signedQuery,
  withLogout,
} from '../support/identity-provider.ts';
import * as login from '../support/login.ts';
import { host, identityOf, idpKey, locationOf, type Place } from '../support/login.ts';
import { baseUrl, ofOneServer, startService, startTime, type TestService } from '../support/service.ts';

const failures: LoginFailure[] = [];
const events: SessionEvent[] = [];
let service: TestService;
beforeAll(async () => {
  service = ofOneServer(
    await startService({
      loginFailed: (failure) => failures.push(failure),
      sessionHappened: (event) => events.push(event),
    }),
  );
});
afterAll(async () => {
  expect(service.failures).toEqual([]);
  await service.close();
});

const metadata = withLogout(idpMetadata([idpKey]));

/** Adds a route to the edge of a place, with a SAML module of the given settings. */
async function addRoute({ edgeId, acs }: Place, match: string, settings: object): Promise<Place> {
  const route = { match_type: 'path_prefix', match };
  const { id: routeId } = (await service.rest('POST', `/edges/https/${edgeId}/routes`, route)).body;
  const put = await service.rest('PUT', `/edges/https/${edgeId}/routes/${routeId}/saml`, settings);
  expect([put.status, put.body]).toEqual([200, expect.anything()]);
  return { edgeId, routeId, acs };
}

/** Creates an edge of another host, with a route that uses the registration of another one. */
async function elsewhere({ routeId: login_route_id, acs }: Place, name: string, settings: object = {}): Promise<Place> {
  const { id: edgeId } = (await service.rest('POST', '/edges/https', { hostports: [`${name}:443`] })).body;
  return addRoute({ edgeId, routeId: '', acs }, '/', { login_route_id, ...settings });
}

const first = (settings: object = {}) => login.makePlace(service, { idp_metadata: metadata, ...settings });
/** Logs in at a place, through the registration that it uses. */
const enter = async (
  registration: Place,
  place = registration,
  url = `https://${host}/app`,
  sessionIndex = '_session',
) => {
  const browser = new login.Browser(service);
  const { requestId } = await login.leave(browser, place, url);
  const statement = `<saml:AuthnStatement AuthnInstant="${shifted(startTime, 0)}" SessionIndex="${sessionIndex}"/>`;
  const response = login.respond(registration, requestId, { statement });
  const brought = await login.post(service, registration, response, undefined, browser);
  expect((await browser.open(place, locationOf(brought))).status).toBe(302);
  return browser;
};
const at = async (browser: login.Browser, place: Place, url: string) =>
  identityOf(await browser.open(place, url, 'application/json')).slice(0, 2);
/** Opens a page, and follows the redirects at our own address as long as they do not lead to the identity provider. */
const follow = async (browser: login.Browser, place: Place, url: string) => {
  const sent = await browser.open(place, url);
  const led = locationOf(await browser.visit(locationOf(sent)));
  if (!led.includes('/.sallyport/session?ticket=')) return led;
  return locationOf(await browser.open(place, led));
};
const inHost = (name: string) => `https://${name}/reports`;

describe('a session that began at another route', () => {
  const sessionsFrom = async ({ edgeId, routeId }: Place) => {
    const query = `{ httpsEdgeRoute(edgeId: "${edgeId}", id: "${routeId}") {
      loginSessions { nodes { user } } sessionsFrom { match loginSessions { nodes { user } } } } }`;
    return (await service.graphql(query)).data.httpsEdgeRoute;
  };
  const end = async ({ routeId }: Place, more: object = {}) =>
    (
      await service.graphql(
        'mutation ($input: EndLoginSessionsInput!) { endLoginSessions(input: $input) { endedCount } }',
        { input: { routeId, ...more } },
      )
    ).data.endLoginSessions.endedCount;

  test('is listed with the route where it began, and ended at either', async () => {
    const page = await first();
    const api = await addRoute(page, '/api', { login_route_id: page.routeId });
    const strict = await addRoute(page, '/strict', { login_route_id: page.routeId, force_authn: true });
    const browser = await enter(page);
    const amy = { nodes: [{ user: 'amy' }] };
    const nobody = { nodes: [] };
    expect(await sessionsFrom(api)).toEqual({
      loginSessions: nobody,
      sessionsFrom: [
        { match: '/app', loginSessions: amy },
        { match: '/strict', loginSessions: nobody },
      ],
    });
    // Its own is not asked for credentials each time, so none of the others counts there.
    expect((await sessionsFrom(strict)).sessionsFrom).toEqual([]);
    expect(await at(browser, api, `https://${host}/api`)).toEqual([200, 'amy']);
    expect([await end(strict), await end(api, { user: 'amy' })]).toEqual([0, 1]);
    expect(await at(browser, page, `https://${host}/app`)).toEqual([401, null]);

    const again = await enter(page);
    const { data } = await service.graphql(`{ loginSessions(routeId: "${page.routeId}") { nodes { id } } }`);
    expect(await end(api, { ids: [data.loginSessions.nodes[0].id] })).toBe(1);
    expect(await at(again, page, `https://${host}/app`)).toEqual([401, null]);
  });
});

describe('one registration for many routes', () => {
  test('leads to the identity provider in its name, and the response at its address to the route that was wanted', async () => {
    const registration = await first();
    const api = await addRoute(registration, '/api', {
      login_route_id: registration.routeId,
      authorized_groups: ['staff'],
    });
    const browser = new login.Browser(service);
    const { request, requestId } = await login.leave(browser, api, `https://${host}/api/x?y=1`);
    expect(request).toContain(`>${baseUrl}/saml/${registration.routeId}</saml:Issuer>`);
    expect(request).toContain(`AssertionConsumerServiceURL="${registration.acs}"`);
    const brought = await login.post(service, registration, login.respond(registration, requestId));
    const admitted = await browser.open(api, locationOf(brought));
    expect([locationOf(admitted), [...browser.cookies.keys()]]).toEqual([
      `https://${host}/api/x?y=1`,
      expect.arrayContaining([`__Host-sallyport.${api.routeId}`]),
    ]);
    expect(await at(browser, api, `https://${host}/api/x`)).toEqual([200, 'amy']);
  });

  test('takes no response at the address of a route that uses another, and has no metadata there', async () => {
    const registration = await first();
    const api = await addRoute(registration, '/api', { login_route_id: registration.routeId });
    const { requestId } = await login.leave(new login.Browser(service), api, `https://${host}/api`);
    const there = { ...api, acs: `${baseUrl}/saml/${api.routeId}/acs` };
    expect((await login.post(service, there, login.respond(registration, requestId))).status).toBe(404);
    expect((await service.rest('GET', `/saml/${api.routeId}`)).status).toBe(404);
  });

  test.each([
    [
      'force_authn',
      { force_authn: true },
      { statement: `<saml:AuthnStatement AuthnInstant="${shifted(startTime, -3600)}"/>` },
      'not_fresh',
    ],
    ['nameid_format', { nameid_format: 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress' }, {}, 'name_id'],
  ])('is checked by the %s of the route that was wanted', async (_name, settings, other, reason) => {
    const registration = await first();
    const strict = await addRoute(registration, '/strict', { login_route_id: registration.routeId, ...settings });
    const { requestId } = await login.leave(new login.Browser(service), strict, `https://${host}/strict`);
    const answer = await login.post(service, registration, login.respond(registration, requestId, other));
    expect([answer.status, failures.at(-1)?.reason]).toEqual([403, reason]);
    const lax = await login.leave(new login.Browser(service), registration);
    expect((await login.post(service, registration, login.respond(registration, lax.requestId, other))).status).toBe(
      303,
    );
  });

  test('works for the others while the module of its own route is disabled', async () => {
    const registration = await first({ enabled: false });
    const api = await addRoute(registration, '/api', { login_route_id: registration.routeId });
    const browser = await enter(registration, api, `https://${host}/api`);
    expect(await at(browser, api, `https://${host}/api`)).toEqual([200, 'amy']);
  });

  test('refuses the answer for a route that has another registration by then', async () => {
    const [registration, other] = [await first(), await first()];
    const api = await addRoute(registration, '/api', { login_route_id: registration.routeId });
    const { requestId } = await login.leave(new login.Browser(service), api, `https://${host}/api`);
    await service.rest('PUT', `/edges/https/${api.edgeId}/routes/${api.routeId}/saml`, {
      login_route_id: other.routeId,
    });
    const answer = await login.post(service, registration, login.respond(registration, requestId));
    expect([answer.status, failures.at(-1)?.reason]).toEqual([403, 'host']);
  });

  test('takes logins that the identity provider begins to the route of the RelayState, if that allows them', async () => {
    const registration = await first();
    const b = await elsewhere(registration, 'relay.example.com');
    const strict = await elsewhere(registration, 'norelay.example.com', { allow_idp_initiated: false });
    const begun = (url: string) => login.post(service, registration, login.respond(registration, null), url);
    const browser = new login.Browser(service);
    const admitted = await browser.open(b, locationOf(await begun('https://relay.example.com/page?x=1')));
    expect(locationOf(admitted)).toBe('https://relay.example.com/page?x=1');
    expect([(await begun('https://norelay.example.com/')).status, failures.at(-1)?.reason]).toEqual([
      403,
      'unsolicited',
    ]);
    expect([(await begun('https://evil.example.com/')).status, failures.at(-1)?.reason]).toEqual([403, 'relay_state']);
    expect(strict.edgeId).not.toBe(b.edgeId);
  });

  test('ends the sessions of all its routes when it gets another identity provider', async () => {
    const registration = await first();
    const b = await elsewhere(registration, 'change.example.com');
    const browser = await enter(registration, b, inHost('change.example.com'));
    expect(await at(browser, b, inHost('change.example.com'))).toEqual([200, 'amy']);
    await login.configure(service, registration, { idp_metadata: metadata.replace('/metadata"', '/other"') });
    expect(await at(browser, b, inHost('change.example.com'))).toEqual([401, null]);
    await login.configure(service, registration, { idp_metadata: metadata });
    expect(await at(browser, b, inHost('change.example.com'))).toEqual([401, null]);
  });
});

describe('a session', () => {
  test.each([
    ['the same registration', ({ routeId }: Place) => ({ login_route_id: routeId })],
    ['the same identity provider', () => ({ idp_metadata: metadata })],
  ])('counts at another route of the edge with %s, by the groups of that route', async (_name, settings) => {
    const page = await first();
    const api = await addRoute(page, '/api', settings(page));
    const admins = await addRoute(page, '/admins', { ...settings(page), authorized_groups: ['nobody'] });
    const browser = await enter(page);
    expect(await at(browser, page, `https://${host}/app`)).toEqual([200, 'amy']);
    expect(await at(browser, api, `https://${host}/api`)).toEqual([200, 'amy']);
    expect(await at(browser, admins, `https://${host}/admins`)).toEqual([403, null]);
  });

  test('of another route ends there by its longest duration, counted from the login', async () => {
    const page = await first();
    const brief = await addRoute(page, '/brief', { login_route_id: page.routeId, maximum_duration: 600 });
    const browser = await enter(page);
    try {
      service.setTime(new Date(startTime.getTime() + 599_000));
      expect(await at(browser, brief, `https://${host}/brief`)).toEqual([200, 'amy']);
      service.setTime(new Date(startTime.getTime() + 600_000));
      expect(await at(browser, brief, `https://${host}/brief`)).toEqual([401, null]);
      expect(await at(browser, page, `https://${host}/app`)).toEqual([200, 'amy']);
      // Nor is it continued: the user is asked again.
      expect(await follow(browser, brief, `https://${host}/brief`)).toMatch(/^https:\/\/idp\.example\.com\/sso\?/);
    } finally {
      service.setTime(startTime);
    }
  });

  test.each([
    ['demands credentials', {}, { force_authn: true }],
    ['takes no logins that the identity provider begins', {}, { allow_idp_initiated: false }],
    ['ends sessions sooner that are not used', { inactivity_timeout: 900 }, { inactivity_timeout: 300 }],
    ['wants another kind of name', {}, { nameid_format: 'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified' }],
  ])('does not count at a route that %s, which the first does not', async (_name, ofFirst, ofSecond) => {
    const page = await first(ofFirst);
    const strict = await addRoute(page, '/strict', { login_route_id: page.routeId, ...ofSecond });
    const browser = await enter(page);
    expect(await at(browser, page, `https://${host}/app`)).toEqual([200, 'amy']);
    expect(await at(browser, strict, `https://${host}/strict`)).toEqual([401, null]);
  });

  test('is not kept alive at one route by its use at another that has no limit', async () => {
    const page = await first({ inactivity_timeout: 300 });
    const lax = await addRoute(page, '/lax', { login_route_id: page.routeId });
    const browser = await enter(page);
    try {
      service.setTime(new Date(startTime.getTime() + 301_000));
      expect(await at(browser, lax, `https://${host}/lax`)).toEqual([401, null]);
      expect(await at(browser, page, `https://${host}/app`)).toEqual([401, null]);
    } finally {
      service.setTime(startTime);
    }
  });

  test('is continued at another edge without asking its user again, for as long as it lasts', async () => {
    const page = await first();
    const b = await elsewhere(page, 'b.example.com');
    const brief = await elsewhere(page, 'brief.example.com', { maximum_duration: 600 });
    const browser = await enter(page);
    expect(await follow(browser, b, inHost('b.example.com'))).toBe(inHost('b.example.com'));
    expect(events.at(-1)).toMatchObject({ event: 'login', reason: 'continued', routeId: b.routeId });
    expect(await at(browser, b, inHost('b.example.com'))).toEqual([200, 'amy']);
    try {
      service.setTime(new Date(startTime.getTime() + 500_000));
      expect(await follow(browser, brief, inHost('brief.example.com'))).toBe(inHost('brief.example.com'));
      service.setTime(new Date(startTime.getTime() + 600_000));
      expect(await at(browser, brief, inHost('brief.example.com'))).toEqual([401, null]);
    } finally {
      service.setTime(startTime);
    }
  });

  test.each([
    ['of another browser', async (page: Place) => [await enter(page), new login.Browser(service)] as const, {}],
    [
      'where the other route demands credentials',
      async (page: Place) => Array(2).fill(await enter(page)),
      { force_authn: true },
    ],
  ])('is not continued %s', async (_name, browsers, settings) => {
    const page = await first();
    const b = await elsewhere(page, 'not.example.com', settings);
    const [, browser] = await browsers(page);
    expect(await follow(browser as login.Browser, b, inHost('not.example.com'))).toMatch(
      /^https:\/\/idp\.example\.com\/sso\?/,
    );
  });

  test('that ends before the browser has fetched the one that continues it takes that along', async () => {
    const page = await first();
    const b = await elsewhere(page, 'late.example.com');
    const browser = await enter(page);
    const sent = await browser.open(b, inHost('late.example.com'));
    const led = locationOf(await browser.visit(locationOf(sent)));
    expect(led).toContain('ticket=');
    await browser.open(page, `https://${host}/.sallyport/logout`);
    expect((await browser.open(b, led)).status).toBe(403);
    expect(await at(browser, b, inHost('late.example.com'))).toEqual([401, null]);
  });
});

describe('a logout', () => {
  const enterBoth = async (other: string) => {
    const page = await first();
    const b = await elsewhere(page, other);
    const browser = await enter(page);
    await follow(browser, b, inHost(other));
    expect(await at(browser, b, inHost(other))).toEqual([200, 'amy']);
    return { page, b, browser };
  };

  test('at one application ends the sessions at all of them, and the page after it names their hosts', async () => {
    const { page, b, browser } = await enterBoth('out.example.com');
    const others = await enter(page, page, `https://${host}/app`, '_other');
    const sent = await browser.open(b, 'https://out.example.com/.sallyport/logout');
    expect(events.at(-1)).toMatchObject({ event: 'logout', reason: 'user', sessions: 2 });
    expect(await at(browser, page, `https://${host}/app`)).toEqual([401, null]);
    expect(await at(browser, b, inHost('out.example.com'))).toEqual([401, null]);
    expect(await at(others, page, `https://${host}/app`)).toEqual([200, 'amy']);
    const asked = locationOf(await browser.visit(locationOf(sent)));
    const { request, requestId } = login.readRequest(asked);
    expect(request).toContain(`>${baseUrl}/saml/${page.routeId}</saml:Issuer>`);
    const slo = `${baseUrl}/saml/${page.routeId}/slo`;
    const answer = signedQuery(logoutXml(honestLogout(slo, startTime, requestId)), idpKey);
    const shown = await (await browser.visit(`${slo}?${answer}`)).text();
    expect(/<p>(.*)<\/p>/.exec(shown)?.[1]).toMatch(
      /^You are logged out\. .* Sessions have ended at: (?:app\.example\.com, out\.example\.com|out\.example\.com, app\.example\.com)\.$/,
    );
    // The next page asks again.
    expect(await follow(browser, b, inHost('out.example.com'))).toMatch(/^https:\/\/idp\.example\.com\/sso\?/);
  });

  test('by the identity provider ends the sessions at all routes of the registration', async () => {
    const { page, b, browser } = await enterBoth('idpout.example.com');
    const slo = `${baseUrl}/saml/${page.routeId}/slo`;
    await fetch(
      `${slo.replace(baseUrl, service.url)}?${signedQuery(logoutXml(honestLogout(slo, startTime)), idpKey)}`,
      {
        redirect: 'manual',
      },
    );
    expect(events.at(-1)).toMatchObject({ reason: 'identity_provider', sessions: 2 });
    expect(await at(browser, page, `https://${host}/app`)).toEqual([401, null]);
    expect(await at(browser, b, inHost('idpout.example.com'))).toEqual([401, null]);
  });
});
