// A whole login between a browser and an identity provider: from the application to the identity provider and back. Responses are
// signed by a real key.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { httpsEdgeUpkeep } from '../../src/areas/https-edges/upkeep.ts';
import { refusalReasons } from '../../src/domain/saml/refusal.ts';
import { sql, verbatim } from '../../src/storage/sql/statement.ts';
import type { GateSummary } from '../../src/surfaces/gate/outcome.ts';
import type { LoginFailure } from '../../src/surfaces/gate/session-events.ts';
import { refuseLastUses } from '../support/database.ts';
import {
  attribute,
  encode,
  honest,
  idpMetadata,
  makeIdpKey,
  type Spoken,
  shifted,
  signedResponse,
} from '../support/identity-provider.ts';
import * as login from '../support/login.ts';
import { formOf, host, identityOf, idpKey, leave, locationOf, type Place, respond } from '../support/login.ts';
import { onOneEngine } from '../support/one-engine.ts';
import { exchange, statusesIn } from '../support/raw-socket.ts';
import { baseUrl, ofOneServer, startService, startTime, type TestService } from '../support/service.ts';

const failures: LoginFailure[] = [];
const decided: GateSummary[] = [];
let service: TestService;
beforeAll(async () => {
  service = ofOneServer(
    await startService({
      loginFailed: (failure) => failures.push(failure),
      gateDecided: (summary) => decided.push(summary),
      sessionSeconds: 86_400,
    }),
  );
});
afterAll(async () => {
  expect(service.failures).toEqual([]);
  await service.close();
});

class Browser extends login.Browser {
  constructor() {
    super(service);
  }
}
const makePlace = (settings?: object, match?: string) => login.makePlace(service, settings, match);
const configure = (place: Place, settings: object) => login.configure(service, place, settings);
const post = (place: Place, response: string, relayState?: string, browser?: Pick<Browser, 'ownCookies'>) =>
  login.post(service, place, response, relayState, browser);
const logIn = (browser: Browser, place: Place, other?: Partial<Spoken>) => login.logIn(service, browser, place, other);

/** Posts a response that must be refused and returns the logged reason. */
async function refusedFor(posting: Promise<Response>): Promise<string> {
  const before = failures.length;
  const { status } = await posting;
  expect(status).toBe(403);
  expect(failures).toHaveLength(before + 1);
  return failures[before]?.reason ?? '';
}

