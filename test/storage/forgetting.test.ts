// That what is over goes in small steps, however much there is.

import { expect, test } from 'vitest';
import { apiKeyUpkeep, revokedKeyUpkeep } from '../../src/areas/api-keys/upkeep.ts';
import { sql } from '../../src/storage/statement.ts';
import { DashboardBrowser } from '../support/dashboard-browser.ts';
import { startService, startTime } from '../support/service.ts';

test('revoked keys are forgotten 500 at a time, oldest first, and the rest another time when the server is about to stop', async () => {
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
  expect(steps).toEqual([500]);
  await revokedKeyUpkeep(1).hourly?.(counting, end, new AbortController().signal);
  expect(steps).toEqual([500, 500, 200]);
  expect(await server.rows(sql`SELECT "tokenHash" FROM "RevokedApiKey"`)).toEqual([['new']]);
  await service.close();
});

test('sessions of the dashboard are forgotten when they can last no longer', async () => {
  const service = await startService();
  await new DashboardBrowser(service).signIn(service.token);
  const { server } = service.storage;
  const left = async () => (await server.rows(sql`SELECT "id" FROM "DashboardSession"`)).length;
  const end = startTime.getTime() + 43_200_000;
  await apiKeyUpkeep.hourly?.(server, new Date(end - 1), new AbortController().signal);
  expect(await left()).toBe(1);
  await apiKeyUpkeep.hourly?.(server, new Date(end), new AbortController().signal);
  expect(await left()).toBe(0);
  await service.close();
});
