// Logins by OpenID Connect: whole ones through the gate, and a table of what a provider may lie about.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import * as login from '../support/login.ts';
import { host, identityOf, locationOf } from '../support/login.ts';
import { type OpenIdLogins, page, pathOf, startOpenIdLogins } from '../support/openid-login.ts';
import { clientId, clientSecret, type Lie, startOpenIdProvider } from '../support/openid-provider.ts';
import { baseUrl, startTime } from '../support/service.ts';

let logins: OpenIdLogins;
beforeAll(async () => {
  logins = await startOpenIdLogins();
});
afterAll(() => logins.close());
beforeEach(() => {
  logins.provider.lie({});
  logins.failures.length = 0;
});

async function reasonFor(lie: Lie, settings: object = {}): Promise<string | undefined> {
  logins.provider.lie(lie);
  const place = await logins.makePlace(settings);
  const browser = new login.Browser(logins.service);
  const sent = await browser.open(place, page);
  const asked = await browser.visit(locationOf(sent));
  const end =
    asked.status === 303 ? await browser.visit(logins.provider.answer(new URL(locationOf(asked))).href) : asked;
  expect([end.status, locationOf(end)]).toEqual([403, '']);
  return logins.failures[0]?.reason;
}

describe('a login', () => {
  test('leads from the page to the provider, back to the page, and lasts', async () => {
    const place = await logins.makePlace({}, logins.service);
    const browser = new login.Browser(logins.service);
    const request = await logins.leave(browser, place);
    expect([request.origin + request.pathname, Object.fromEntries(request.searchParams)]).toEqual([
      `${logins.provider.issuer}/auth`,
      {
        client_id: clientId,
        redirect_uri: `${baseUrl}/oidc/${place.routeId}/callback`,
        response_type: 'code',
        scope: 'openid email profile',
        state: expect.stringMatching(/^[\w-]+$/),
        nonce: expect.stringMatching(/^[0-9a-f]{64}$/),
        code_challenge: expect.stringMatching(/^[\w-]{43}$/),
        code_challenge_method: 'S256',
      },
    ]);
    const brought = await browser.visit(logins.provider.answer(request).href);
    expect(locationOf(brought)).toMatch(new RegExp(`^https://${host}/\\.sallyport/session\\?ticket=[\\w-]{43}$`));
    const admitted = await browser.open(place, locationOf(brought));
    expect([admitted.status, locationOf(admitted)]).toEqual([302, page]);
    expect(identityOf(await browser.open(place, page))).toEqual([200, 'amy-1', 'staff,admins', 'amy@example.com']);

    const listed = await logins.service.graphql(
      'query ($id: ID!) { loginSessions(routeId: $id) { nodes { user issuer active } } }',
      {
        id: place.routeId,
      },
    );
    expect(listed.data).toEqual({
      loginSessions: { nodes: [{ user: 'amy-1', issuer: logins.provider.issuer, active: true }] },
    });
  });

  test('asks for the user information what the ID token lacks', async () => {
    logins.provider.lie({
      claims: { email: undefined, email_verified: undefined, groups: undefined },
      userInfo: { email: 'amy@example.org', email_verified: true, groups: 'staff' },
    });
    const place = await logins.makePlace();
    const browser = new login.Browser(logins.service);
    await browser.open(place, locationOf(await logins.comeBack(browser, place)));
    expect(identityOf(await browser.open(place, page))).toEqual([200, 'amy-1', 'staff', 'amy@example.org']);
  });

  test('begins anew by itself, once, after the provider has rolled its key', async () => {
    const place = await logins.makePlace();
    const browser = new login.Browser(logins.service);
    expect((await logins.comeBack(browser, place)).status).toBe(303);
    logins.provider.roll();
    const again = locationOf(await logins.comeBack(browser, place));
    expect(again).toMatch(/session\?login=/);
    expect(locationOf(await browser.open(place, again))).toBe(page);
    expect(locationOf(await logins.comeBack(browser, place))).toMatch(/session\?ticket=/);
    logins.provider.roll();
    expect((await logins.comeBack(browser, place)).status).toBe(403);
  });

  test('ends at the application, and leads to the logout of the provider', async () => {
    const place = await logins.makePlace();
    const browser = new login.Browser(logins.service);
    await browser.open(place, locationOf(await logins.comeBack(browser, place)));
    const left = await browser.open(place, `https://${host}/.sallyport/logout`);
    expect(locationOf(left)).toMatch(new RegExp(`^${baseUrl}/oidc/${place.routeId}/logout`));
    const end = new URL(locationOf(await browser.visit(locationOf(left))));
    expect([end.origin + end.pathname, end.searchParams.get('client_id')]).toEqual([
      `${logins.provider.issuer}/end`,
      clientId,
    ]);
    expect((await browser.open(place, page)).status).toBe(302);
  });

  test('admits members of the groups only', async () => {
    const place = await logins.makePlace({ authorized_groups: ['owners'] });
    const browser = new login.Browser(logins.service);
    await browser.open(place, locationOf(await logins.comeBack(browser, place)));
    expect((await browser.open(place, page)).status).toBe(403);
  });
});