describe('a login', () => {
  test('leads from the page to the identity provider, back to the page, and lasts', async () => {
    const place = await makePlace();
    const browser = new Browser();
    const sent = await browser.open(place, `https://${host}/app/reports?page=2`);
    expect(sent.status).toBe(302);
    expect(sent.headers.getSetCookie()).toEqual([
      expect.stringMatching(
        new RegExp(
          `^__Host-sallyport\\.${place.routeId}\\.login\\.[0-9a-f]{8}=[\\w-]{22}\\.[0-9a-z]+\\.[\\w-]+; Path=/; Max-Age=600; Secure; HttpOnly; SameSite=Lax$`,
        ),
      ),
    ]);
    expect(locationOf(sent)).toMatch(new RegExp(`^${baseUrl}/saml/${place.routeId}/login\\?state=[\\w-]+$`));
    expect(locationOf(sent).length).toBeLessThan(400);

    const { at, request, requestId } = await leave(browser, place);
    expect(at).toBe('https://idp.example.com/sso');
    expect(request).toContain(`AssertionConsumerServiceURL="${place.acs}"`);

    const brought = await post(place, respond(place, requestId));
    expect(brought.status).toBe(303);
    expect(brought.headers.get('cache-control')).toBe('no-store');
    expect(brought.headers.getSetCookie()).toEqual([]);
    expect(locationOf(brought)).toMatch(new RegExp(`^https://${host}/\\.sallyport/session\\?ticket=[\\w-]{43}$`));

    const admitted = await browser.open(place, locationOf(brought));
    expect([admitted.status, locationOf(admitted)]).toEqual([302, `https://${host}/app/reports?page=2`]);
    expect(admitted.headers.getSetCookie()).toEqual([
      expect.stringMatching(
        new RegExp(`^__Host-sallyport\\.${place.routeId}=[\\w-]{43}; Path=/; Secure; HttpOnly; SameSite=Lax$`),
      ),
    ]);

    const passed = await browser.open(place, `https://${host}/app/reports?page=2`);
    expect(identityOf(passed)).toEqual([200, 'amy', 'staff,admins', 'amy@example.com']);
  });

  test('answers nginx with 401, a place and a cookie', async () => {
    const place = await makePlace();
    const browser = new Browser();
    const sent = await browser.open(place, `https://${host}/app`, 'text/html', 'auth-request');
    // Without a Content-Length, nginx would close the connection after each answer.
    expect([sent.status, sent.headers.get('content-length'), await sent.text()]).toEqual([401, '0', '']);
    expect(locationOf(await browser.visit(locationOf(sent)))).toMatch(
      /^https:\/\/idp\.example\.com\/sso\?SAMLRequest=/,
    );
    expect(sent.headers.getSetCookie()).toHaveLength(1);
  });

  test('is not offered to programs, nor over plain HTTP', async () => {
    const place = await makePlace();
    const program = await new Browser().open(place, `https://${host}/app`, 'application/json');
    expect([program.status, program.headers.get('location'), program.headers.getSetCookie()]).toEqual([401, null, []]);
    await service.rest('PATCH', `/edges/https/${place.edgeId}`, { hostports: [`${host}:443`, `${host}:80`] });
    const plain = await new Browser().open(place, `http://${host}/app`);
    expect([plain.status, plain.headers.get('location')]).toEqual([403, null]);
  });

  test.each(['one after the other', 'all at once'])(
    'of each of ten tabs that a browser restores %s ends on the page of the tab',
    async (order) => {
      const place = await makePlace();
      const browser = new Browser();
      const urls = Array.from({ length: 10 }, (_, n) => `https://${host}/app/${n}?a=${'b'.repeat(n * 100)}`);
      const begun: Awaited<ReturnType<typeof leave>>[] = [];
      if (order === 'all at once') begun.push(...(await Promise.all(urls.map((url) => leave(browser, place, url)))));
      else for (const url of urls) begun.push(await leave(browser, place, url));
      expect([...browser.cookies].join('; ').length).toBeLessThan(4_000);
      const ends = [];
      for (const { requestId } of begun) {
        const brought = await post(place, respond(place, requestId));
        ends.push(locationOf(await browser.open(place, locationOf(brought))));
      }
      expect(ends).toEqual(urls);
    },
  );

  test('returns to a long address, and says so before it begins where the address is too long to be kept', async () => {
    const place = await makePlace();
    const browser = new Browser();
    const long = `https://${host}/app/x?${'a'.repeat(5_900)}`;
    const { requestId } = await leave(browser, place, long);
    const admitted = await browser.open(place, locationOf(await post(place, respond(place, requestId))));
    expect(locationOf(admitted)).toBe(long);

    const another = new Browser();
    const page = await another.visit(locationOf(await another.open(place, `${long}${'a'.repeat(200)}`)));
    const text = await page.text();
    expect([page.status, text]).toEqual([200, expect.stringContaining('is too long to be kept during the login')]);
    const href = /<a href="([^"]+)">Log in</.exec(text)?.[1]?.replaceAll('&#38;', '&') ?? '';
    const asked = login.readRequest(locationOf(await another.visit(`${baseUrl}${href}`)));
    const brought = await post(place, respond(place, asked.requestId));
    expect(locationOf(await another.open(place, locationOf(brought)))).toBe(`https://${host}/app`);
  });

  test('that ends on a refusal can begin again, at the page that was wanted', async () => {
    const place = await makePlace();
    const browser = new Browser();
    const { requestId } = await leave(browser, place, `https://${host}/app/reports?page=2`);
    const linkOf = async (answer: Response) => {
      expect(answer.status).toBe(403);
      return /<a href="([^"]+)">([^<]+)</.exec(await answer.text())?.slice(1) ?? [];
    };
    const back = async ([href = '']: string[]) => locationOf(await browser.open(place, href));
    const [expired, text] = await linkOf(await post(place, respond(place, requestId, { conditions: '' })));
    expect([text, await back([expired ?? ''])]).toEqual(['Log in again', `https://${host}/app/reports?page=2`]);
    // A form that is posted twice is refused, and leads to the page: the browser that began at once, others by a link.
    const response = respond(place, requestId);
    const ticket = locationOf(await post(place, response));
    const other = new Browser();
    await leave(other, place);
    for (const stranger of [undefined, other]) {
      const twice = await linkOf(await post(place, response, undefined, stranger));
      expect([twice[1], await back(twice)]).toEqual(['Go on to the application', `https://${host}/app/reports?page=2`]);
    }
    for (const [again, reason] of [
      [response, 'replayed'],
      [respond(place, requestId), 'in_response_to'],
    ] as const) {
      const led = await post(place, again, undefined, browser);
      expect([led.status, failures.at(-1)]).toEqual([303, expect.objectContaining({ reason, ledOn: true })]);
      expect(await back([locationOf(led)])).toBe(`https://${host}/app/reports?page=2`);
      expect(locationOf(await browser.open(place, `https://${host}/app/reports?page=2`))).toContain('/login?state=');
    }
    await browser.open(place, ticket);
    const used = await linkOf(await browser.open(place, ticket));
    expect([used[1], await back(used)]).toEqual(['Log in again', `https://${host}/app/reports?page=2`]);
    expect((await browser.open(place, await back(used))).status).toBe(200);
    // Without a cookie, and where nothing is known, to the beginning of the route.
    const stranger = await linkOf(await new Browser().open(place, ticket));
    expect(stranger).toEqual([`https://${host}/app`, 'Log in again']);
    expect(await linkOf(await browser.visit(`${baseUrl}/saml/${place.routeId}/login?state=old`))).toEqual(stranger);
  });

  test('lets in members of the authorized groups alone, and a change of these counts at once', async () => {
    const place = await makePlace({ authorized_groups: ['staff'] });
    const browser = new Browser();
    await logIn(browser, place);
    expect((await browser.open(place, `https://${host}/app`)).status).toBe(200);
    await configure(place, { authorized_groups: ['board'] });
    decided.length = 0;
    const refused = await browser.open(place, `https://${host}/app?page=2`);
    expect([refused.status, await refused.text()]).toEqual([
      403,
      expect.stringContaining(`<a href="https://${host}/.sallyport/logout">Log out</a>`),
    ]);
    expect(decided).toMatchObject([
      {
        reason: 'groups',
        particulars: { host, path: '/app', user: 'amy', client: '203.0.113.7', attributes: ['groups', 'mail'] },
      },
    ]);
    const sessions = `query ($route: ID!) { loginSessions(routeId: $route) { nodes { id attributeNames } } }`;
    const [session] = (await service.graphql(sessions, { route: place.routeId })).data.loginSessions.nodes;
    expect(session.attributeNames).toEqual(['groups', 'mail']);
    const evaluate = `query ($edge: ID!, $session: ID!, $url: String!) {
      evaluateGate(edge: $edge, url: $url, address: "203.0.113.7", session: $session) { steps { check message } } }`;
    const why = async (url: string) =>
      (await service.graphql(evaluate, { edge: place.edgeId, session: session.id, url })).data.evaluateGate.steps.at(
        -1,
      );
    expect(await why(`https://${host}/app`)).toEqual({
      check: 'groups',
      message:
        'The user is in none of the authorized groups. The groups that came: "staff", "admins". The attributes that came: ' +
        '"groups", "mail".',
    });
    await service.rest('PATCH', `/edges/https/${place.edgeId}`, { hostports: [`${host}:443`, 'b.example.com:443'] });
    expect((await why('https://b.example.com/app')).check).toBe('login');
  });
});

