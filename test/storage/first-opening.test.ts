// A database opened for the first time by several programs at once: a server and commands.

import { expect, test } from 'vitest';
import { findSecretKey, isRightKey, sealCheck } from '../../src/storage/keys/secret-key.ts';
import { pendingMigrations } from '../../src/storage/lifecycle/migrate.ts';
import { applyMigrations, changeSecretKey, ownDatabase, visitDatabase } from '../../src/storage/lifecycle/open.ts';
import { openStorage } from '../../src/storage/storage.ts';
import { byEngine, execute, executeNow, openClient, type TestDatabase, testDatabase } from '../support/database.ts';
import { repeatableBytes, startTime } from '../support/service.ts';
import { migrationsOf } from './fixtures/migrations.ts';

const bytes = repeatableBytes('first opening');
const key = bytes(32);
const otherKey = bytes(32);

/** Acts as another process that seals the check first. */
function sealFirst(database: TestDatabase): void {
  const check = Buffer.from(sealCheck(otherKey, bytes)).toString('hex');
  const value = byEngine({ sqlite: `x'${check}'`, postgresql: `'\\x${check}'` });
  executeNow(database, `INSERT INTO "ServerFact" ("name", "value") VALUES ('secret check', ${value})`);
}

/** Expects that only one of several openings has migrated the database and stored its check. */
async function expectOneOpening(database: TestDatabase): Promise<void> {
  const applied = await execute(database, 'SELECT migration_name FROM _prisma_migrations ORDER BY 1');
  expect(applied.flat()).toEqual(migrationsOf(database.engine.migrations));
  const client = await openClient(database);
  const checks = await client.serverFact.findMany({ where: { name: 'secret check' } });
  expect(checks.map(({ value }) => isRightKey(key, value))).toEqual([true]);
}

const open = ({ engine }: TestDatabase, secretKey: (sealedCheck: Uint8Array | null) => Uint8Array) =>
  openStorage({ engine, now: () => startTime, randomBytes: bytes, secretKey });

test('commands refuse a database that nobody has made, and one of an older version, and leave both as they are', async () => {
  const database = await testDatabase({ migrated: false });
  const config = { databaseUrl: database.url, secretKey: key };
  await expect(visitDatabase(config)).rejects.toThrow(
    `There is no database at ${database.engine.name}. Set DATABASE_URL to the server's database, or start the server: its first ` +
      'start creates one.',
  );
  await expect(changeSecretKey(config, bytes(32))).rejects.toThrow('There is no database at ');
  expect(await pendingMigrations(database.engine)).toEqual(migrationsOf(database.engine.migrations));

  await applyMigrations(config);
  const newest = migrationsOf(database.engine.migrations).at(-1) ?? '';
  await execute(database, `DELETE FROM _prisma_migrations WHERE migration_name = '${newest}'`);
  await expect(visitDatabase(config)).rejects.toThrow(
    `The database ${database.engine.name} is of an older version: it lacks ${newest}. Back it up, then start the server or run ` +
      '"sallyport migrate apply".',
  );
});

test('commands that migrate and open a new database at once migrate it once, and agree on one key', async () => {
  const database = await testDatabase({ migrated: false });
  const config = { databaseUrl: database.url, secretKey: key };
  await Promise.all(Array.from({ length: 5 }, () => applyMigrations(config)));
  const visits = await Promise.all(Array.from({ length: 5 }, () => visitDatabase(config)));
  await Promise.all(visits.map((visit) => visit.close()));
  await expectOneOpening(database);
});

test('a server and commands that open a new database at once agree on one key', async () => {
  const database = await testDatabase();
  const config = { databaseUrl: database.url, secretKey: key };
  const opened = await Promise.all([ownDatabase(config), ...Array.from({ length: 4 }, () => visitDatabase(config))]);
  await Promise.all(opened.map((one) => one.close()));
  await expectOneOpening(database);
});

test('a check that another process seals at the same moment is kept, and the key looked for once more', async () => {
  const database = await testDatabase();
  const rightForIt: (boolean | null)[] = [];
  const storage = await open(database, (sealedCheck) => {
    rightForIt.push(sealedCheck === null ? null : isRightKey(otherKey, sealedCheck));
    if (sealedCheck !== null) return otherKey;
    sealFirst(database);
    return key;
  });
  await storage.close();
  expect(rightForIt).toEqual([null, true]);
});

test('SECRET_KEY is refused when another process seals the check with another one at the same moment', async () => {
  const database = await testDatabase();
  const opening = open(database, (sealedCheck) => {
    if (sealedCheck === null) sealFirst(database);
    return findSecretKey(database.engine, key, sealedCheck, bytes);
  });
  await expect(opening).rejects.toThrow('SECRET_KEY is not the key that');
});
