// Single logout begun by either side, through browsers and identity providers. All messages are signed by real keys.

import { inflateRawSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { LoginFailure, SessionEvent } from '../../src/surfaces/gate/session-events.ts';
import {
  encode,
  honestLogout,
  idpMetadata,
  logoutXml,
  makeIdpKey,
  type SpokenLogout,
  shifted,
  signed,
  signedQuery,
  withLogout,
} from '../support/identity-provider.ts';
import * as login from '../support/login.ts';
import { formOf, host, idpKey, locationOf, type Place } from '../support/login.ts';
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
const makePlace = (settings: object = {}) => login.makePlace(service, { idp_metadata: metadata, ...settings });
const enter = async (place: Place, sessionIndex = '_session') => {
  const browser = new login.Browser(service);
  const statement = `<saml:AuthnStatement AuthnInstant="${shifted(startTime, 0)}" SessionIndex="${sessionIndex}"/>`;
  await login.logIn(service, browser, place, { statement });
  expect(await isIn(browser, place)).toBe(true);
  return browser;
};
const isIn = async (browser: login.Browser, place: Place) =>
  (await browser.open(place, `https://${host}/app`, 'application/json')).status === 200;

const sloOf = ({ routeId }: Place) => `${baseUrl}/saml/${routeId}/slo`;
const here = (url: string) => url.replace(baseUrl, service.url);
const redirectTo = (place: Place, query: string) => fetch(`${here(sloOf(place))}?${query}`, { redirect: 'manual' });
const postTo = (place: Place, fields: Record<string, string>) =>
  fetch(here(sloOf(place)), { method: 'POST', redirect: 'manual', body: new URLSearchParams(fields) });
const requestOf = (place: Place, other: Partial<SpokenLogout> = {}) =>
  logoutXml({ ...honestLogout(sloOf(place), startTime), ...other });
const named = (nameId: string, ...indexes: string[]) =>
  `<saml:NameID>${nameId}</saml:NameID>${indexes.map((index) => `<samlp:SessionIndex>${index}</samlp:SessionIndex>`).join('')}`;

/** Returns the message that a redirect carries to the identity provider. */
function messageIn(url: string): { at: string; xml: string; relayState: string | null } {
  const { origin, pathname, searchParams } = new URL(url);
  const encoded = searchParams.get('SAMLRequest') ?? searchParams.get('SAMLResponse') ?? '';
  expect([...searchParams.keys()].slice(-2)).toEqual(['SigAlg', 'Signature']);
  return {
    at: origin + pathname,
    xml: inflateRawSync(Buffer.from(encoded, 'base64')).toString(),
    relayState: searchParams.get('RelayState'),
  };
}

describe('a logout that the identity provider begins', () => {
  test('by redirect ends the session with the very next request, and is answered', async () => {
    const place = await makePlace();
    const browser = await enter(place);
    const xml = requestOf(place);
    const answer = await redirectTo(place, signedQuery(xml, idpKey, 'its state'));
    expect(answer.status).toBe(302);
    const { at, xml: response, relayState } = messageIn(locationOf(answer));
    expect([at, relayState]).toEqual(['https://idp.example.com/slo', 'its state']);
    expect(response).toContain(`InResponseTo="${/ ID="([^"]+)"/.exec(xml)?.[1]}"`);
    expect(response).toContain('SAML:2.0:status:Success');
    expect(await isIn(browser, place)).toBe(false);
    expect(events.at(-1)).toEqual({
      event: 'logout',
      routeId: place.routeId,
      reason: 'identity_provider',
      reference: answer.headers.get('x-request-id'),
      sessions: 1,
    });
  });

  test('in a form is answered in one, where the identity provider takes nothing else', async () => {
    const place = await makePlace({ idp_metadata: withLogout(idpMetadata([idpKey]), 'POST') });
    const browser = await enter(place);
    const SAMLRequest = encode(signed(requestOf(place), 'LogoutRequest', idpKey));
    const answer = await postTo(place, { SAMLRequest, RelayState: '"><script>' });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('x-frame-options')).toBeNull();
    expect(answer.headers.get('content-security-policy')).not.toContain('frame-ancestors');
    const { action, fields } = formOf(await answer.text());
    expect([action, [...fields.keys()], fields.get('RelayState')]).toEqual([
      'https://idp.example.com/slo',
      ['SAMLResponse', 'RelayState'],
      '&#34;&#62;&#60;script&#62;',
    ]);
    expect(Buffer.from(fields.get('SAMLResponse') ?? '', 'base64').toString()).toContain('<ds:SignatureValue>');
    expect(await isIn(browser, place)).toBe(false);
  });

  test('goes to where responses are taken, and to a page where none are', async () => {
    const elsewhere = ' ResponseLocation="https://idp.example.com/done"';
    const place = await makePlace({ idp_metadata: withLogout(idpMetadata([idpKey]), 'Redirect', elsewhere) });
    const answer = await redirectTo(place, signedQuery(requestOf(place), idpKey));
    expect(messageIn(locationOf(answer)).at).toBe('https://idp.example.com/done');
    const silent = await makePlace({ idp_metadata: idpMetadata([idpKey]) });
    const browser = await enter(silent);
    const page = await redirectTo(silent, signedQuery(requestOf(silent), idpKey));
    const text = await page.text();
    expect([page.status, text]).toEqual([200, expect.stringContaining('You are logged out.')]);
    expect(await isIn(browser, silent)).toBe(false);
    // It leads on, as does the page of a refusal.
    const on = `<a href="/saml/${silent.routeId}/login">Log in again</a>`;
    expect(text).toContain(on);
    const refused = await redirectTo(silent, 'SAMLRequest=x');
    expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining(on)]);
    expect(locationOf(await browser.visit(`${baseUrl}/saml/${silent.routeId}/login`))).toBe(`https://${host}/app`);
  });

  test('ends what it names, of its user, at its route, and nothing else', async () => {
    const [place, other] = [await makePlace(), await makePlace()];
    const [first, second, third] = [await enter(place, '_1'), await enter(place, '_2'), await enter(place, '_3')];
    const elsewhere = await enter(other, '_1');
    const all = async () => [
      await isIn(first, place),
      await isIn(second, place),
      await isIn(third, place),
      await isIn(elsewhere, other),
    ];
    const send = (content: string) => redirectTo(place, signedQuery(requestOf(place, { content }), idpKey));
    await send(named('eve'));
    await send(named('AMY', '_1'));
    await send(named('amy', '_9'));
    expect(await all()).toEqual([true, true, true, true]);
    await send(named('amy', '_1', '_2'));
    expect(await all()).toEqual([false, false, true, true]);
    await send(named('amy'));
    expect(await all()).toEqual([false, false, false, true]);
  });

  test('ends a login as well whose browser has not come for its session yet', async () => {
    const place = await makePlace();
    const browser = new login.Browser(service);
    const { requestId } = await login.leave(browser, place);
    const ticket = locationOf(await login.post(service, place, login.respond(place, requestId)));
    await redirectTo(place, signedQuery(requestOf(place, { content: named('eve') }), idpKey));
    await redirectTo(place, signedQuery(requestOf(place), idpKey));
    expect((await browser.open(place, ticket)).status).toBe(403);
  });

  test('refuses what it vouched for before and what arrives only then, and nothing that it vouches for later', async () => {
    const place = await makePlace();
    const late = new login.Browser(service);
    const { requestId } = await login.leave(late, place);
    await redirectTo(place, signedQuery(requestOf(place, { content: named('amy') }), idpKey));
    const before = new Date(startTime.getTime() - 1000);
    const refused = await login.post(service, place, login.respond(place, requestId, {}, before));
    expect([refused.status, await refused.text()]).toEqual([
      403,
      expect.stringContaining('You have been logged out meanwhile. Log in again.'),
    ]);
    expect(failures.at(-1)?.reason).toBe('logged_out');
    const answered = await login.post(service, place, login.respond(place, requestId));
    expect((await late.open(place, locationOf(answered))).status).toBe(302);
    expect(await isIn(late, place)).toBe(true);
  });

  test('does no harm when it comes again: it ends nothing that has begun since, and is answered the same', async () => {
    const place = await makePlace();
    await enter(place);
    const query = signedQuery(requestOf(place), idpKey);
    await redirectTo(place, query);
    const later = await enter(place, '_later');
    const answer = await redirectTo(place, query);
    expect([answer.status, messageIn(locationOf(answer)).xml]).toEqual([
      302,
      expect.stringContaining('status:Success'),
    ]);
    expect(await isIn(later, place)).toBe(true);
  });

  test('is refused without a signature of its key, and ends nothing', async () => {
    const [place, other] = [await makePlace(), await makePlace()];
    const browser = await enter(place);
    const xml = requestOf(place);
    const good = signedQuery(xml, idpKey);
    const forged = [
      () => redirectTo(place, good.replace(/&SigAlg=.*/, '')),
      () => redirectTo(place, signedQuery(xml, makeIdpKey())),
      () => redirectTo(place, signedQuery(xml, idpKey, '', 'rsa-sha1')),
      () => redirectTo(place, signedQuery(requestOf(other), idpKey)),
      () => postTo(place, { SAMLRequest: encode(xml) }),
      () => postTo(place, { SAMLRequest: encode(signed(xml, 'LogoutRequest', makeIdpKey())) }),
      () =>
        postTo(place, {
          SAMLRequest: encode(signed(xml, 'LogoutRequest', idpKey).replace('>amy<', '>am<!-- -->y<x/><')),
        }),
    ];
    const reasons: (string | undefined)[] = [];
    for (const forge of forged) {
      const answer = await forge();
      expect([answer.status, answer.headers.get('location')]).toEqual([403, null]);
      const failure = failures.at(-1);
      expect(await answer.text()).toContain(failure?.requestId);
      reasons.push(failure?.reason);
    }
    expect(reasons).toEqual([
      'signature',
      'signature',
      'weak_algorithm',
      'destination',
      'signature',
      'signature',
      'signature',
    ]);
    expect(await isIn(browser, place)).toBe(true);
  });

  test('works while the module is disabled, and not once the metadata has expired', async () => {
    const place = await makePlace();
    const browser = await enter(place);
    await login.configure(service, place, { idp_metadata: metadata, enabled: false });
    expect((await redirectTo(place, signedQuery(requestOf(place), idpKey))).status).toBe(302);
    await login.configure(service, place, { idp_metadata: metadata });
    expect(await isIn(browser, place)).toBe(false);
    const expired = withLogout(idpMetadata([idpKey], ` validUntil="${shifted(startTime, -1)}"`));
    await login.configure(service, place, { idp_metadata: expired });
    expect((await redirectTo(place, signedQuery(requestOf(place), idpKey))).status).toBe(403);
    expect(failures.at(-1)?.reason).toBe('metadata_expired');
  });

  test('is unknown where there is no module, and takes no other method', async () => {
    const place = await makePlace();
    expect((await fetch(here(sloOf(place)), { method: 'PUT' })).status).toBe(405);
    await service.rest('DELETE', `/edges/https/${place.edgeId}/routes/${place.routeId}/saml`);
    expect((await redirectTo(place, signedQuery(requestOf(place), idpKey))).status).toBe(404);
  });
});