describe('a ticket', () => {
  test('is worth a session once, in the browser that began, for a minute, at its host', async () => {
    const place = await makePlace();
    const browser = new Browser();
    const { requestId } = await leave(browser, place);
    const ticket = locationOf(await post(place, respond(place, requestId)));
    const stranger = new Browser();
    expect((await stranger.open(place, ticket)).status).toBe(403);
    await leave(stranger, place);
    expect((await stranger.open(place, ticket)).status).toBe(403);
    const other = await makePlace();
    expect((await browser.open(other, ticket)).status).toBe(403);
    expect((await browser.open(place, `${ticket}&a=b`)).status).toBe(403);
    expect((await browser.open(place, ticket.replace(host, 'other.example.com'))).status).toBe(403);
    service.setTime(new Date(startTime.getTime() + 60_000));
    expect((await browser.open(place, ticket)).status).toBe(403);
    service.setTime(new Date(startTime.getTime() + 59_999));
    expect((await browser.open(place, ticket)).status).toBe(302);
    expect((await browser.open(place, ticket)).status).toBe(403);
    service.setTime(startTime);
  });
});

describe('a response is refused', () => {
  test('a second time, and a second one for the same request', async () => {
    const place = await makePlace();
    const { requestId } = await leave(new Browser(), place);
    const [first, second] = [respond(place, requestId), respond(place, requestId)];
    expect((await post(place, first)).status).toBe(303);
    expect(await refusedFor(post(place, first))).toBe('replayed');
    expect(await refusedFor(post(place, second))).toBe('in_response_to');
  });

  test('to a request of another route, one that is ten minutes old, or one that was never sent', async () => {
    const [place, other] = [await makePlace(), await makePlace()];
    const { requestId } = await leave(new Browser(), place);
    const elsewhere = await leave(new Browser(), other);
    const state = new URL(locationOf(await new Browser().open(place, `https://${host}/app`))).searchParams.get('state');
    // Other forms of the id, each of which would otherwise count as a different request without a response.
    const forms = [`${requestId}=`, requestId.slice(1), requestId.replace(/.$/, ''), `_${state}`];
    for (const id of [elsewhere.requestId, '_a', ...forms]) {
      expect(await refusedFor(post(place, respond(place, id)))).toBe('in_response_to');
    }
    const later = new Date(startTime.getTime() + 600_000);
    service.setTime(later);
    expect(await refusedFor(post(place, respond(place, requestId, {}, later)))).toBe('in_response_to');
    service.setTime(startTime);
    expect((await post(place, respond(place, requestId))).status).toBe(303);
  });

  test('nowhere because strangers have begun others: of a login that nobody has vouched for, nothing is kept', async () => {
    const place = await makePlace();
    const before = service.statements.length;
    for (let count = 0; count < 5; count += 1) await leave(new Browser(), place);
    expect(service.statements.slice(before).filter((sql) => /INSERT|UPDATE/.test(sql))).toEqual([]);
  });

  test('with a page that names the reference of the log, and nothing of the response', async () => {
    const place = await makePlace();
    const answer = await post(place, encode('<evil/>'));
    const page = await answer.text();
    expect(answer.headers.get('content-security-policy')).toMatch(/^default-src 'none'/);
    expect(page).toContain('The response of the identity provider cannot be read.');
    expect(page).toContain(failures.at(-1)?.requestId);
    expect(page).not.toContain('evil');
  });

  test('that tells of a failure, or is encrypted, with a page that says so and leads nowhere', async () => {
    const place = await makePlace();
    const failed = `<samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Responder"/></samlp:Status>`;
    for (const [other, reason, sentence] of [
      [{ status: failed }, 'status', 'The identity provider did not log you in.'],
      [{ attributes: '<saml:EncryptedAttribute/>' }, 'encrypted', 'Have it encrypt the assertion as a whole'],
    ] as const) {
      const { requestId } = await leave(new Browser(), place);
      const answer = await post(place, respond(place, requestId, other));
      const leadsTo = ['location', 'refresh', 'set-cookie'].map((name) => answer.headers.get(name));
      expect([answer.status, leadsTo, failures.at(-1)?.reason]).toEqual([403, [null, null, null], reason]);
      expect(await answer.text()).toContain(sentence);
    }
  });

  test('of a user who did not enter credentials again, where the module demands that', async () => {
    const place = await makePlace({ force_authn: true });
    // Before the request: the user was already logged in at the identity provider and removed the demand from the request.
    const earlier = `<saml:AuthnStatement AuthnInstant="${shifted(startTime, -61)}"/>`;
    const { request, requestId } = await leave(new Browser(), place);
    expect(request).toContain('ForceAuthn="true"');
    expect(await refusedFor(post(place, respond(place, requestId, { statement: earlier })))).toBe('not_fresh');
    expect((await post(place, respond(place, requestId))).status).toBe(303);
  });

  test.each([
    ['no form', 'malformed', 'application/json', '{}'],
    ['two responses', 'malformed', 'application/x-www-form-urlencoded', 'SAMLResponse=a&SAMLResponse=b'],
    ['no response', 'malformed', 'application/x-www-form-urlencoded', 'RelayState=a'],
    ['too much', 'too_large', 'application/x-www-form-urlencoded', `SAMLResponse=${'a'.repeat(300_000)}`],
  ])('when the body is %s', async (_, reason, type, body) => {
    const { acs } = await makePlace();
    const answer = fetch(acs.replace(baseUrl, service.url), {
      method: 'POST',
      headers: { 'Content-Type': type },
      body,
    });
    expect(await refusedFor(answer)).toBe(reason);
  });

  test('when the body arrives in hundreds of pieces', async () => {
    const { acs } = await makePlace();
    const head = `POST ${new URL(acs).pathname} HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-www-form-urlencoded`;
    const chunks = '1\r\na\r\n'.repeat(600);
    const sent = `${head}\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n${chunks}0\r\n\r\n`;
    const before = failures.length;
    expect(statusesIn(await exchange(service.url, sent))).toEqual([403]);
    expect(failures.slice(before)).toMatchObject([{ reason: 'too_large' }]);
  });

  test('while the module is disabled, and is unknown after it is gone', async () => {
    const place = await makePlace();
    const { requestId } = await leave(new Browser(), place);
    await configure(place, { enabled: false });
    expect(await refusedFor(post(place, respond(place, requestId)))).toBe('disabled');
    await service.rest('DELETE', `/edges/https/${place.edgeId}/routes/${place.routeId}/saml`);
    expect((await post(place, respond(place, requestId))).status).toBe(404);
  });

  test("where nobody has said what our address is: the one that a request names could be anybody's", async () => {
    const nameless = await startService({ baseUrl: null, loginFailed: (failure) => failures.push(failure) });
    const place = await login.makePlace(nameless);
    expect(await refusedFor(login.post(nameless, place, respond(place, null)))).toBe('disabled');
    const sent = await new login.Browser(nameless).open(place, `https://${host}/app`);
    expect([sent.status, sent.headers.get('location')]).toEqual([403, null]);
    await nameless.close();
  });

  test('where it leads to a host that the edge serves no more', async () => {
    const place = await makePlace();
    const { requestId } = await leave(new Browser(), place);
    await service.rest('PATCH', `/edges/https/${place.edgeId}`, { hostports: ['other.example.com:443'] });
    expect(await refusedFor(post(place, respond(place, requestId)))).toBe('host');
  });
});

