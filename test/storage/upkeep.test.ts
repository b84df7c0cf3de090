// Rounds of upkeep with an area that has a lot of work.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { sql } from '../../src/storage/statement.ts';
import type { AreaUpkeep } from '../../src/storage/upkeep.ts';
import { createClocks } from '../support/clocks.ts';
import { startService } from '../support/service.ts';

/** Starts a service whose clock has been right for a day, so that it is trusted. */
async function startBelieved(...works: NonNullable<AreaUpkeep['hourly']>[]) {
  const failures: unknown[] = [];
  const clocks = createClocks();
  const service = await startService(
    {},
    {
      areas: works.map((hourly) => ({ hourly })),
      monotonicMs: clocks.monotonicMs,
      onUpkeepFailure: (error) => failures.push(error),
    },
  );
  await clocks.pass(service, 0, 23);
  clocks.set(service, 24);
  return { service, failures };
}

test('closing the database waits for a round of upkeep, which ends early and without a failure', async () => {
  let reads = 0;
  let ended = false;
  const { service, failures } = await startBelieved(async (scope, _now, signal) => {
    // Work that ends only when it is aborted.
    while (!signal.aborted) {
      await scope.rows(sql`SELECT "id" FROM "ApiKey"`);
      reads += 1;
      await nextTurn();
    }
    await scope.rows(sql`SELECT "id" FROM "ApiKey"`);
    ended = true;
  });
  const round = service.storage.upkeep();
  await expect.poll(() => reads).toBeGreaterThan(0);
  await service.close();
  expect(ended).toBe(true);
  await expect(round).resolves.toBeUndefined();
  expect(failures).toEqual([]);
});

test('a round of upkeep that takes long is not joined by another', async () => {
  let rounds = 0;
  let release = () => {};
  const { service } = await startBelieved(() => {
    rounds += 1;
    return new Promise<void>((resolve) => {
      release = resolve;
    });
  });
  const long = service.storage.upkeep();
  const next = service.storage.upkeep();
  await expect.poll(() => rounds).toBe(1);
  release();
  await Promise.all([long, next]);
  expect(rounds).toBe(1);
  await service.close();
});

test('what fails keeps nothing else from being done, and is done again with the next round', async () => {
  const done: string[] = [];
  const { service, failures } = await startBelieved(
    async () => {
      done.push('first');
      if (failures.length === 0) throw new Error('The first time, it fails.');
    },
    async () => void done.push('second'),
  );
  for (let round = 0; round < 3; round += 1) await service.storage.upkeep();
  expect(done).toEqual(['first', 'second', 'first']);
  expect(failures).toEqual([new Error('The first time, it fails.')]);
  await service.close();
});
