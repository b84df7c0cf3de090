// The signed identity that an application can check by itself, and its keys.

import { createHash, createPublicKey, type JsonWebKey, verify } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { createIdentityKeys, keyMs } from '../../src/domain/gate/identity-token.ts';
import { Browser, host, logIn, makePlace, type Place } from '../support/login.ts';
import { baseUrl, ofOneServer, startService, startTime, type TestService } from '../support/service.ts';
import { ask } from './support.ts';

interface Key extends JsonWebKey {
  readonly kid: string;
}

/** Starts a service with an edge that signs identities, and a clock that can be set. */
async function startSigning() {
  const clock = { now: startTime };
  const service = ofOneServer(await startService({ now: () => clock.now }));
  onTestFinished(() => service.close());
  const place = await makePlace(service);
  await service.rest('PATCH', `/edges/https/${place.edgeId}`, { signs_identity: true });
  return { clock, service, place };
}

const keysOf = async ({ url }: Pick<TestService, 'url'>): Promise<readonly Key[]> =>
  (await (await fetch(`${url}/gate/jwks.json`)).json()).keys;

/** Checks a token as applications do, and returns its claims. */
function claimsOf(token: string, keys: readonly Key[]) {
  const [head = '', claims = '', signature = ''] = token.split('.');
  const { alg, kid } = JSON.parse(Buffer.from(head, 'base64url').toString());
  const key = keys.find((each) => each.kid === kid);
  expect([alg, key?.kid]).toEqual(['ES256', kid]);
  const checking = { key: createPublicKey({ key: key ?? {}, format: 'jwk' }), dsaEncoding: 'ieee-p1363' } as const;
  expect(verify('sha256', Buffer.from(`${head}.${claims}`), checking, Buffer.from(signature, 'base64url'))).toBe(true);
  return JSON.parse(Buffer.from(claims, 'base64url').toString());
}

const identityIn = (head: readonly string[]) =>
  head.flatMap((line) => (line.startsWith('Sallyport-Identity: ') ? [line.slice(20)] : []))[0] ?? '';

/** Returns the identity that the application gets with a request of a browser that has logged in. */
async function identityOf(service: TestService, browser: Browser, { edgeId }: Place) {
  const cookies = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const asked = { url: `https://${host}/app`, headers: [`Cookie: ${cookies}`] };
  return identityIn((await ask(service.url, 'forward-auth', edgeId, asked)).head);
}

test('says who sends a request, for one host and one minute, and is signed once for half of that', async () => {
  const { clock, service, place } = await startSigning();
  const browser = new Browser(service);
  await logIn(service, browser, place);
  const token = await identityOf(service, browser, place);
  const seconds = Math.floor(startTime.getTime() / 1000);
  expect(claimsOf(token, await keysOf(service))).toEqual({
    iss: `${baseUrl}/gate/${place.edgeId}`,
    aud: host,
    iat: seconds,
    exp: seconds + 60,
    sub: 'amy',
    email: 'amy@example.com',
    groups: ['staff', 'admins'],
    sid: expect.stringMatching(/^sess_/),
  });
  for (const [, cookie] of browser.cookies) expect(token).not.toContain(cookie);
  clock.now = new Date(startTime.getTime() + 29_000);
  expect(await identityOf(service, browser, place)).toBe(token);
  clock.now = new Date(startTime.getTime() + 31_000);
  expect(claimsOf(await identityOf(service, browser, place), await keysOf(service)).iat).toBe(seconds + 31);
});

test('is not sent where the edge does not ask for it, without a sender, or after the end of a session', async () => {
  const { service, place } = await startSigning();
  const browser = new Browser(service);
  await logIn(service, browser, place);
  expect(await identityOf(service, browser, place)).not.toBe('');
  await service.rest('PATCH', `/edges/https/${place.edgeId}`, { signs_identity: false });
  expect(await identityOf(service, browser, place)).toBe('');
  await service.rest('PATCH', `/edges/https/${place.edgeId}`, { signs_identity: true });
  const former = new Map(browser.cookies);
  await browser.open(place, `https://${host}/.sallyport/logout`);
  for (const [name, value] of former) browser.cookies.set(name, value);
  expect(await identityOf(service, browser, place)).toBe('');
});

test('says of a program that it is one', async () => {
  const { service, place } = await startSigning();
  const { id, token } = (await service.rest('POST', '/api_keys', { scopes: ['gate:pass'], pass_groups: ['ci'] })).body;
  const headers = [`Authorization: Bearer ${token}`];
  const { head } = await ask(service.url, 'auth-request', place.edgeId, { headers });
  expect(claimsOf(identityIn(head), await keysOf(service))).toMatchObject({ sub: id, groups: ['ci'], program: true });
});

test('leaves out groups that would be too long for the head of a request, and says so', async () => {
  const { service, place } = await startSigning();
  const groups = Array.from({ length: 40 }, (_, index) => `${index}`.padStart(200, 'g'));
  const { token } = (await service.rest('POST', '/api_keys', { scopes: ['gate:pass'], pass_groups: groups })).body;
  const { head } = await ask(service.url, 'auth-request', place.edgeId, {
    headers: [`Authorization: Bearer ${token}`],
  });
  const claims = claimsOf(identityIn(head), await keysOf(service));
  expect([claims.groups, claims.groups_left_out]).toEqual([undefined, true]);
});

test('the keys may be cached, and are the same at every server', async () => {
  const { service } = await startSigning();
  const answer = await fetch(`${service.url}/gate/jwks.json`);
  expect(answer.headers.get('content-type')).toBe('application/jwk-set+json');
  expect(answer.headers.get('cache-control')).toBe('public, max-age=600');
  expect((await answer.json()).keys).toHaveLength(3);
  expect((await fetch(`${service.url}/gate/jwks.json`, { method: 'POST' })).status).toBe(405);
});

test('a key is published for a month before it signs, and for a month after', () => {
  const keys = createIdentityKeys((text) => createHash('sha256').update(text).digest());
  const other = createIdentityKeys((text) => createHash('sha256').update(text).digest());
  const at = startTime.getTime();
  const { kid } = keys.at(at).jwk;
  expect(other.at(at).jwk.kid).toBe(kid);
  expect(keys.at(at + keyMs).jwk.kid).not.toBe(kid);
  for (const offset of [-1, 0, 1]) expect(keys.publishedAt(at + offset * keyMs).map((key) => key.kid)).toContain(kid);
  for (const offset of [-2, 2]) expect(keys.publishedAt(at + offset * keyMs).map((key) => key.kid)).not.toContain(kid);
});
