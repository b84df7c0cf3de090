// When keys were last used: noted in memory, written from time to time, and not lost when that fails.

import { expect, test } from 'vitest';
import { openClient, refuseLastUses } from '../support/database.ts';
import { ofOneServer, startService } from '../support/service.ts';

test('a last use that cannot be written is reported, and written with the next round', async () => {
  const reported: unknown[] = [];
  const service = ofOneServer(await startService({}, { onUpkeepFailure: (error) => reported.push(error) }));
  const lastUse = async () => {
    const { data } = await service.graphql('{ apiKeys { nodes { lastUsedAt } } }');
    return data.apiKeys.nodes[0].lastUsedAt;
  };
  expect(await lastUse()).toBe(null);

  const client = await openClient(service.database);
  const allow = await refuseLastUses(service.database);
  await expect(service.storage.upkeep()).rejects.toThrow();
  expect(await lastUse()).toBe(null);
  service.setTime(new Date('2026-11-20T22:00:00Z'));
  await lastUse();
  await expect(service.storage.upkeep()).rejects.toThrow();
  await allow();
  service.setTime(new Date('2026-11-20T23:00:00Z'));
  await service.storage.upkeep();
  await refuseLastUses(service.database);
  // The later of the two that could not be written.
  expect(await client.apiKey.findMany({ select: { lastUsedAt: true } })).toEqual([
    { lastUsedAt: new Date('2026-11-20T22:00:00Z') },
  ]);
  await service.graphql('{ __typename }');
  await service.close();
  expect(reported).toEqual([expect.any(Error)]);
});