test('a provider that cannot be used needs attention, until somebody has logged in', async () => {
  const owner = await logins.service.asNewAccount();
  const place = await logins.makePlace({ client_secret: 'a wrong one' }, owner);
  const items = async () => {
    const query = '{ attention { code severity message at } }';
    const { data } = await owner.graphql(query);
    return data.attention.filter(({ code }: { code: string }) => code.startsWith('oidc'));
  };
  expect((await logins.comeBack(new login.Browser(logins.service), place)).status).toBe(403);
  expect(logins.failures.map(({ reason }) => reason)).toEqual(['client_refused']);
  expect(await items()).toEqual([
    {
      code: 'oidc_provider_fails',
      severity: 'warning',
      message: `The OpenID provider ${logins.provider.issuer} could not be used when somebody last wanted to log in. The provider refuses the client (invalid_client). This concerns 1 route: "/app". Check the issuer, the client and its secret, and whether the provider runs.`,
      at: '2026-11-20T21:00:00Z',
    },
  ]);
  const client = { issuer: logins.provider.issuer, client_id: clientId, client_secret: clientSecret };
  expect((await owner.rest('PUT', pathOf(place), client)).status).toBe(200);
  expect(await items()).toEqual([]);

  logins.provider.lie({ metadata: { token_endpoint: 'https://10.0.0.1/token' } });
  const other = await logins.makePlace({}, await logins.service.asNewAccount());
  expect((await logins.comeBack(new login.Browser(logins.service), other)).status).toBe(403);
  expect(logins.failures.at(-1)?.reason).toBe('provider');
});

test('a provider that does not answer holds up no other one of the account', async () => {
  const owner = await logins.service.asNewAccount();
  const silent = await startOpenIdProvider(() => startTime);
  const quiet = await logins.makePlace({ issuer: silent.issuer }, owner);
  const place = await logins.makePlace({}, owner);
  silent.lie({ isSilent: true });
  const waiting = Array.from({ length: 20 }, async () => {
    const browser = new login.Browser(logins.service);
    return browser.visit(silent.answer(await logins.leave(browser, quiet)).href);
  });
  await expect.poll(() => silent.asked.filter((path) => path === '/token').length).toBe(4);
  expect(locationOf(await logins.comeBack(new login.Browser(logins.service), place))).toMatch(/ticket=/);
  await silent.close();
  const ended = await Promise.all(waiting);
  expect(new Set(ended.map(({ status }) => status))).toEqual(new Set([403]));
  expect(new Set(logins.failures.map(({ reason }) => reason))).toEqual(new Set(['provider']));
});

const seconds = Math.floor(startTime.getTime() / 1000);
const sent = (part: Record<string, unknown>): Lie => ({ claims: part });