describe('the way to the identity provider', () => {
  test('is closed to what the gate has not sealed, or ten minutes ago', async () => {
    const [place, other] = [await makePlace(), await makePlace()];
    const browser = new Browser();
    const login = locationOf(await browser.open(place, `https://${host}/app`));
    expect(await refusedFor(browser.visit(login.replace(place.routeId, other.routeId)))).toBe('state');
    expect(await refusedFor(browser.visit(`${login.slice(0, -4)}AAAA`))).toBe('state');
    expect(locationOf(await browser.visit(login.replace(/\?.*/, '')))).toBe(`https://${host}/app`);
    service.setTime(new Date(startTime.getTime() + 600_000));
    expect(await refusedFor(browser.visit(login))).toBe('state');
    service.setTime(startTime);
    expect((await browser.visit(login)).status).toBe(302);
  });

  test('is closed where the metadata names no place for requests', async () => {
    const place = await makePlace({ idp_metadata: idpMetadata([idpKey]).replace('HTTP-Redirect', 'SOAP') });
    const browser = new Browser();
    const login = locationOf(await browser.open(place, `https://${host}/app`));
    expect(await refusedFor(browser.visit(login))).toBe('no_request');
  });

  test('is a form where the metadata takes nothing else, and the login goes on from there', async () => {
    const place = await makePlace({ idp_metadata: idpMetadata([idpKey]).replace('HTTP-Redirect', 'HTTP-POST') });
    const browser = new Browser();
    const page = await browser.visit(locationOf(await browser.open(place, `https://${host}/app`)));
    expect(page.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; base-uri 'none'; script-src 'sha256-[^']+'$/,
    );
    const { action, fields } = formOf(await page.text());
    expect([action, [...fields.keys()]]).toEqual(['https://idp.example.com/sso', ['SAMLRequest']]);
    const request = Buffer.from(fields.get('SAMLRequest') ?? '', 'base64').toString();
    expect(request).toContain('<ds:SignatureValue>');
    const brought = await post(place, respond(place, / ID="([^"]+)"/.exec(request)?.[1] ?? ''));
    expect((await browser.open(place, locationOf(brought))).status).toBe(302);
  });
});

