// Expired rows are deleted in small steps, however many there are.

import { expect, test } from 'vitest';
import { dashboardSessionUpkeep, revokedKeyUpkeep } from '../../src/areas/api-keys/upkeep.ts';
import { forgetDeletedAuthorities } from '../../src/areas/ssh/revocation/upkeep.ts';
import type { ServerScope } from '../../src/storage/objects/server-scope.ts';
import { deletedSlices } from '../../src/storage/sql/read-slices.ts';
import { sql } from '../../src/storage/sql/statement.ts';
import { DashboardBrowser } from '../support/dashboard-browser.ts';
import { startService, startTime } from '../support/service.ts';

test('revoked keys are forgotten slice by slice, oldest first, and the rest another time when the server is about to stop', async () => {
  const service = await startService();
  const { server } = service.storage;
  await server.change(sql`INSERT INTO "RevokedApiKey" ("tokenHash", "accountId", "apiKeyId", "description", "revokedAt")
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1200)
    SELECT 'old ' || i, 'a', 'k', '', ${startTime} FROM n`);
  const later = new Date(startTime.getTime() + 1_000);
  await server.change(sql`INSERT INTO "RevokedApiKey" ("tokenHash", "accountId", "apiKeyId", "description", "revokedAt")
    VALUES ('new', 'a', 'k', '', ${later})`);
  const steps: number[] = [];
  const stopping = new AbortController();
  const counting = {
    ...server,
    async change(...statements: Parameters<typeof server.change>) {
      const changed = await server.change(...statements);
      steps.push(changed);
      if (steps.length === 1) stopping.abort();
      return changed;
    },
  };
  const end = new Date(startTime.getTime() + 86_400_000);
  await revokedKeyUpkeep(1).hourly?.(counting, end, stopping.signal);
  expect(steps).toHaveLength(1);
  await revokedKeyUpkeep(1).hourly?.(counting, end, new AbortController().signal);
  expect(steps.reduce((sum, rows) => sum + rows)).toBe(1_200);
  // The slices of PostgreSQL are larger.
  expect(Math.max(...steps)).toBeLessThanOrEqual(4 * deletedSlices.most);
  // If nothing has expired, nothing is written.
  const { length } = steps;
  await revokedKeyUpkeep(1).hourly?.(counting, end, new AbortController().signal);
  expect(steps).toHaveLength(length);
  expect(await server.rows(sql`SELECT "tokenHash" FROM "RevokedApiKey"`)).toEqual([['new']]);
  await service.close();
});

test('sessions of the dashboard are forgotten when they have ended', async () => {
  const service = await startService();
  await new DashboardBrowser(service).signIn(service.token);
  const { server } = service.storage;
  const left = async () => (await server.rows(sql`SELECT "id" FROM "DashboardSession"`)).length;
  const forget = (idleSeconds: number, afterSeconds: number) => {
    const now = new Date(startTime.getTime() + afterSeconds * 1_000);
    return dashboardSessionUpkeep(idleSeconds).hourly?.(server, now, new AbortController().signal);
  };
  // A session's last use may be written up to a minute late, and another minute if its write fails.
  await forget(1_800, 1_919);
  await forget(86_400, 43_199);
  expect(await left()).toBe(1);
  await forget(1_800, 1_920);
  expect(await left()).toBe(0);
  await new DashboardBrowser(service).signIn(service.token);
  await forget(86_400, 43_200);
  expect(await left()).toBe(0);
  await service.close();
});

test('deleted authorities are forgotten slice by slice, and the newest of an account takes over their counts', async () => {
  const service = await startService();
  const { server } = service.storage;
  await server.change(sql`INSERT INTO "SshDeletedAuthority" ("id", "accountId", "publicKey", "createdAt", "deletedAt", "revocationCount")
    WITH RECURSIVE n(i) AS (SELECT 101 UNION ALL SELECT i + 1 FROM n WHERE i < 147)
    SELECT 'sshca_' || i, 'a', 'key ' || i, ${startTime}, ${startTime}, 2 FROM n`);
  const most = 10;
  const read: number[] = [];
  const changed: number[] = [];
  const counting: ServerScope = {
    ...server,
    slices: (sizes, look) => server.slices(sizes, () => look(most)),
    async rows(statement) {
      const rows = await server.rows(statement);
      read.push(rows.length);
      return rows;
    },
    async change(...statements) {
      const rows = await server.change(...statements);
      changed.push(rows);
      return rows;
    },
  };
  await forgetDeletedAuthorities(counting, new AbortController().signal);
  expect(read).toEqual([10, 10, 10, 10, 7]);
  expect([changed.length, Math.max(...changed)]).toEqual([46, 1]);
  const left = await server.rows(sql`SELECT "id", "revocationCount" FROM "SshDeletedAuthority"`);
  expect(left.map(([id, count]) => [id, Number(count)])).toEqual([['sshca_147', 94]]);
  await service.close();
});