describe('a provider that lies is refused', () => {
  test.each<[string, Lie, string, object?]>([
    ['another issuer in the token', sent({ iss: 'https://evil.example' }), 'issuer'],
    ['another audience', sent({ aud: 'someone' }), 'audience'],
    ['another authorized party', sent({ azp: 'someone' }), 'audience'],
    ['another nonce', sent({ nonce: 'n' }), 'in_response_to'],
    ['no nonce', sent({ nonce: undefined }), 'malformed'],
    ['an expired token', sent({ exp: seconds - 3_600 }), 'expired'],
    ['a token of the future', sent({ iat: seconds + 3_600 }), 'not_yet_valid'],
    ['a token of yesterday', sent({ iat: seconds - 86_400 }), 'expired'],
    ['an empty subject', sent({ sub: '' }), 'name_id'],
    ['a subject of blanks', sent({ sub: '  ' }), 'name_id'],
    ['a long subject', sent({ sub: 's'.repeat(256) }), 'name_id'],
    ['no subject', sent({ sub: undefined }), 'malformed'],
    ['a token of another kind', { header: { typ: 'logout+jwt' } }, 'malformed'],
    ['another key', { signedBy: 'other key' }, 'signature'],
    ['no signature', { signedBy: 'nobody' }, 'signature'],
    [
      'no signature, as discovery allows',
      { signedBy: 'nobody', metadata: { id_token_signing_alg_values_supported: ['none'] } },
      'signature',
    ],
    ['the public key as a secret', { signedBy: 'public key' }, 'signature'],
    [
      'the client secret as a key, as discovery allows',
      { signedBy: 'secret', metadata: { id_token_signing_alg_values_supported: ['HS256'] } },
      'signature',
    ],
    ['discovery of another issuer', { metadata: { issuer: 'https://evil.example' } }, 'malformed'],
    ['a mixed-up issuer in the answer', { answer: { iss: 'https://evil.example' } }, 'malformed'],
    [
      'no issuer in the answer, which discovery promises',
      { metadata: { authorization_response_iss_parameter_supported: true } },
      'malformed',
    ],
    ['another state', { answer: { state: 'x' } }, 'state'],
    ['an error', { answer: { code: undefined, error: 'access_denied' } }, 'status'],
    ['a code of its own', { answer: { code: 'x' } }, 'malformed'],
    ['user information of another subject', { claims: { groups: undefined }, userInfo: { sub: 'bob' } }, 'malformed'],
    [
      'a token endpoint at a metadata address',
      { metadata: { token_endpoint: 'https://169.254.169.254/token' } },
      'provider',
    ],
    ['keys at a private address', { metadata: { jwks_uri: 'https://10.0.0.1/jwks' } }, 'provider'],
    [
      'user information at a private address',
      { claims: { groups: undefined }, metadata: { userinfo_endpoint: 'https://10.0.0.1/me' } },
      'provider',
    ],
    ['more about itself than is kept', { metadata: { policy: 'x'.repeat(200_000) } }, 'provider'],
    ['a token endpoint without TLS', { metadata: { token_endpoint: 'http://127.0.0.1:1/token' } }, 'malformed'],
    ['an address that is not verified', sent({ email_verified: false }), 'email_unverified'],
    ['an address of which nothing is said', sent({ email_verified: undefined }), 'email_unverified'],
    ['an address of another domain', {}, 'email_domain', { authorized_email_domains: ['example.org'] }],
    [
      'no address where one is needed',
      sent({ email: undefined }),
      'email_domain',
      { authorized_email_domains: ['example.com'] },
    ],
    [
      'an address with a line break',
      sent({ email: 'amy@example.com\n' }),
      'email_domain',
      { authorized_email_domains: ['example.com'] },
    ],
    [
      'an address with two "@"',
      sent({ email: 'amy@evil@example.com' }),
      'email_domain',
      { authorized_email_domains: ['example.com'] },
    ],
  ])('%s', async (_what, lie, reason, settings) => {
    expect(await reasonFor(lie, settings)).toBe(reason);
  });

  test('a code or a state that was used before', async () => {
    const place = await logins.makePlace();
    const browser = new login.Browser(logins.service);
    const back = logins.provider.answer(await logins.leave(browser, place)).href;
    expect((await browser.visit(back)).status).toBe(303);
    expect((await browser.visit(back)).status).toBe(403);
    expect(logins.failures.map(({ reason }) => reason)).toEqual(['replayed']);
  });

  test("a code that another browser's login has spent", async () => {
    const place = await logins.makePlace();
    const [amy, thief] = [new login.Browser(logins.service), new login.Browser(logins.service)];
    const spent = logins.provider.answer(await logins.leave(amy, place));
    expect((await amy.visit(spent.href)).status).toBe(303);
    const fresh = logins.provider.answer(await logins.leave(thief, place));
    fresh.searchParams.set('code', spent.searchParams.get('code') ?? '');
    expect((await thief.visit(fresh.href)).status).toBe(403);
    expect(logins.failures.map(({ reason }) => reason)).toEqual(['malformed']);
  });

  test('an answer for another route', async () => {
    const [place, other] = [await logins.makePlace(), await logins.makePlace()];
    const browser = new login.Browser(logins.service);
    const back = logins.provider.answer(await logins.leave(browser, place)).href;
    expect((await browser.visit(back.replace(place.routeId, other.routeId))).status).toBe(403);
    expect(logins.failures.map(({ reason }) => reason)).toEqual(['state']);
  });

  test('unless a trusted one says nothing of verification', async () => {
    logins.provider.lie(sent({ email_verified: undefined }));
    const place = await logins.makePlace({ email_verification: 'trusted', authorized_email_domains: ['EXAMPLE.com'] });
    const browser = new login.Browser(logins.service);
    expect(locationOf(await logins.comeBack(browser, place))).toMatch(/ticket=/);
  });
});
