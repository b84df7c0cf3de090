// Signing runs on other threads, so unrelated requests do not wait for it.

import { beforeAll, expect, test } from 'vitest';
import { openAuthorityKey } from '../../../src/areas/ssh/authorities/authority-key.ts';
import { signMessage } from '../../../src/areas/ssh/keys/signature.ts';
import { generatePrivateKey } from '../../../src/storage/keys/key-generation.ts';
import { generateAuthorityKey } from '../../support/keys.ts';
import { startService, type TestService } from '../../support/service.ts';
import { authorityKinds, hostKeys } from '../../support/ssh.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});

/** Returns the number of event loop turns while some work ran. Work that blocks the event loop allows none. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let working = true;
  const done = work().finally(() => {
    working = false;
  });
  let turns = 0;
  for (; working; turns += 1) await new Promise((resolve) => setImmediate(resolve));
  await done;
  return turns;
}

const create = (path: string, body: object) =>
  service.rest('POST', path, body).then(({ status, body: { id } }): string => {
    expect(status).toBe(201);
    return id;
  });

test('60 requests at once to an RSA-4096 authority leave the event loop free', async () => {
  const authority = authorityKinds['rsa 4096'];
  const ssh_certificate_authority_id = await create('/ssh_certificate_authorities', authority);
  const request = { ssh_certificate_authority_id, public_key: hostKeys.ed25519, principals: ['a.example.com'] };
  let signed = 0;
  const sign = () =>
    create('/ssh_host_certificates', request).then(() => {
      signed += 1;
    });
  const signing = Promise.all(Array.from({ length: 60 }, sign));
  const { status } = await service.rest('GET', `/ssh_certificate_authorities/${ssh_certificate_authority_id}`);
  expect(status).toBe(200);
  // On the event loop, all signatures requested in one turn would be created before any other answer.
  expect(signed).toBeLessThan(60);
  await signing;
});

test('60 RSA-4096 signatures at once leave the event loop free', async () => {
  const { pkcs8Der } = await generateAuthorityKey({ privateKeyType: 'rsa', keySize: 4096 });
  const key = openAuthorityKey(pkcs8Der);
  const signed = () => Promise.all(Array.from({ length: 60 }, () => signMessage(key, Buffer.from('message'))));
  // On the event loop, there would be one turn for all signatures, or one for each.
  expect(await turnsDuring(signed)).toBeGreaterThan(10 * 60);
});

test('an RSA-4096 key that is being generated leaves the event loop free', async () => {
  const generated = () => generatePrivateKey({ privateKeyType: 'rsa', keySize: 4096 });
  expect(await turnsDuring(generated)).toBeGreaterThan(100);
});
