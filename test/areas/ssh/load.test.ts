// Signing is work for other threads: requests that have nothing to do with it do not wait.

import { existsSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openAuthorityKey } from '../../../src/domain/ssh/certificate-authority.ts';
import { signMessage } from '../../../src/domain/ssh/signature.ts';
import { generateAuthorityKey } from '../../support/keys.ts';
import { startService, type TestService } from '../../support/service.ts';
import { authorityKinds, hostKeys } from '../../support/ssh.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  expect(service.failures).toEqual([]);
  await service.close();
});

/** Tells how often the event loop came round while some work went on. It does not while the work itself stands in the way. */
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

/** Milliseconds for which the thread of the event loop has had a processor, which other programs do not change. */
const threadFile = '/proc/thread-self/schedstat';
const threadMs = () => Number(readFileSync(threadFile, 'utf8').split(' ')[0]) / 1e6;

const create = (path: string, body: object) =>
  service.rest('POST', path, body).then(({ status, body: { id } }): string => {
    expect(status).toBe(201);
    return id;
  });

test('60 requests at once to an RSA-4096 authority leave other requests quick', {
  timeout: 60_000,
}, async (context) => {
  context.skip(!existsSync(threadFile), 'the system does not tell how long a thread has run');
  /** What 60 certificates of an authority cost the event loop, and how many were there when another request was answered. */
  const costOf = async (kind: keyof typeof authorityKinds) => {
    const ssh_certificate_authority_id = await create('/ssh_certificate_authorities', authorityKinds[kind]);
    const request = { ssh_certificate_authority_id, public_key: hostKeys.ed25519, principals: ['a.example.com'] };
    let signed = 0;
    const sign = () =>
      create('/ssh_host_certificates', request).then(() => {
        signed += 1;
      });
    await sign();
    const round = async () => {
      signed = 0;
      const before = threadMs();
      const all = Promise.all(Array.from({ length: 60 }, sign));
      const { status } = await service.rest('GET', `/ssh_certificate_authorities/${ssh_certificate_authority_id}`);
      const ahead = signed;
      await all;
      return { ms: threadMs() - before, status, ahead };
    };
    const rounds = [await round(), await round(), await round()];
    // The least: garbage of other tests is collected whenever it may be.
    return { ...rounds[0], ms: Math.min(...rounds.map(({ ms }) => ms)) };
  };
  await costOf('ed25519');
  const quick = await costOf('ed25519');
  const slow = await costOf('rsa 4096');
  expect(slow.status).toBe(200);
  expect(slow.ahead).toBeLessThan(60);
  // An ed25519 authority signs on the event loop in no time. Sixty RSA signatures there would take several times as long as
  // all the rest of the requests.
  expect(slow.ms).toBeLessThan(2 * quick.ms);
});

test('60 RSA-4096 signatures at once leave the event loop free', { timeout: 60_000 }, async () => {
  const { pkcs8Der } = await generateAuthorityKey({ privateKeyType: 'rsa', keySize: 4096 });
  const key = openAuthorityKey(pkcs8Der);
  const signed = () => Promise.all(Array.from({ length: 60 }, () => signMessage(key, Buffer.from('message'))));
  // On the event loop it would be one turn for all, or for each.
  expect(await turnsDuring(signed)).toBeGreaterThan(10 * 60);
});

test('an RSA-4096 key that is being generated leaves the event loop free', { timeout: 60_000 }, async () => {
  const generated = () => generateAuthorityKey({ privateKeyType: 'rsa', keySize: 4096 });
  expect(await turnsDuring(generated)).toBeGreaterThan(100);
});