describe('a login that the identity provider begins', () => {
  test('leads to the route, or to the URL of it that the identity provider names', async () => {
    const place = await makePlace();
    for (const [relayState, target] of [
      [undefined, '/app'],
      ['some words', '/app'],
      [`https://${host}/app/x?y=1`, '/app/x?y=1'],
    ] as const) {
      const browser = new Browser();
      const brought = await post(place, respond(place, null), relayState);
      const admitted = await browser.open(place, locationOf(brought));
      expect([admitted.status, locationOf(admitted)]).toEqual([302, `https://${host}${target}`]);
      expect(identityOf(await browser.open(place, `https://${host}${target}`)).slice(0, 2)).toEqual([200, 'amy']);
    }
  });

  test.each([
    'https://evil.example.com/app',
    `http://${host}/app`,
    `https://${host}/other`,
    `https://${host}:8443/app`,
    `https://a@${host}/app`,
    `https://${host}/app/../x`,
    `https://${host}//evil.example.com/app`,
    'javascript://app.example.com/app',
  ])('does not lead to %s', async (relayState) => {
    const place = await makePlace();
    expect(await refusedFor(post(place, respond(place, null), relayState))).toBe('relay_state');
  });

  test('is made with each assertion once, and only where that is allowed', async () => {
    const place = await makePlace();
    const response = respond(place, null);
    expect((await post(place, response)).status).toBe(303);
    expect(await refusedFor(post(place, response))).toBe('replayed');
    await configure(place, { allow_idp_initiated: false });
    expect(await refusedFor(post(place, respond(place, null)))).toBe('unsolicited');
  });
});

