// How activity is stored: by one statement, with that of other servers, and no longer than it can be asked for.

import { expect, test } from 'vitest';
import { createTally } from '../../src/domain/access/activity.ts';
import { activityUpkeep } from '../../src/storage/activity.ts';
import { sql } from '../../src/storage/sql/statement.ts';
import { execute } from '../support/database.ts';
import { accountOf, ownService, startBeside, startTime } from '../support/service.ts';

const minuteMs = 60_000;
const later = (minutes: number) => new Date(startTime.getTime() + minutes * minuteMs);
const lastMinute = { minutes: 1, everyMinutes: 1 };

test('several servers add to the same intervals, and each stores what it has left when it stops', async () => {
  const service = await ownService();
  const accountId = await accountOf(service);
  const other = await startBeside(service);
  for (const { storage } of [service, other]) storage.activity.count(accountId, ['gateRefused'], startTime);
  await service.storage.activity.store();
  await other.close();
  expect(await service.storage.activity.read(accountId, lastMinute, startTime)).toMatchObject([{ gateRefused: 2 }]);
});

test('several servers store the same intervals of many accounts at once', async () => {
  const service = await ownService();
  const other = await startBeside(service);
  for (let index = 0; index < 1_200; index += 1) {
    service.storage.activity.count(`acct_${index}`, ['requests'], startTime);
    other.storage.activity.count(`acct_${1_199 - index}`, ['requests', 'failedRequests'], startTime);
  }
  await Promise.all([service, other].map(({ storage }) => storage.activity.store()));
  await other.close();
  const [sums] = await service.storage.server.rows(
    sql`SELECT count(*), sum("requests"), sum("failedRequests") FROM "ActivityInterval" WHERE "requests" > 0`,
  );
  expect(sums?.map(Number)).toEqual([2_400, 4_800, 2_400]);
});

test('one statement stores what several accounts have done in several minutes, and nothing is written if nothing happened', async () => {
  const { storage, statements } = await ownService();
  await storage.activity.store();
  statements.length = 0;
  for (const accountId of ['one', 'other']) {
    for (const minute of [0, 1]) storage.activity.count(accountId, ['requests'], later(minute));
  }
  await storage.activity.store();
  await storage.activity.store();
  expect(statements.filter((text) => text.startsWith('INSERT'))).toHaveLength(1);
});

test('what could not be stored is stored once, later', async () => {
  const { storage, database } = await ownService();
  await execute(database, 'ALTER TABLE "ActivityInterval" RENAME TO "Away"');
  storage.activity.count('one', ['gateRefused'], startTime);
  await expect(storage.activity.store()).rejects.toThrow();
  await execute(database, 'ALTER TABLE "Away" RENAME TO "ActivityInterval"');
  storage.activity.count('one', ['gateRefused'], startTime);
  await storage.activity.store();
  await storage.activity.store();
  expect(await storage.activity.read('one', lastMinute, startTime)).toMatchObject([{ gateRefused: 2 }]);
});

test('upkeep deletes minutes after a day and hours after 30 days', async () => {
  const { storage } = await ownService();
  storage.activity.count('one', ['requests'], startTime);
  await storage.activity.store();
  const left = async (minutes: number) => {
    await activityUpkeep.hourly?.(storage.server, later(minutes), new AbortController().signal);
    const rows = await storage.server.rows(
      sql`SELECT "minutes" FROM "ActivityInterval" WHERE "accountId" = 'one' ORDER BY 1`,
    );
    return rows.map(([length]) => Number(length));
  };
  expect(await left(24 * 60 - 1)).toEqual([1, 60]);
  expect(await left(24 * 60)).toEqual([60]);
  expect(await left(30 * 24 * 60 - 1)).toEqual([60]);
  expect(await left(30 * 24 * 60)).toEqual([]);
});

test('what is not stored is bounded: what was counted first is dropped', () => {
  const tally = createTally();
  for (let index = 0; index < 10_001; index += 1) tally.count(`acct_${index}`, ['requests'], startTime);
  const counted = tally.take();
  expect([counted.length, counted[0]?.accountId]).toEqual([10_000, 'acct_1']);
});
