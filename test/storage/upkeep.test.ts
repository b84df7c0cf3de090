// Rounds of upkeep with an area that has a lot of work.

import { randomBytes } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { AreaUpkeep } from '../../src/storage/lifecycle/upkeep.ts';
import { sql } from '../../src/storage/sql/statement.ts';
import { openStorage } from '../../src/storage/storage.ts';
import { readFact } from '../../src/storage/trail/facts.ts';
import { createClocks } from '../support/clocks.ts';
import { testDatabase } from '../support/database.ts';
import { startService, startTime } from '../support/service.ts';
import { times } from '../support/times.ts';

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

test('the proof of the clock outlives a process, unless the clock may have been set meanwhile', async () => {
  const database = await testDatabase();
  let wallHours = 0;
  /** Runs a server for some hours, with a round in each, and returns the hours in which it did the hourly work. */
  const serveFor = async (hours: number) => {
    const bootedAt = wallHours;
    const done: number[] = [];
    const storage = await openStorage({
      engine: database.engine,
      now: () => new Date(startTime.getTime() + wallHours * 3_600_000),
      monotonicMs: () => (wallHours - bootedAt) * 3_600_000,
      randomBytes,
      secretKey: () => Buffer.alloc(32, 7),
      areas: [{ hourly: async () => void done.push(wallHours) }],
    });
    for (const _ of times(hours)) {
      await storage.upkeep();
      wallHours += 1;
    }
    await storage.upkeep();
    await storage.close();
    return done;
  };
  // Restarted every eight hours, each time after a pause of some minutes.
  const daily: number[][] = [];
  for (const _ of times(4)) {
    daily.push(await serveFor(8));
    wallHours += 0.1;
  }
  expect(daily.map((done) => done.length)).toEqual([0, 0, 1, 1]);
  expect(Math.trunc(daily[2]?.[0] ?? 0)).toBe(24);
  // Nobody knows how long a longer pause was.
  wallHours += 2;
  expect(await serveFor(23)).toEqual([]);
  expect(await serveFor(1)).toHaveLength(1);
  wallHours -= 1;
  expect(await serveFor(1)).toEqual([]);
});

test('a clock that was set is not believed after a restart, and undoes no proof that another server keeps up', async () => {
  const database = await testDatabase();
  let hours = 0;
  /** Opens a server whose wall clock is wrong by some hours, on a machine that has just started. */
  const open = async (wrongAtFirst = 0) => {
    const bootedAt = hours;
    let wrongBy = wrongAtFirst;
    const worked: number[] = [];
    const storage = await openStorage({
      engine: database.engine,
      now: () => new Date(startTime.getTime() + (hours + wrongBy) * 3_600_000),
      monotonicMs: () => (hours - bootedAt) * 3_600_000,
      randomBytes,
      secretKey: () => Buffer.alloc(32, 7),
      areas: [{ hourly: async () => void worked.push(hours) }],
    });
    return {
      close: () => storage.close(),
      set: (byHours: number) => {
        wrongBy += byHours;
      },
      worked,
      /** Runs as many rounds as lie between two stored proofs. */
      async go() {
        for (const _ of times(10)) await storage.upkeep();
      },
      proven: async () => JSON.parse((await readFact(storage.server, 'clockProof')) ?? '{}').provenMs / 3_600_000,
    };
  };
  const good = await open();
  await good.go();
  hours += 24;
  await good.go();
  expect(await good.proven()).toBe(24);

  const wrong = await open(48);
  for (const _ of times(3)) {
    await wrong.go();
    expect(await good.proven()).toBe(24);
    // Rounds take their time, so that another server's may come twice in between.
    await wrong.go();
    expect(await good.proven()).toBe(24);
    hours += 0.1;
    await good.go();
  }
  await wrong.close();

  await good.go();
  good.set(0.5);
  await good.go();
  await good.close();
  const next = await open(0.5);
  await next.go();
  expect(next.worked).toEqual([]);
  await next.close();
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