describe('a session', () => {
  const at = (seconds: number) => service.setTime(new Date(startTime.getTime() + seconds * 1000));
  const isIn = async (browser: Browser, place: Place) =>
    (await browser.open(place, `https://${host}/app`, 'application/json')).status === 200;

  test('is for its route and its host alone', async () => {
    const [place, other] = [await makePlace(), await makePlace()];
    const browser = new Browser();
    await logIn(browser, place);
    await service.rest('PATCH', `/edges/https/${place.edgeId}`, {
      hostports: [`${host}:443`, `${host}:8443`, 'b.example.com:443'],
    });
    expect(await isIn(browser, place)).toBe(true);
    for (const url of ['https://b.example.com/app', `https://${host}:8443/app`]) {
      expect((await browser.open(place, url, '*/*')).status).toBe(401);
    }
    const name = `__Host-sallyport.${place.routeId}`;
    browser.cookies.set(`__Host-sallyport.${other.routeId}`, browser.cookies.get(name) ?? '');
    expect(await isIn(browser, other)).toBe(false);
  });

  test('ends when the one at the identity provider does', async () => {
    const place = await makePlace();
    const browser = new Browser();
    const statement = `<saml:AuthnStatement AuthnInstant="${shifted(startTime, 0)}" SessionNotOnOrAfter="${shifted(startTime, 100)}"/>`;
    await logIn(browser, place, { statement });
    at(99);
    expect(await isIn(browser, place)).toBe(true);
    at(100);
    expect(await isIn(browser, place)).toBe(false);
    at(0);
  });

  test('ends at the limit of the server, if nothing else ends it', async () => {
    const place = await makePlace();
    const browser = new Browser();
    await logIn(browser, place, { statement: `<saml:AuthnStatement AuthnInstant="${shifted(startTime, 0)}"/>` });
    at(86_399);
    expect(await isIn(browser, place)).toBe(true);
    at(86_400);
    expect(await isIn(browser, place)).toBe(false);
    at(0);
  });

  test('ends after its longest time, and at once where that is shortened', async () => {
    const place = await makePlace({ maximum_duration: 200 });
    const browser = new Browser();
    await logIn(browser, place);
    at(199);
    expect(await isIn(browser, place)).toBe(true);
    at(200);
    expect(await isIn(browser, place)).toBe(false);
    at(150);
    expect(await isIn(browser, place)).toBe(true);
    await configure(place, { maximum_duration: 150 });
    expect(await isIn(browser, place)).toBe(false);
    await configure(place, { maximum_duration: 0 });
    expect(await isIn(browser, place)).toBe(false);
    at(0);
  });

  test('does not go on once it has ended, when the module is restored to an earlier state', async () => {
    const place = await makePlace({ maximum_duration: 200 });
    const browser = new Browser();
    await logIn(browser, place);
    const earlier = `{ auditEvents(first: 1, objectId: "${place.routeId}") { nodes { id } } }`;
    const [{ id: event }] = (await service.graphql(earlier)).data.auditEvents.nodes;
    await configure(place, { maximum_duration: 120 });
    at(150);
    expect(await isIn(browser, place)).toBe(false);
    const restore = 'mutation ($id: ID!) { restoreObject(input: { eventId: $id }) { __typename } }';
    expect((await service.graphql(restore, { id: event })).errors).toBeUndefined();
    expect(await isIn(browser, place)).toBe(false);
    at(0);
  });

  test('ends after its longest inactivity, and each use begins that anew', async () => {
    const place = await makePlace({ inactivity_timeout: 100 });
    const browser = new Browser();
    await logIn(browser, place);
    for (const seconds of [10, 99, 198, 290]) {
      at(seconds);
      expect(await isIn(browser, place)).toBe(true);
    }
    at(390);
    expect(await isIn(browser, place)).toBe(false);
    at(0);
  });

  test('is written down as used at most once a minute, even if the database refuses the write', async () => {
    const [own, before] = [ofOneServer(await startService()), service];
    service = own;
    const place = await makePlace({ inactivity_timeout: 1_000 });
    const browser = new Browser();
    await logIn(browser, place);
    await refuseLastUses(own.database, 'LoginSession');
    for (const seconds of [60, 60, 100, 119]) {
      at(seconds);
      // After a change in the account, the session is read again.
      await own.rest('POST', '/ip_policies', {});
      expect(await isIn(browser, place)).toBe(true);
    }
    service = before;
    await expect.poll(() => own.failures).toHaveLength(1);
    expect(own.statements.filter((statement) => /UPDATE "LoginSession"/.test(statement))).toHaveLength(1);
    await own.close();
  });

  test('ends with its module, also when there is a new one, and when another identity provider is trusted', async () => {
    const place = await makePlace();
    const browser = new Browser();
    await logIn(browser, place);
    await configure(place, {
      idp_metadata: idpMetadata([idpKey]).replace('idp.example.com/metadata', 'other.example'),
    });
    expect(await isIn(browser, place)).toBe(false);
    // What has ended does not begin again where the former metadata is put back.
    await configure(place, {});
    expect(await isIn(browser, place)).toBe(false);
    await logIn(browser, place);
    await configure(place, { enabled: false });
    await configure(place, {});
    expect(await isIn(browser, place)).toBe(false);
    await logIn(browser, place);
    for (const [hostport, stays] of [
      ['*.example.com:443', true],
      ['other.example.com:443', false],
    ] as const) {
      await service.rest('PATCH', `/edges/https/${place.edgeId}`, { hostports: [hostport] });
      await service.rest('PATCH', `/edges/https/${place.edgeId}`, { hostports: [`${host}:443`] });
      expect([hostport, await isIn(browser, place)]).toEqual([hostport, stays]);
    }
    await logIn(browser, place);
    await service.rest('DELETE', `/edges/https/${place.edgeId}/routes/${place.routeId}/saml`);
    await configure(place, {});
    expect(await isIn(browser, place)).toBe(false);
  });

  test('is deleted once it is over, with logins and used assertions', async () => {
    const own = await startService();
    const count = async () => {
      const tables = ['SamlLogin', 'SamlUsedAssertion', 'LoginSession'];
      const counts = tables.map((table) =>
        own.storage.server.rows(sql`SELECT count(*) FROM ${verbatim(`"${table}"`)}`),
      );
      return (await Promise.all(counts)).map(([row]) => Number(row?.[0]));
    };
    const before = service;
    service = own;
    const place = await makePlace();
    await logIn(new Browser(), place);
    await post(place, respond(place, null));
    service = before;
    expect(await count()).toEqual([1, 3, 1]);
    await httpsEdgeUpkeep.hourly?.(
      own.storage.server,
      new Date(startTime.getTime() + 3_600_000),
      new AbortController().signal,
    );
    expect(await count()).toEqual([0, 0, 1]);
    await httpsEdgeUpkeep.hourly?.(
      own.storage.server,
      new Date(startTime.getTime() + 28_800_000),
      new AbortController().signal,
    );
    expect(await count()).toEqual([0, 0, 0]);
    await own.close();
  });

  test('is not found by a cookie that is none, which is no failure either', async () => {
    const place = await makePlace();
    const browser = new Browser();
    for (const value of ['', 'a', '"', '%', '%zz', '\u00ff', 'a'.repeat(43), 'a'.repeat(8_000), "'; DROP TABLE"]) {
      browser.cookies.set(`__Host-sallyport.${place.routeId}`, value);
      const { status } = await browser.open(place, `https://${host}/app`, '*/*');
      expect([value, status]).toEqual([value, 401]);
    }
  });

  test('is not prevented by cookies that another host has planted under the same names', async () => {
    const place = await makePlace();
    const browser = new Browser();
    const name = `__Host-sallyport.${place.routeId}`;
    for (const letter of ['a', 'b', 'c']) {
      browser.planted.push(`${name}.login=${letter.repeat(22)}.`, `${name}=${letter.repeat(43)}`);
    }
    await browser.open(place, `https://${host}/app`);
    const { requestId } = await leave(browser, place);
    await browser.open(place, locationOf(await post(place, respond(place, requestId))));
    expect(identityOf(await browser.open(place, `https://${host}/app`))[0]).toBe(200);
    await browser.open(place, `https://${host}/.sallyport/logout`);
    expect(locationOf(await browser.open(place, `https://${host}/app`))).toContain('/login?state=');
  });
});

