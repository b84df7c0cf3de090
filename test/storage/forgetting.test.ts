// That what is over goes in small steps, however much there is.

import { expect, test } from 'vitest';
import { revokedKeyUpkeep } from '../../src/areas/api-keys/upkeep.ts';
import { sql } from '../../src/storage/statement.ts';
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
