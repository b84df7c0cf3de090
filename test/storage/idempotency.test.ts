// Limits on the stored answers to requests with an `Idempotency-Key`.

import { hash } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Identity } from '../../src/storage/keys/credentials.ts';
import { sql } from '../../src/storage/sql/statement.ts';
import { ofOneServer, startService, type TestService } from '../support/service.ts';

let service: TestService;
let identity: Identity;
let monotonicMs: number;

beforeEach(async () => {
  monotonicMs = 0;
  // Each server counts separately.
  service = ofOneServer(await startService({}, { monotonicMs: () => monotonicMs }));
  const known = await service.storage.credentials.identify(hash('sha256', service.token, 'hex'));
  if (known === null) throw new Error('The key of the service is unknown.');
  identity = known;
});
afterEach(async () => {
  expect(service.failures).toEqual([]);
  await service.close();
});

/** Stores answers to new requests. */
async function keep(times: number, bytes: number) {
  for (let time = 0; time < times; time += 1) {
    const keyHash = hash('sha256', `${monotonicMs} ${bytes} ${time}`, 'hex');
    const known = await service.storage.idempotency.open({ identity, keyHash, requestHash: 'r' });
    await known.keep({ status: 200, headers: {}, body: 'b'.repeat(bytes) });
  }
}

async function keptAnswers(): Promise<number> {
  const [row] = await service.storage.server.rows(
    sql`SELECT count(*) FROM "IdempotencyRecord" WHERE "responseName" = ''`,
  );
  return Number(row?.[0]);
}

test('of an account 16 MiB of answers are kept at once, then one KiB a second; changes are made once all the same', async () => {
  await keep(260, 65_536);
  expect(await keptAnswers()).toBe(256);
  const create = () => service.rest('POST', '/ip_policies', {}, { 'Idempotency-Key': 'k' });
  const first = await create();
  const second = await create();
  expect([second.headers.get('idempotency-replayed'), second.body]).toEqual(['true', first.body]);
  expect((await service.rest('GET', '/ip_policies')).body.ip_policies).toHaveLength(1);
  expect(await keptAnswers()).toBe(256);
  monotonicMs = 3_000;
  await keep(5, 0);
  expect(await keptAnswers()).toBe(259);
  const stranger = await service.otherAccount('stranger');
  await stranger.rest('POST', '/ip_policies', {}, { 'Idempotency-Key': 'k' });
  expect(await keptAnswers()).toBe(260);
});
