// Stored facts about keys: their last use, noted in memory, written from time to time and not lost if that fails; and their
// rights, which are unlimited for keys of earlier versions.

import { cpSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { unlimited } from '../../src/areas/api-keys/rules.ts';
import { createApiKey } from '../../src/areas/api-keys/store.ts';
import { createIpPolicy } from '../../src/areas/ip-policies/store.ts';
import { hashOf } from '../../src/domain/values/hash.ts';
import { migrate } from '../../src/storage/lifecycle/migrate.ts';
import { trustMs } from '../../src/storage/objects/freshness.ts';
import { commandLine } from '../../src/storage/trail/origin.ts';
import { execute, openClient, refuseLastUses, testDatabase } from '../support/database.ts';
import { makePerson } from '../support/people.ts';
import { accountOf, ofOneServer, startService } from '../support/service.ts';
import { statementsOf } from '../support/statements.ts';
import { migrationsOf } from './fixtures/migrations.ts';
import { temporaryDirectory } from './fixtures/temporary.ts';

test('a last use that cannot be written is reported, and written with the next round', async () => {
  const reported: unknown[] = [];
  const service = ofOneServer(await startService({}, { onUpkeepFailure: (error) => reported.push(error) }));
  const lastUse = async () => {
    const { data } = await service.graphql('{ apiKeys { nodes { lastUsedAt } } }');
    return data.apiKeys.nodes[0].lastUsedAt;
  };
  expect(await lastUse()).toBe(null);

  const client = await openClient(service.database);
  const allow = await refuseLastUses(service.database, 'ApiKey');
  await expect(service.storage.upkeep()).rejects.toThrow();
  expect(await lastUse()).toBe(null);
  service.setTime(new Date('2026-11-20T22:00:00Z'));
  await lastUse();
  await expect(service.storage.upkeep()).rejects.toThrow();
  await allow();
  service.setTime(new Date('2026-11-20T23:00:00Z'));
  await service.storage.upkeep();
  await refuseLastUses(service.database, 'ApiKey');
  // The later of the two uses that could not be written.
  expect(await client.apiKey.findMany({ select: { lastUsedAt: true } })).toEqual([
    { lastUsedAt: new Date('2026-11-20T22:00:00Z') },
  ]);
  await service.graphql('{ __typename }');
  await service.close();
  expect(reported).toEqual([expect.any(Error)]);
});

test('last uses are written a few at a time, and a change that comes meanwhile is written in between', async () => {
  const service = ofOneServer(await startService());
  const { storage, database } = service;
  const [account] = await storage.accounts.list();
  const numbers = Array.from({ length: 200 }, (_, number) => number);
  const values = numbers.map((n) => `('ak_${n}', '${account?.id}', 'hash ${n}', '2026-11-20T21:00:00.000Z')`);
  await execute(
    database,
    `INSERT INTO "ApiKey" ("id", "accountId", "tokenHash", "createdAt") VALUES ${values.join(', ')}`,
  );
  const scope = storage.actingFor(account?.id ?? '', commandLine);
  for (const n of numbers) await scope.credentials.identify(`hash ${n}`);
  const statements = await statementsOf(service, () =>
    Promise.all([scope.credentials.flush(), createIpPolicy(scope, { description: 'meanwhile' })]),
  );
  const uses = statements.flatMap((sql, index) => (sql.startsWith('UPDATE "ApiKey"') ? [index] : []));
  const created = statements.findIndex((sql) => sql.includes('INTO "IpPolicy"'));
  expect(uses).toHaveLength(200);
  // Each for one key.
  expect(uses.filter((place) => !/WHERE "id" = 'ak_\d+'/.test(statements[place] ?? ''))).toEqual([]);
  expect(uses.filter((place) => place < created).length).toBeLessThanOrEqual(50);
  await service.close();
});

test('a key that was made before keys had scopes may do everything, for ever', async () => {
  const database = await testDatabase({ migrated: false });
  const { engine } = database;
  const names = migrationsOf(engine.migrations);
  const later = names.slice(names.findIndex((name) => name.endsWith('_key_scopes')));
  const directory = join(temporaryDirectory(), 'migrations');
  const isEarlier = (path: string) => !later.includes(basename(path));
  cpSync(engine.migrations.directory, directory, { recursive: true, filter: isEarlier });
  await migrate(engine, { directory });
  const values = `'ak_1', 'acct_1', 'hash', '2026-11-20T21:00:00.000Z'`;
  await execute(database, `INSERT INTO "ApiKey" ("id", "accountId", "tokenHash", "createdAt") VALUES (${values})`);

  expect(await migrate(engine)).toEqual(later);
  const client = await openClient(database);
  expect(await client.apiKey.findMany({ select: { id: true, scopes: true, expiresAt: true } })).toEqual([
    { id: 'ak_1', scopes: 'write', expiresAt: null },
  ]);
});

test('the key of a person ends as soon as the person, whom another server has blocked, although both were read one after the other', async () => {
  const service = ofOneServer(await startService());
  const { storage, database } = service;
  const { id: providerId } = (
    await service.rest('POST', '/sign_in_providers', {
      issuer: 'https://idp.example.com',
      client_id: 'sallyport',
      name: 'Ours',
      enabled: false,
      role_mappings: [{ group: 'staff', role: 'viewer' }],
    })
  ).body;
  await execute(database, 'UPDATE "SignInProvider" SET "enabled" = TRUE');
  const accountId = await accountOf(service);
  const personId = await makePerson(service, accountId, providerId);
  const scope = storage.actingFor(accountId, commandLine);
  const { token } = await createApiKey(scope, { scopes: ['ip-policies:read'] }, { ...unlimited, personId });
  const { identify, identifyPerson } = scope.credentials;
  let atMs = performance.now();
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => atMs);
  onTestFinished(() => clock.mockRestore());
  /** The caches look at the clock once in a millisecond. */
  const pass = async (ms: number) => {
    atMs += ms;
    await pause(5);
  };
  expect(await identifyPerson(personId)).toMatchObject({ personId });
  await pass(trustMs - 100);
  expect(await identify(hashOf(token))).toMatchObject({ personId });
  await execute(database, 'UPDATE "Person" SET "blocked" = TRUE');
  await pass(200);
  expect(await identify(hashOf(token))).toBe(null);
});
