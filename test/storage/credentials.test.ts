// When keys were last used: noted in memory, written from time to time, and not lost when that fails.

import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { startService } from '../support/service.ts';

test('a last use that cannot be written is reported, and written with the next round', async () => {
  const reported: unknown[] = [];
  const service = await startService({}, { onUpkeepFailure: (error) => reported.push(error) });
  const lastUse = async () => {
    const { data } = await service.graphql('{ apiKeys { nodes { lastUsedAt } } }');
    return data.apiKeys.nodes[0].lastUsedAt;
  };
  expect(await lastUse()).toBe(null);

  const database = new Database(service.databasePath);
  database.exec(`CREATE TRIGGER refuse BEFORE UPDATE ON ApiKey BEGIN SELECT RAISE(ABORT, 'refused'); END`);
  await expect(service.storage.upkeep()).rejects.toThrow();
  expect(await lastUse()).toBe(null);
  service.setTime(new Date('2026-11-20T22:00:00Z'));
  await lastUse();
  await expect(service.storage.upkeep()).rejects.toThrow();
  database.exec('DROP TRIGGER refuse');
  service.setTime(new Date('2026-11-20T23:00:00Z'));
  await service.storage.upkeep();
  database.exec(`CREATE TRIGGER refuse BEFORE UPDATE ON ApiKey BEGIN SELECT RAISE(ABORT, 'refused'); END`);
  // The later of the two that could not be written.
  expect(database.prepare('SELECT lastUsedAt FROM ApiKey').pluck().get()).toMatch(/^2026-11-20T22:00:00/);
  database.close();
  await service.graphql('{ __typename }');
  await service.close();
  expect(reported).toEqual([expect.any(Error)]);
});
