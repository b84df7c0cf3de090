// The short form of `npm run torture kill`.

import { rmSync } from 'node:fs';
import { expect, inject, test } from 'vitest';
import { execute, testDatabase } from '../support/database.ts';
import { onOneEngine } from '../support/one-engine.ts';
import { kill } from './kill.ts';

const directory = inject('programs');

const progress = () => undefined;

test('kill -9 under writers over both surfaces loses no acknowledged write and leaves nothing by half', async () => {
  const report = await kill({
    programs: { directory },
    database: await testDatabase({ migrated: false }),
    rounds: 3,
    writers: 8,
    millisecondsMax: 500,
    // The machine may be busy with other tests.
    readyMsMax: 30_000,
    seed: 10,
    progress,
  });
  expect(report).toEqual({ ...report, broken: [] });
});

onOneEngine(() => {
  const size = { rounds: 1, writers: 4, millisecondsMax: 300, readyMsMax: 30_000 };

  test('a write-ahead log that is gone after the kill does not pass unnoticed', async () => {
    const database = await testDatabase({ migrated: false });
    const spoil = async () => rmSync(`${database.engine.name}-wal`);
    const { broken } = await kill({ programs: { directory }, database, ...size, seed: 11, progress, spoil });
    expect(broken).toContainEqual(expect.stringMatching(/^an acknowledged write is lost: \/(ip_policies|edges)/));
  });

  test('an event that is missing after the kill does not pass unnoticed', async () => {
    const database = await testDatabase({ migrated: false });
    const spoil = async () => {
      const last = `SELECT "id" FROM "AuditEvent" WHERE "kind" = 'IpPolicy' ORDER BY "id" DESC LIMIT 1`;
      const removed = await execute(database, `DELETE FROM "AuditEvent" WHERE "id" = (${last}) RETURNING "id"`);
      expect(removed.length).toBe(1);
    };
    const { broken } = await kill({ programs: { directory }, database, ...size, seed: 12, progress, spoil });
    expect(broken).toContainEqual(expect.stringMatching(/^the trail and an object disagree: /));
  });
});