/** Returns a large response that nobody has signed whom the place trusts. */
function forgedFor(place: Place): string {
  const groups = `<saml:AttributeStatement>${attribute('groups', ...Array<string>(200).fill('x'.repeat(60)))}</saml:AttributeStatement>`;
  const entityId = `${baseUrl}/saml/${place.routeId}`;
  const spoken = honest({ entityId, acs: place.acs, inResponseTo: null, now: startTime });
  return encode(signedResponse({ ...spoken, attributes: groups }, makeIdpKey()));
}

/** Posts a forged response over connections until it is told to stop, and notes the statuses. */
function forge(place: Place, connections: number) {
  const forged = forgedFor(place);
  const statuses = new Set<number>();
  const over = new AbortController();
  const { signal } = over;
  const url = place.acs.replace(baseUrl, service.url);
  const body = new URLSearchParams({ SAMLResponse: forged });
  const forgers = Array.from({ length: connections }, async () => {
    while (!signal.aborted) {
      const answer = await fetch(url, { method: 'POST', body, signal }).catch(() => null);
      if (answer !== null) statuses.add(answer.status);
    }
  });
  return {
    statuses,
    async stop() {
      over.abort();
      await Promise.all(forgers);
    },
  };
}

const marksCookie = '__Host-sallyport.browser.begun';
/** Waits until no more forgeries of a network may wait. */
const untilFull = async ({ statuses }: ReturnType<typeof forge>) => {
  statuses.clear();
  await expect.poll(() => statuses).toContain(503);
};

