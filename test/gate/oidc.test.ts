// Logins by OpenID Connect: whole ones through the gate, and a table of what a provider may lie about.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { parseRange } from '../../src/domain/ip/cidr.ts';
import { createOutgoing } from '../../src/outgoing/outgoing.ts';
import type { LoginFailure } from '../../src/surfaces/gate/session-events.ts';
import * as login from '../support/login.ts';
import { host, identityOf, locationOf, type Place } from '../support/login.ts';
import {
  clientId,
  clientSecret,
  type Lie,
  type OpenIdProvider,
  startOpenIdProvider,
} from '../support/openid-provider.ts';
import { baseUrl, startService, startTime, type TestService } from '../support/service.ts';

const failures: LoginFailure[] = [];
let service: TestService;
let provider: OpenIdProvider;
const strict = process.env.NODE_TLS_REJECT_UNAUTHORIZED;
beforeAll(async () => {
  // The provider's certificate is its own.
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
  provider = await startOpenIdProvider(() => startTime);
  service = await startService({
    loginFailed: (failure) => failures.push(failure),
    outgoing: createOutgoing({ outgoingNetworks: [parseRange('networks', '127.0.0.0/8')], outgoingDns: [] }),
  });
});
afterAll(async () => {
  if (strict === undefined) delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
  else process.env.NODE_TLS_REJECT_UNAUTHORIZED = strict;
  expect(service.failures).toEqual([]);
  await service.close();
  await provider.close();
});
beforeEach(() => {
  provider.lie({});
  failures.length = 0;
});

const pathOf = ({ edgeId, routeId }: Place) => `/edges/https/${edgeId}/routes/${routeId}/oidc`;
const page = `https://${host}/app/reports?page=2`;

async function makePlace(settings: object = {}): Promise<Place> {
  const { id: edgeId } = (await service.rest('POST', '/edges/https', { hostports: [`${host}:443`] })).body;
  const route = { match_type: 'path_prefix', match: '/app' };
  const { id: routeId } = (await service.rest('POST', `/edges/https/${edgeId}/routes`, route)).body;
  const place = { edgeId, routeId, acs: '' };
  const client = { issuer: provider.issuer, client_id: clientId, client_secret: clientSecret };
  expect((await service.rest('PUT', pathOf(place), { ...client, ...settings })).status).toBe(200);
  return place;
}

/** Goes to the provider, and returns the authorization request that arrives there. */
async function leave(browser: login.Browser, place: Place): Promise<URL> {
  const sent = await browser.open(place, page);
  const asked = await browser.visit(locationOf(sent));
  expect(asked.status).toBe(303);
  return new URL(locationOf(asked));
}

/** Logs a browser in, and returns the answer of our own address to what the provider sent. */
async function comeBack(browser: login.Browser, place: Place): Promise<Response> {
  const request = await leave(browser, place);
  return browser.visit(provider.answer(request).href);
}

async function reasonFor(lie: Lie, settings: object = {}): Promise<string | undefined> {
  provider.lie(lie);
  const place = await makePlace(settings);
  const browser = new login.Browser(service);
  const sent = await browser.open(place, page);
  const asked = await browser.visit(locationOf(sent));
  const end = asked.status === 303 ? await browser.visit(provider.answer(new URL(locationOf(asked))).href) : asked;
  expect([end.status, locationOf(end)]).toEqual([403, '']);
  return failures[0]?.reason;
}

