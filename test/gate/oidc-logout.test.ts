// Logouts by OpenID Connect: those that begin at the application, and those that the provider tells from server to server.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Browser, host, locationOf, type Place } from '../support/login.ts';
import { type OpenIdLogins, page, startOpenIdLogins } from '../support/openid-login.ts';
import { clientId, type Lie } from '../support/openid-provider.ts';
import { baseUrl, startBeside, startTime } from '../support/service.ts';

let logins: OpenIdLogins;
beforeAll(async () => {
  logins = await startOpenIdLogins();
});
afterAll(() => logins.close());
beforeEach(() => {
  logins.provider.lie({});
  logins.failures.length = 0;
  logins.events.length = 0;
});

const seconds = Math.floor(startTime.getTime() / 1000);

/** Sends a logout token as the provider does, and returns what the answer is made of. */
async function tell({ routeId }: Place, token: string, url = logins.service.url) {
  const answer = await fetch(`${url}/oidc/${routeId}/backchannel-logout`, {
    method: 'POST',
    body: new URLSearchParams({ logout_token: token }),
  });
  return [answer.status, answer.headers.get('cache-control'), await answer.text()];
}
const obeyed = [200, 'no-store', ''];
const refused = [400, 'no-store', '{"error":"invalid_request"}'];

const isIn = async (browser: Browser, place: Place) => (await browser.open(place, page)).status === 200;

/** Logs in where the provider has a session of this name. */
async function enter(place: Place, sid: string | undefined, sub = 'amy-1'): Promise<Browser> {
  logins.provider.lie({ claims: { sid, sub } });
  const browser = await logins.enter(place);
  logins.provider.lie({});
  return browser;
}

describe('a logout token', () => {
  test.each<[string, Record<string, unknown>, [boolean, boolean, boolean]]>([
    ['of a session ends that one', { sub: undefined, sid: 's1' }, [false, true, true]],
    ['of a session and its user ends that one', { sid: 's1' }, [false, true, true]],
    ['of a user ends all of the user', {}, [false, false, true]],
    ['of the session of another user ends none', { sub: 'bob', sid: 's1' }, [true, true, true]],
  ])('%s', async (_what, claims, after) => {
    const place = await logins.makePlace();
    const browsers = [await enter(place, 's1'), await enter(place, 's2'), await enter(place, 's3', 'eve')];
    logins.events.length = 0;
    expect(await tell(place, logins.provider.logoutToken(claims))).toEqual(obeyed);
    const still: boolean[] = [];
    for (const browser of browsers) still.push(await isIn(browser, place));
    expect(still).toEqual(after);
    const sessions = after.filter((isStill) => !isStill).length;
    expect(logins.events).toMatchObject([{ event: 'logout', reason: 'identity_provider', sessions }]);
  });

  test('counts once: repeated, it is answered alike, and ends no session that has begun since', async () => {
    const place = await logins.makePlace();
    const token = logins.provider.logoutToken({ iat: seconds - 1 });
    expect(await tell(place, token)).toEqual(obeyed);
    const browser = await enter(place, 's1');
    expect(await tell(place, token)).toEqual(obeyed);
    expect(await isIn(browser, place)).toBe(true);
  });

  test.each<[string, Record<string, unknown>]>([
    ['the user', { iat: seconds + 1 }],
    ['the session', { sub: undefined, sid: 'session-1' }],
  ])('of %s refuses an ID token that was issued before and arrives later', async (_whom, claims) => {
    const place = await logins.makePlace();
    expect(await tell(place, logins.provider.logoutToken(claims))).toEqual(obeyed);
    expect((await logins.comeBack(new Browser(logins.service), place)).status).toBe(403);
    expect(logins.failures.map(({ reason }) => reason)).toEqual(['logged_out']);
  });

  test('that another server takes ends the session here', async () => {
    const place = await logins.makePlace();
    const browser = await logins.enter(place);
    const { outgoing } = logins.overrides;
    const other = await startBeside(logins.service, undefined, { outgoing });
    expect(await tell(place, logins.provider.logoutToken(), other.url)).toEqual(obeyed);
    await expect.poll(() => isIn(browser, place)).toBe(false);
    expect(other.failures).toEqual([]);
    await other.close();
  });

  test('ends nothing at a route that has another module, or none', async () => {
    const place = await logins.makePlace();
    const [status] = await tell({ ...place, routeId: place.routeId.replace(/.$/, '0') }, logins.provider.logoutToken());
    expect(status).toBe(404);
  });

  const about = (claims: Record<string, unknown>): [Record<string, unknown>, Lie] => [claims, {}];
  test.each<[string, [Record<string, unknown>, Lie], string]>([
    ['of another issuer', about({ iss: 'https://evil.example' }), 'issuer'],
    ['to another client', about({ aud: 'someone' }), 'audience'],
    ['to no client', about({ aud: undefined }), 'audience'],
    ['of the future', about({ iat: seconds + 3_600 }), 'not_yet_valid'],
    ['of an hour ago', about({ iat: seconds - 3_600, exp: undefined }), 'expired'],
    ['that has expired', about({ exp: seconds - 61 }), 'expired'],
    ['without a time', about({ iat: undefined }), 'malformed'],
    ['with a time that is none', about({ exp: 1e300 }), 'malformed'],
    ['with a nonce, as an ID token has', about({ nonce: 'n' }), 'malformed'],
    ['without events', about({ events: undefined }), 'malformed'],
    ['about another event', about({ events: { 'urn:other': {} } }), 'malformed'],
    [
      'with an event that is none',
      about({ events: { 'http://schemas.openid.net/event/backchannel-logout': null } }),
      'malformed',
    ],
    ['without an id', about({ jti: undefined }), 'malformed'],
    ['about nobody', about({ sub: undefined }), 'name_id'],
    ['about an empty user', about({ sub: '' }), 'name_id'],
    ['about a session that is no text', about({ sid: 1 }), 'name_id'],
    ['of another kind', [{}, { header: { typ: 'at+jwt' } }], 'malformed'],
    ['with a critical extension', [{}, { header: { crit: ['b64'], b64: false } }], 'malformed'],
    ['signed by another key', [{}, { signedBy: 'other key' }], 'signature'],
    ['signed with the public key as a secret', [{}, { signedBy: 'public key' }], 'weak_algorithm'],
    ['signed with the client secret', [{}, { signedBy: 'secret' }], 'weak_algorithm'],
    ['that nobody signed', [{}, { signedBy: 'nobody' }], 'weak_algorithm'],
  ])('is refused: one %s', async (_what, [claims, lie], reason) => {
    const place = await logins.makePlace();
    const browser = await logins.enter(place);
    logins.provider.lie(lie);
    expect(await tell(place, logins.provider.logoutToken(claims))).toEqual(refused);
    expect(logins.failures).toMatchObject([{ event: 'logout', reason, routeId: place.routeId }]);
    expect(await isIn(browser, place)).toBe(true);
  });

  test.each([
    ['no JWT', 'x'],
    ['nothing', ''],
    ['too much', 'x'.repeat(8_193)],
    ['more than is read', 'x'.repeat(20_000)],
  ])('is refused: %s', async (_what, token) => {
    expect(await tell(await logins.makePlace(), token)).toEqual(refused);
  });

  test('by a key that the provider has only now is taken at once', async () => {
    const place = await logins.makePlace();
    expect(await tell(place, logins.provider.logoutToken())).toEqual(obeyed);
    logins.provider.roll();
    expect(await tell(place, logins.provider.logoutToken())).toEqual(obeyed);
  });

  test('that is seen to be wrong asks nobody for anything', async () => {
    const place = await logins.makePlace();
    const asked = logins.provider.asked.length;
    for (const claims of [{ iss: 'https://evil.example' }, { aud: 'someone' }, { events: {} }]) {
      expect(await tell(place, logins.provider.logoutToken(claims))).toEqual(refused);
    }
    expect(logins.provider.asked.length).toBe(asked);
  });

  test('by a known key does not wait behind strangers whose keys a provider does not tell', async () => {
    const place = await logins.makePlace();
    const browser = await logins.enter(place);
    expect(await tell(place, logins.provider.logoutToken({ sub: 'somebody' }))).toEqual(obeyed);
    logins.provider.lie({ hidesKeys: true, header: { kid: 'unknown' } });
    const strangers = Array.from({ length: 70 }, () => tell(place, logins.provider.logoutToken()));
    await expect.poll(() => logins.provider.asked.filter((path) => path === '/jwks').length).toBeGreaterThan(1);
    logins.provider.lie({ hidesKeys: true });
    const waiting = logins.failures.length;
    expect(await tell(place, logins.provider.logoutToken())).toEqual(obeyed);
    expect([await isIn(browser, place), logins.failures.length]).toEqual([false, waiting]);
    logins.provider.lie({});
    for (const [status] of await Promise.all(strangers)) expect(status).toBeOneOf([400, 503]);
  });

  test('may be sent again where the provider could not be asked for its keys', async () => {
    const place = await logins.makePlace();
    logins.provider.lie({ metadata: { jwks_uri: 'https://10.0.0.1/jwks' } });
    const [status] = await tell(place, logins.provider.logoutToken());
    expect([status, logins.failures[0]?.reason]).toEqual([503, 'provider']);
  });
});