describe('a route on three hosts', () => {
  const hosts = [host, 'b.example.com', 'c.example.com'];
  const enterAll = async () => {
    // Otherwise the login at the second host continues the first session, without asking the identity provider.
    const place = await makePlace({ force_authn: true });
    await service.rest('PATCH', `/edges/https/${place.edgeId}`, { hostports: hosts.map((each) => `${each}:443`) });
    const browser = new login.Browser(service);
    const cookies: ReadonlyMap<string, string>[] = [];
    for (const [place_, each] of hosts.entries()) {
      browser.cookies.clear();
      const { requestId } = await login.leave(browser, place, `https://${each}/app`);
      const statement = `<saml:AuthnStatement AuthnInstant="${shifted(startTime, 0)}" SessionIndex="_at${place_}"/>`;
      const brought = await login.post(service, place, login.respond(place, requestId, { statement }));
      await browser.open(place, locationOf(brought));
      cookies.push(new Map(browser.cookies));
    }
    const goTo = (at: number) => {
      browser.cookies.clear();
      for (const [name, value] of cookies[at] ?? []) browser.cookies.set(name, value);
    };
    const statuses = async () => {
      const all: number[] = [];
      for (const [at, each] of hosts.entries()) {
        goTo(at);
        all.push((await browser.open(place, `https://${each}/app`, 'application/json')).status);
      }
      return all;
    };
    expect(await statuses()).toEqual([200, 200, 200]);
    return { place, browser, goTo, statuses };
  };

  test('is left at all of them with one logout at the identity provider, and only in that browser', async () => {
    const { place, statuses } = await enterAll();
    const other = await enter(place, '_other');
    const answer = await redirectTo(place, signedQuery(requestOf(place, { content: named('amy', '_at2') }), idpKey));
    expect(answer.status).toBe(302);
    expect(events.at(-1)).toMatchObject({ reason: 'identity_provider', sessions: 3 });
    expect([await statuses(), await isIn(other, place)]).toEqual([[401, 401, 401], true]);
  });

  test('is left at all of them with one logout at the application', async () => {
    const { place, browser, goTo, statuses } = await enterAll();
    const other = await enter(place, '_other');
    goTo(1);
    expect((await browser.open(place, 'https://b.example.com/.sallyport/logout')).status).toBe(302);
    expect(events.at(-1)).toMatchObject({ reason: 'user', sessions: 3 });
    expect([await statuses(), await isIn(other, place)]).toEqual([[401, 401, 401], true]);
  });
});

