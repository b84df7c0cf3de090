// What `npm run torture kill` says where a kill has cost something.

import { rmSync } from 'node:fs';
import { expect, inject, test } from 'vitest';
import { execute, testDatabase } from '../support/database.ts';
import { kill } from './kill.ts';

const programs = { directory: inject('programs') };
const progress = () => undefined;
const size = { rounds: 1, writers: 4, millisecondsMax: 300, readyMsMax: 30_000 };

test('a write-ahead log that is gone after the kill does not pass unnoticed', async () => {
  const database = await testDatabase({ migrated: false });
  const spoil = async () => rmSync(`${database.engine.name}-wal`);
  const { broken } = await kill({ programs, database, ...size, seed: 11, progress, spoil });
  expect(broken).toContainEqual(expect.stringMatching(/^an acknowledged write is lost: \/(ip_policies|edges)/));
});

test('an event that is missing after the kill does not pass unnoticed', async () => {
  const database = await testDatabase({ migrated: false });
  const spoil = async () => {
    const last = `SELECT "id" FROM "AuditEvent" WHERE "kind" = 'IpPolicy' ORDER BY "id" DESC LIMIT 1`;
    const removed = await execute(database, `DELETE FROM "AuditEvent" WHERE "id" = (${last}) RETURNING "id"`);
    expect(removed.length).toBe(1);
  };
  const { broken } = await kill({ programs, database, ...size, seed: 12, progress, spoil });
  expect(broken).toContainEqual(expect.stringMatching(/^the trail and an object disagree: /));
});