// What is done before the database is asked, or beside it.
onOneEngine(() => {
  test('logins that began here succeed while somebody at the same address posts forged responses over 150 connections', async () => {
    const [place, other] = [await makePlace(), await makePlace()];
    const forgery = forge(place, 150);
    const browser = new Browser();
    const tabs = [await leave(browser, place), await leave(browser, place)];
    await leave(browser, other);
    await untilFull(forgery);
    // What was refused without a check may be sent again.
    const cookie = [...browser.ownCookies].map((each) => each.join('=')).join('; ');
    const broken = { method: 'POST', headers: { Cookie: cookie }, body: 'no form' };
    expect((await fetch(place.acs.replace(baseUrl, service.url), broken)).status).toBe(403);
    for (const { requestId } of tabs) {
      expect((await post(place, respond(place, requestId), undefined, browser)).status).toBe(303);
    }
    await forgery.stop();
    // The mark of the other route is left.
    expect(browser.ownCookies.get(marksCookie)).toMatch(/^[\w-]+$/);
  });

  test('of 100 forgeries at once with what one login has begun, one goes ahead of others', async () => {
    const place = await makePlace();
    const forgery = forge(place, 150);
    const browser = new Browser();
    await leave(browser, place);
    const { ownCookies } = browser;
    const forged = forgedFor(place);
    await untilFull(forgery);
    const all = await Promise.all(
      Array.from({ length: 100 }, () => post(place, forged, undefined, { ownCookies: new Map(ownCookies) })),
    );
    await forgery.stop();
    // Some find a place that has become free just then. If all went ahead, it would be the others that had none.
    expect(all.filter(({ status }) => status === 503).length).toBeGreaterThan(50);
    // One answer takes the mark back.
    const takenBack = all.filter(({ headers }) =>
      headers.getSetCookie().some((set) => set.startsWith(`${marksCookie}=;`)),
    );
    expect(takenBack.map(({ status }) => status)).toEqual([403]);
  });
});

test('a clock that is moved puts out nobody who is in, lets no assertion count twice, and is named where it refuses', async () => {
  const place = await makePlace();
  const amy = new Browser();
  const { requestId } = await leave(amy, place);
  const first = respond(place, requestId);
  await amy.open(place, locationOf(await post(place, first)));
  const move = (seconds: number) => service.setTime(new Date(startTime.getTime() + seconds * 1000));
  /** A login at an identity provider whose clock stays right. */
  const arrive = async () => {
    const begun = await leave(new Browser(), place);
    return post(place, respond(place, begun.requestId));
  };
  const seen: unknown[] = [];
  for (const seconds of [-3600, -45, 45, 3600, 0]) {
    move(seconds);
    const arrived = await arrive();
    const [again, inside] = [await post(place, first), await amy.open(place, `https://${host}/app`)];
    const [, said] = /<p>([^<]+)<\/p>/.exec(await arrived.text()) ?? [];
    seen.push([seconds, inside.status, again.status, arrived.status, said]);
  }
  expect(seen).toEqual([
    [-3600, 200, 403, 403, refusalReasons.not_yet_valid],
    [-45, 200, 403, 303, undefined],
    [45, 200, 403, 303, undefined],
    [3600, 200, 403, 403, refusalReasons.expired],
    [0, 200, 403, 303, undefined],
  ]);
});

test('a browser keeps what it has begun in one cookie, of the last five logins at all routes', async () => {
  const places = [await makePlace(), await makePlace()];
  const browser = new Browser();
  for (let tab = 0; tab < 4; tab += 1) for (const place of places) await leave(browser, place);
  expect([...browser.ownCookies.keys()]).toEqual(['__Host-sallyport.browser', marksCookie]);
  const marks = browser.ownCookies.get(marksCookie)?.split('.');
  expect(marks).toHaveLength(5);
  for (const place of places) {
    for (let tab = 0; tab < 3; tab += 1) await post(place, respond(place, null), undefined, browser);
  }
  expect([...browser.ownCookies.keys()]).toEqual(['__Host-sallyport.browser']);
});