describe('a logout that the user begins', () => {
  const logout = `https://${host}/.sallyport/logout`;
  const leave = (browser: login.Browser, place: Place, headers = {}, url = logout, way = 'forward-auth') =>
    browser.open(place, url, 'text/html', way, headers);
  const respondTo = (place: Place, request: string, other: Partial<SpokenLogout> = {}) => {
    const id = / ID="([^"]+)"/.exec(request)?.[1] ?? '';
    return signedQuery(logoutXml({ ...honestLogout(sloOf(place), startTime, id), ...other }), idpKey);
  };

  test('ends the session at once, goes to the identity provider and ends on a page', async () => {
    const place = await makePlace();
    const browser = await enter(place);
    const token = browser.cookies.get(`__Host-sallyport.${place.routeId}`) ?? '';
    const sent = await leave(browser, place);
    expect([sent.status, sent.headers.getSetCookie()]).toEqual([
      302,
      [`__Host-sallyport.${place.routeId}=; Path=/; Max-Age=0; Secure; HttpOnly; SameSite=Lax`],
    ]);
    expect(locationOf(sent)).toMatch(new RegExp(`^${baseUrl}/saml/${place.routeId}/logout\\?state=[\\w-]+$`));
    browser.cookies.set(`__Host-sallyport.${place.routeId}`, token);
    expect(await isIn(browser, place)).toBe(false);
    expect(events.at(-1)).toEqual({
      event: 'logout',
      routeId: place.routeId,
      reason: 'user',
      reference: expect.stringMatching(/^sess_/),
      sessions: 1,
    });

    const asked = await browser.visit(locationOf(sent));
    const { at, xml } = messageIn(locationOf(asked));
    expect(at).toBe('https://idp.example.com/slo');
    expect(xml).toMatch(/<saml:NameID Format="[^"]+persistent" [^>]*>amy<\/saml:NameID><samlp:SessionIndex>_session</);
    const done = await redirectTo(place, respondTo(place, xml));
    expect([done.status, await done.text()]).toEqual([200, expect.stringContaining('You are logged out.')]);
    expect(done.headers.get('x-frame-options')).toBeNull();
  });

  test('goes through nginx, which takes nothing but 401', async () => {
    const place = await makePlace();
    const sent = await leave(await enter(place), place, {}, logout, 'auth-request');
    expect([sent.status, locationOf(sent)]).toEqual([401, expect.stringContaining('/logout?state=')]);
  });

  test('takes the request in a form where the identity provider takes nothing else', async () => {
    const place = await makePlace({ idp_metadata: withLogout(idpMetadata([idpKey]), 'POST') });
    const browser = await enter(place);
    const page = await browser.visit(locationOf(await leave(browser, place)));
    const { action, fields } = formOf(await page.text());
    expect([action, [...fields.keys()]]).toEqual(['https://idp.example.com/slo', ['SAMLRequest']]);
  });

  test('ends here where the identity provider takes no logouts, or the session had ended before', async () => {
    const place = await makePlace({ idp_metadata: idpMetadata([idpKey]) });
    const browser = await enter(place);
    const page = await browser.visit(locationOf(await leave(browser, place)));
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('Your session here has ended.')]);
    expect(await isIn(browser, place)).toBe(false);
    const again = locationOf(await leave(browser, place));
    expect(again).toBe(`${baseUrl}/saml/${place.routeId}/logout`);
    expect(await (await browser.visit(again)).text()).toContain('Your session here has ended.');
  });

  test('tells an identity provider nothing of whom another one has vouched for', async () => {
    const place = await makePlace();
    const browser = await enter(place);
    const other = metadata.replace('idp.example.com/metadata', 'other.example');
    await login.configure(service, place, { idp_metadata: other });
    expect(locationOf(await leave(browser, place))).toBe(`${baseUrl}/saml/${place.routeId}/logout`);
  });

  test('ends the sessions of all routes of the host', async () => {
    const place = await makePlace();
    const route = { match_type: 'path_prefix', match: '/other' };
    const { id: routeId } = (await service.rest('POST', `/edges/https/${place.edgeId}/routes`, route)).body;
    const second = { ...place, routeId, acs: `${baseUrl}/saml/${routeId}/acs` };
    await login.configure(service, second, { idp_metadata: metadata, force_authn: true });
    const browser = await enter(place);
    const { requestId } = await login.leave(browser, second, `https://${host}/other`);
    await browser.open(second, locationOf(await login.post(service, second, login.respond(second, requestId))));
    const statusAt = async (path: string) =>
      (await browser.open(place, `https://${host}${path}`, 'application/json')).status;
    expect([await statusAt('/app'), await statusAt('/other')]).toEqual([200, 200]);
    const cookies = new Map(browser.cookies);
    await leave(browser, place);
    for (const [name, value] of cookies) browser.cookies.set(name, value);
    expect([await statusAt('/app'), await statusAt('/other')]).toEqual([401, 401]);
  });

  test('is not begun by other sites, nor by what loads pages ahead, nor over plain HTTP or another host', async () => {
    const place = await makePlace();
    const browser = await enter(place);
    const refused = [
      await leave(browser, place, { 'Sec-Fetch-Site': 'cross-site' }),
      await leave(browser, place, { 'Sec-Purpose': 'prefetch;prerender' }),
      await leave(browser, place, { 'X-Forwarded-Method': 'HEAD' }),
      await leave(browser, place, {}, logout.replace('https', 'http')),
      await leave(browser, place, {}, logout.replace(host, 'evil.example.com')),
    ];
    expect(refused.map(({ status, headers }) => [status, headers.get('location')])).toEqual(
      refused.map(() => [403, null]),
    );
    expect(await isIn(browser, place)).toBe(true);
    expect((await leave(browser, place, { 'Sec-Fetch-Site': 'same-origin' })).status).toBe(302);
    expect(await isIn(browser, place)).toBe(false);
  });

  test('is not for the session of another browser', async () => {
    const place = await makePlace();
    const browser = await enter(place);
    expect(locationOf(await leave(new login.Browser(service), place))).not.toContain('state');
    expect(await isIn(browser, place)).toBe(true);
  });

  test('sends nobody but whom the gate has sent, for ten minutes', async () => {
    const [place, other] = [await makePlace(), await makePlace()];
    const browser = await enter(place);
    const at = locationOf(await leave(browser, place));
    const here = async (url: string) => (await browser.visit(url)).status;
    expect(await here(at.replace(place.routeId, other.routeId))).toBe(200);
    expect(await here(`${at.slice(0, -4)}AAAA`)).toBe(200);
    service.setTime(new Date(startTime.getTime() + 600_000));
    expect(await here(at)).toBe(200);
    service.setTime(startTime);
    expect(await here(at)).toBe(302);
  });

  test('says so where the identity provider has not logged the user out, or cannot be believed', async () => {
    const place = await makePlace();
    const browser = await enter(place);
    const { xml } = messageIn(locationOf(await browser.visit(locationOf(await leave(browser, place)))));
    const responder = 'urn:oasis:names:tc:SAML:2.0:status:Responder';
    const answers = [
      respondTo(place, xml, { content: `<samlp:Status><samlp:StatusCode Value="${responder}"/></samlp:Status>` }),
      respondTo(place, xml).replace(/&SigAlg=.*/, ''),
      respondTo(place, requestOf(place)),
    ];
    const reasons: (string | undefined)[] = [];
    for (const answer of answers) {
      const page = await redirectTo(place, answer);
      expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('close all windows')]);
      reasons.push(failures.at(-1)?.reason);
    }
    expect(reasons).toEqual(['status', 'signature', 'in_response_to']);
  });

  test('is nothing at an edge where nobody logs in', async () => {
    const place = await makePlace();
    await service.rest('DELETE', `/edges/https/${place.edgeId}/routes/${place.routeId}/saml`);
    expect((await leave(new login.Browser(service), place)).status).toBe(403);
  });
});