describe('a login', () => {
  test('leads from the page to the provider, back to the page, and lasts', async () => {
    const place = await makePlace();
    const browser = new login.Browser(service);
    const request = await leave(browser, place);
    expect([request.origin + request.pathname, Object.fromEntries(request.searchParams)]).toEqual([
      `${provider.issuer}/auth`,
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
    const brought = await browser.visit(provider.answer(request).href);
    expect(locationOf(brought)).toMatch(new RegExp(`^https://${host}/\\.sallyport/session\\?ticket=[\\w-]{43}$`));
    const admitted = await browser.open(place, locationOf(brought));
    expect([admitted.status, locationOf(admitted)]).toEqual([302, page]);
    expect(identityOf(await browser.open(place, page))).toEqual([200, 'amy-1', 'staff,admins', 'amy@example.com']);

    const listed = await service.graphql(
      'query ($id: ID!) { loginSessions(routeId: $id) { nodes { user issuer active } } }',
      {
        id: place.routeId,
      },
    );
    expect(listed.data).toEqual({
      loginSessions: { nodes: [{ user: 'amy-1', issuer: provider.issuer, active: true }] },
    });
  });

  test('asks for the user information what the ID token lacks', async () => {
    provider.lie({
      claims: { email: undefined, email_verified: undefined, groups: undefined },
      userInfo: { email: 'amy@example.org', email_verified: true, groups: 'staff' },
    });
    const place = await makePlace();
    const browser = new login.Browser(service);
    await browser.open(place, locationOf(await comeBack(browser, place)));
    expect(identityOf(await browser.open(place, page))).toEqual([200, 'amy-1', 'staff', 'amy@example.org']);
  });

  test('begins anew by itself, once, after the provider has rolled its key', async () => {
    const place = await makePlace();
    const browser = new login.Browser(service);
    expect((await comeBack(browser, place)).status).toBe(303);
    provider.roll();
    const again = locationOf(await comeBack(browser, place));
    expect(again).toMatch(/session\?login=/);
    expect(locationOf(await browser.open(place, again))).toBe(page);
    expect(locationOf(await comeBack(browser, place))).toMatch(/session\?ticket=/);
    provider.roll();
    expect((await comeBack(browser, place)).status).toBe(403);
  });

  test('ends at the application, and leads to the logout of the provider', async () => {
    const place = await makePlace();
    const browser = new login.Browser(service);
    await browser.open(place, locationOf(await comeBack(browser, place)));
    const left = await browser.open(place, `https://${host}/.sallyport/logout`);
    expect(locationOf(left)).toMatch(new RegExp(`^${baseUrl}/oidc/${place.routeId}/logout`));
    const end = new URL(locationOf(await browser.visit(locationOf(left))));
    expect([end.origin + end.pathname, end.searchParams.get('client_id')]).toEqual([
      `${provider.issuer}/end`,
      clientId,
    ]);
    expect((await browser.open(place, page)).status).toBe(302);
  });

  test('admits members of the groups only', async () => {
    const place = await makePlace({ authorized_groups: ['owners'] });
    const browser = new login.Browser(service);
    await browser.open(place, locationOf(await comeBack(browser, place)));
    expect((await browser.open(place, page)).status).toBe(403);
  });
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
      'an address with two "@"',
      sent({ email: 'amy@evil@example.com' }),
      'email_domain',
      { authorized_email_domains: ['example.com'] },
    ],
  ])('%s', async (_what, lie, reason, settings) => {
    expect(await reasonFor(lie, settings)).toBe(reason);
  });

  test('a code or a state that was used before', async () => {
    const place = await makePlace();
    const browser = new login.Browser(service);
    const back = provider.answer(await leave(browser, place)).href;
    expect((await browser.visit(back)).status).toBe(303);
    expect((await browser.visit(back)).status).toBe(403);
    expect(failures.map(({ reason }) => reason)).toEqual(['replayed']);
  });

  test('an answer for another route', async () => {
    const [place, other] = [await makePlace(), await makePlace()];
    const browser = new login.Browser(service);
    const back = provider.answer(await leave(browser, place)).href;
    expect((await browser.visit(back.replace(place.routeId, other.routeId))).status).toBe(403);
    expect(failures.map(({ reason }) => reason)).toEqual(['state']);
  });

  test('unless a trusted one says nothing of verification', async () => {
    provider.lie(sent({ email_verified: undefined }));
    const place = await makePlace({ email_verification: 'trusted', authorized_email_domains: ['EXAMPLE.com'] });
    const browser = new login.Browser(service);
    expect(locationOf(await comeBack(browser, place))).toMatch(/ticket=/);
  });
});
