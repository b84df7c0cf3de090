// Logins with encrypted assertions, from the key in our public metadata to the page that a forgery gets.

import { createPublicKey, type KeyObject, verify, X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { LoginFailure } from '../../src/surfaces/gate/session-events.ts';
import { executeNow } from '../support/database.ts';
import {
  assertionXml,
  type EncryptionManner,
  encode,
  encrypted,
  honest,
  makeIdpKey,
  responseXml,
  signed,
} from '../support/identity-provider.ts';
import {
  Browser,
  configure,
  host,
  identityOf,
  idpKey,
  leave,
  locationOf,
  makePlace,
  type Place,
  post,
  readRequest,
} from '../support/login.ts';
import { baseUrl, startService, startTime, type TestService } from '../support/service.ts';

const failures: LoginFailure[] = [];
let service: TestService;
beforeAll(async () => {
  service = await startService({ loginFailed: (failure) => failures.push(failure) });
});
afterAll(async () => {
  expect(service.failures).toEqual([]);
  await service.close();
});

/** Returns the key for encryption in our metadata; undefined if there is none. */
async function offeredKey({ routeId }: Place): Promise<KeyObject | undefined> {
  const metadata = await (await fetch(`${service.url}/saml/${routeId}`)).text();
  const [, certificate] = /use="encryption".*?<ds:X509Certificate>([^<]+)</.exec(metadata) ?? [];
  return certificate === undefined ? undefined : new X509Certificate(Buffer.from(certificate, 'base64')).publicKey;
}

let assertions = 0;
/** Answers a request with an encrypted assertion; what is encrypted and what is sent can be changed. */
function answer(
  place: Place,
  requestId: string,
  recipient: KeyObject,
  manner: EncryptionManner & { readonly inside?: (assertion: string) => string } = {},
): string {
  const entityId = `${baseUrl}/saml/${place.routeId}`;
  const spoken = honest({ entityId, acs: place.acs, inResponseTo: requestId, now: startTime });
  assertions += 1;
  const { inside = (assertion) => signed(assertion, 'Assertion', idpKey), ...rest } = manner;
  const assertion = inside(assertionXml(spoken, `_e${assertions}`));
  return responseXml(spoken, encrypted('EncryptedAssertion', assertion, recipient, rest));
}

test('an assertion that is encrypted for the key in our metadata logs in, and only at its route', async () => {
  const [place, other] = [await makePlace(service), await makePlace(service)];
  const [key, otherKey] = [await offeredKey(place), await offeredKey(other)];
  if (key === undefined || otherKey === undefined) throw new Error('The metadata has no key for encryption.');
  expect(key.equals(otherKey)).toBe(false);
  const browser = new Browser(service);
  const { requestId } = await leave(browser, place);
  expect((await post(service, place, encode(answer(place, requestId, otherKey)))).status).toBe(403);
  const brought = await post(service, place, encode(answer(place, requestId, key, { content: 'aes-256-cbc' })));
  const session = await browser.open(place, locationOf(brought));
  expect(identityOf(await browser.open(place, locationOf(session)))).toEqual([
    200,
    'amy',
    'staff,admins',
    'amy@example.com',
  ]);
});

test('a module that has no key for encryption yet gets one when it is set again, and keeps it', async () => {
  const place = await makePlace(service);
  const former = await offeredKey(place);
  const columns = '"encryptionCertificatePem" = NULL, "sealedDecryptionKeys" = NULL';
  executeNow(service.database, `UPDATE "SamlModule" SET ${columns} WHERE "routeId" = '${place.routeId}'`);
  expect([former === undefined, await offeredKey(place)]).toEqual([false, undefined]);
  await configure(service, place, {});
  const key = await offeredKey(place);
  await configure(service, place, { force_authn: false });
  expect(await offeredKey(place)).toEqual(key);
  if (key === undefined) throw new Error('The metadata has no key for encryption.');
  const { requestId } = await leave(new Browser(service), place);
  expect((await post(service, place, encode(answer(place, requestId, key)))).status).toBe(303);
});

test('whoever sends what cannot be decrypted, or is not signed, learns nothing else from the answers', async () => {
  const place = await makePlace(service);
  const key = await offeredKey(place);
  if (key === undefined) throw new Error('The metadata has no key for encryption.');
  const { requestId } = await leave(new Browser(service), place);
  const stranger = makeIdpKey();
  const plain = (assertion: string) => assertion;
  const good = answer(place, requestId, key);
  const forgeries = [
    answer(place, requestId, createPublicKey(stranger.privateKey)),
    answer(place, requestId, key, { inside: (assertion) => signed(assertion, 'Assertion', stranger) }),
    answer(place, requestId, key, { inside: plain }),
    answer(place, requestId, key, { inside: () => 'amy' }),
    answer(place, requestId, key, { inside: (assertion) => `<!DOCTYPE a>${signed(assertion, 'Assertion', idpKey)}` }),
    answer(place, requestId, key, { transport: 'rsa-1_5' }),
    answer(place, requestId, key, { content: 'des-ede3-cbc' }),
    good.replace(
      '<saml:EncryptedAssertion',
      `${assertionXml(honest({ entityId: '', acs: '', inResponseTo: null, now: startTime }))}$&`,
    ),
    good.replace(/<xenc:EncryptedKey.*<\/xenc:EncryptedKey>/, ''),
    // In clear, with the signature of a stranger.
    responseXml(
      honest({ entityId: '', acs: place.acs, inResponseTo: requestId, now: startTime }),
      signed(
        assertionXml(honest({ entityId: '', acs: place.acs, inResponseTo: requestId, now: startTime })),
        'Assertion',
        stranger,
      ),
    ),
  ];
  const before = failures.length;
  const answers: unknown[] = [];
  for (const forgery of forgeries) {
    const sentMs = performance.now();
    const answered = await post(service, place, encode(forgery));
    // At the end of a step: the fastest of them takes a millisecond.
    const isHeldBack = performance.now() - sentMs > 28;
    const page = (await answered.text()).replace(/op_\w{26}/g, '');
    answers.push([answered.status, [...answered.headers.keys()].join(), page, isHeldBack]);
  }
  const [first] = answers;
  expect(answers).toEqual(forgeries.map(() => first));
  expect(first).toEqual([
    403,
    expect.any(String),
    expect.stringContaining('or is encrypted in a way that cannot be read'),
    true,
  ]);
  expect(failures.slice(before).map(({ reason }) => reason)).toEqual(forgeries.map(() => 'signature'));
  expect((await post(service, place, encode(good))).status).toBe(303);
});

test('one encrypted key is tried five times: to learn what it encrypts, one would have to ask much more often', async () => {
  const place = await makePlace(service);
  const key = await offeredKey(place);
  if (key === undefined) throw new Error('The metadata has no key for encryption.');
  const { requestId } = await leave(new Browser(service), place);
  const good = answer(place, requestId, key, { content: 'aes-128-cbc' });
  const last = good.lastIndexOf('</xenc:CipherValue>');
  const before = failures.length;
  // Each changes the last block.
  for (const part of ['AAAA', 'BBBB', 'CCCC', 'DDDD', 'EEEE']) {
    const changed = good.slice(0, last - 12) + part + good.slice(last - 8);
    expect((await post(service, place, encode(changed))).status).toBe(403);
  }
  expect((await post(service, place, encode(good))).status).toBe(403);
  expect(failures.slice(before).map(({ detail }) => detail)).toEqual([
    ...Array<string>(5).fill('What is encrypted cannot be decrypted, or is not signed as it must be.'),
    'The same encrypted key has been used too often.',
  ]);
  expect((await post(service, place, encode(answer(place, requestId, key)))).status).toBe(303);
});

describe('keys are replaced while people log in', () => {
  const keysOf = async ({ routeId }: Place) => {
    const query = `query ($id: ID!) { node(id: $id) { ... on HttpsEdgeRoute { version saml { requestSigningCertificatePem
      keys { state nextStep changedAt nextCertificatePem formerCertificatePem signingExpiresAt encryptionExpiresAt } } } } }`;
    const { version, saml } = (await service.graphql(query, { id: routeId })).data.node;
    return { version, signing: saml.requestSigningCertificatePem, ...saml.keys };
  };
  const rotate = async (id: string, step: string, more = '') => {
    const { errors } = await service.graphql(
      `mutation ($id: ID!) { rotateSamlKey(input: { id: $id, step: ${step} ${more} }) { httpsEdgeRoute { id } } }`,
      { id },
    );
    return errors === undefined ? null : [errors[0]?.extensions.code, errors[0]?.message];
  };
  /** The certificates for signatures in our metadata, as PEM without its frame. */
  const offered = async ({ routeId }: Place) => {
    const metadata = await (await fetch(`${service.url}/saml/${routeId}`)).text();
    return [...metadata.matchAll(/use="signing".*?<ds:X509Certificate>([^<]+)</g)].map(
      ([, certificate]) => certificate,
    );
  };
  const bare = (pem: string) => pem.replace(/-----[A-Z ]+-----|\s/g, '');
  /** Logs in with an assertion for a key, and returns the status of the page; checks who signed the request. */
  async function logIn(place: Place, recipient: KeyObject): Promise<number> {
    const browser = new Browser(service);
    const sent = await browser.open(place, `https://${host}/app`);
    const asked = new URL(locationOf(await browser.visit(locationOf(sent))));
    const [query = '', signature = ''] = asked.search.slice(1).split('&Signature=');
    const { signing } = await keysOf(place);
    const proof = Buffer.from(decodeURIComponent(signature), 'base64');
    expect(verify('sha256', Buffer.from(query), new X509Certificate(signing).publicKey, proof)).toBe(true);
    const { requestId } = readRequest(asked.href);
    const brought = await post(service, place, encode(answer(place, requestId, recipient)));
    if (brought.status === 403) return 403;
    return (await browser.open(place, locationOf(await browser.open(place, locationOf(brought))))).status;
  }

  test('a login works at each step, and the former keys end with the last', async () => {
    const place = await makePlace(service);
    const { routeId: id } = place;
    const [former, before] = [await offeredKey(place), await keysOf(place)];
    if (former === undefined) throw new Error('The metadata has no key for encryption.');
    expect(before).toMatchObject({
      version: 2,
      state: 'settled',
      nextStep: 'announce',
      changedAt: null,
      signingExpiresAt: '2031-11-19T21:00:00Z',
      encryptionExpiresAt: '2031-11-19T21:00:00Z',
    });
    const early = 'No next key is announced: the next step is `announce`.';
    expect(await rotate(id, 'take_over')).toEqual(['OUT_OF_ORDER', early]);
    expect(await rotate(id, 'announce', 'expectedVersion: 1')).toEqual(['VERSION_CONFLICT', expect.anything()]);

    expect(await rotate(id, 'announce')).toBe(null);
    const announced = await keysOf(place);
    expect(announced).toMatchObject({
      version: 3,
      state: 'announced',
      nextStep: 'take_over',
      changedAt: '2026-11-20T21:00:00Z',
      signing: before.signing,
      formerCertificatePem: null,
    });
    expect(await offered(place)).toEqual([bare(before.signing), bare(announced.nextCertificatePem)]);
    const current = await offeredKey(place);
    if (current === undefined || current.equals(former)) throw new Error('The metadata has no new key for encryption.');
    expect([await logIn(place, former), await logIn(place, current)]).toEqual([200, 200]);
    expect(await rotate(id, 'announce')).toEqual([
      'OUT_OF_ORDER',
      'The next key is announced, and does not sign yet: the next step is `take_over`.',
    ]);

    // A module that is set again keeps its keys, and goes on where it was.
    await configure(service, place, { force_authn: false });
    expect(await rotate(id, 'take_over')).toBe(null);
    expect(await keysOf(place)).toMatchObject({
      state: 'taken_over',
      signing: announced.nextCertificatePem,
      nextCertificatePem: null,
      formerCertificatePem: before.signing,
    });
    expect(await offered(place)).toEqual([bare(announced.nextCertificatePem), bare(before.signing)]);
    expect([await logIn(place, former), await logIn(place, current)]).toEqual([200, 200]);

    expect(await rotate(id, 'drop_former')).toBe(null);
    expect(await keysOf(place)).toMatchObject({ state: 'settled', formerCertificatePem: null });
    expect(await offered(place)).toEqual([bare(announced.nextCertificatePem)]);
    expect([await logIn(place, former), await logIn(place, current)]).toEqual([403, 200]);
    const { data } = await service.graphql(`{ auditEvents(objectId: "${id}", first: 9) { nodes { action } } }`);
    expect(data.auditEvents.nodes).toHaveLength(6);
  });

  test('they are those of the registration, also of a module without a key for encryption', async () => {
    const place = await makePlace(service);
    const columns = '"encryptionCertificatePem" = NULL, "sealedDecryptionKeys" = NULL';
    executeNow(service.database, `UPDATE "SamlModule" SET ${columns} WHERE "routeId" = '${place.routeId}'`);
    const route = { match_type: 'path_prefix', match: '/api' };
    const path = `/edges/https/${place.edgeId}/routes`;
    const { id } = (await service.rest('POST', path, route)).body;
    expect(await rotate(id, 'announce')).toEqual([
      'INVALID_INPUT',
      'id: names a route without a SAML module. Set one: it begins with new keys.',
    ]);
    await service.rest('PUT', `${path}/${id}/saml`, { login_route_id: place.routeId });
    expect(await rotate(id, 'announce')).toEqual([
      'INVALID_INPUT',
      'id: names a route that uses the registration, and so the keys, of "/app". Name that one.',
    ]);
    expect(await rotate(place.routeId, 'announce')).toBe(null);
    const key = await offeredKey(place);
    if (key === undefined) throw new Error('The metadata has no key for encryption.');
    expect(await logIn(place, key)).toBe(200);
  });
});