describe('a logout at the application', () => {
  /** Leaves, and returns what the provider is told. */
  async function leave(browser: Browser, place: Place) {
    const left = await browser.open(place, `https://${host}/.sallyport/logout`);
    expect(locationOf(left)).toMatch(new RegExp(`^${baseUrl}/oidc/${place.routeId}/logout`));
    const end = new URL(locationOf(await browser.visit(locationOf(left))));
    expect([end.origin + end.pathname, await isIn(browser, place)]).toEqual([`${logins.provider.issuer}/end`, false]);
    return { at: locationOf(left), told: Object.fromEntries(end.searchParams) };
  }

  test('ends the session first, and then names it to the provider by the ID token of the login', async () => {
    const place = await logins.makePlace();
    const { at, told } = await leave(await logins.enter(place), place);
    expect(told).toEqual({ client_id: clientId, id_token_hint: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/) });
    const [, payload = ''] = String(told.id_token_hint).split('.');
    expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).toMatchObject({ sub: 'amy-1', sid: 'session-1' });
    // nginx takes a head of four kilobytes, and the token must not be read on the way.
    expect(at.length).toBeLessThan(3_400);
    expect(at).not.toContain(payload);
  });

  test('names the user where the ID token is too long to be kept', async () => {
    const place = await logins.makePlace();
    logins.provider.lie({ claims: { groups: Array.from({ length: 150 }, (_, index) => `group-${index}`) } });
    expect((await leave(await logins.enter(place), place)).told).toEqual({ client_id: clientId, logout_hint: 'amy-1' });
  });

  test('has no ID token in the trail, nor in the database as it is', async () => {
    const place = await logins.makePlace({}, logins.service);
    const { told } = await leave(await logins.enter(place), place);
    const [, payload = ''] = String(told.id_token_hint).split('.');
    const { data } = await logins.service.graphql('{ auditEvents(first: 100) { nodes { state } } }');
    expect(JSON.stringify(data)).not.toContain(payload);
    expect(logins.service.statements.join('\n')).not.toContain(payload);
  });
});
