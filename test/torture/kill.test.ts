// The short form of `npm run torture kill`.

import { rmSync } from 'node:fs';
import Database from 'better-sqlite3';
import { expect, inject, test } from 'vitest';
import { kill } from './kill.ts';
import type { Home } from './process.ts';

const directory = inject('programs');

const progress = () => undefined;

test('kill -9 under writers over both surfaces loses no acknowledged write and leaves nothing by half', async () => {
  const report = await kill({
    programs: { directory },
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

test('a write-ahead log that is gone after the kill does not pass unnoticed', async () => {
  const spoil = ({ path }: Home) => rmSync(`${path}-wal`);
  const size = { rounds: 1, writers: 4, millisecondsMax: 300, readyMsMax: 30_000 };
  const { broken } = await kill({ programs: { directory }, ...size, seed: 11, progress, spoil });
  expect(broken).toContainEqual(expect.stringMatching(/^an acknowledged write is lost: \/(ip_policies|edges)/));
});

test('an event that is missing after the kill does not pass unnoticed', async () => {
  const spoil = ({ path }: Home) => {
    const database = new Database(path);
    const last = `SELECT "id" FROM "AuditEvent" WHERE "kind" = 'IpPolicy' ORDER BY "id" DESC LIMIT 1`;
    expect(database.prepare(`DELETE FROM "AuditEvent" WHERE "id" = (${last})`).run().changes).toBe(1);
    database.close();
  };
  const size = { rounds: 1, writers: 4, millisecondsMax: 300, readyMsMax: 30_000 };
  const { broken } = await kill({ programs: { directory }, ...size, seed: 12, progress, spoil });
  expect(broken).toContainEqual(expect.stringMatching(/^the trail and an object disagree: /));
});
