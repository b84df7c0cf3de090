// Logins with encrypted assertions, from the key in our public metadata to the page that a forgery gets.

import { createPublicKey, type KeyObject, X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
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
  identityOf,
  idpKey,
  leave,
  locationOf,
  makePlace,
  type Place,
  post,
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
    const answered = await post(service, place, encode(forgery));
    const page = (await answered.text()).replace(/op_\w{26}/g, '');
    answers.push([answered.status, [...answered.headers.keys()].join(), page]);
  }
  const [first] = answers;
  expect(answers).toEqual(forgeries.map(() => first));
  expect(first).toEqual([
    403,
    expect.any(String),
    expect.stringContaining('or is encrypted in a way that cannot be read'),
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
