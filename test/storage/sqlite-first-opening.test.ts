// A file opened for the first time by several processes at once: its key file and its lock.

import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { findSecretKey, isRightKey, readSecretKey } from '../../src/storage/keys/secret-key.ts';
import { applyMigrations, ownDatabase, visitDatabase } from '../../src/storage/lifecycle/open.ts';
import { Sqlite } from '../../src/storage/sqlite/driver.ts';
import { createSqliteEngine } from '../../src/storage/sqlite/engine.ts';
import { keyFileOf } from '../../src/storage/sqlite/files.ts';
import { lockDatabase } from '../../src/storage/sqlite/lock.ts';
import { repeatableBytes } from '../support/service.ts';
import { second, startTurns } from '../support/turns.ts';
import { temporaryDirectory } from './fixtures/temporary.ts';

const bytes = repeatableBytes('first opening');
const otherKey = bytes(32);

/** Creates a database that has its tables but was never opened. */
function newDatabase(): string {
  const path = join(temporaryDirectory(), 'test.db');
  copyFileSync(inject('emptyDatabase'), path);
  return path;
}

function expectOneKey(path: string): void {
  const database = new Sqlite(path, { readonly: true });
  const checks = database.prepare<[], Buffer>("SELECT value FROM ServerFact WHERE name = 'secret check'").pluck().all();
  database.close();
  const inFile = readSecretKey(readFileSync(keyFileOf(path), 'utf8'));
  expect(checks.map((check) => inFile !== null && isRightKey(inFile, check))).toEqual([true]);
  expect(readdirSync(dirname(path)).filter((name) => name.includes('.key'))).toEqual(['test.db.key']);
}

test('commands that open a new database at once make one key file', async () => {
  const path = join(temporaryDirectory(), 'test.db');
  await applyMigrations({ databaseUrl: `file:${path}`, secretKey: null });
  const visits = await Promise.all(
    Array.from({ length: 5 }, () => visitDatabase({ databaseUrl: `file:${path}`, secretKey: null })),
  );
  await Promise.all(visits.map((visit) => visit.close()));
  expectOneKey(path);
});

test('a server and commands that open a new database at once agree on one key', async () => {
  const path = newDatabase();
  const config = { databaseUrl: `file:${path}`, secretKey: null };
  const opened = await Promise.all([ownDatabase(config), ...Array.from({ length: 4 }, () => visitDatabase(config))]);
  await Promise.all(opened.map((database) => database.close()));
  expectOneKey(path);
});

test('a key file that another process makes at the same moment is kept, and its key taken', () => {
  const path = newDatabase();
  const found = findSecretKey(createSqliteEngine(path), null, null, (size) => {
    writeFileSync(keyFileOf(path), Buffer.from(otherKey).toString('base64'));
    return bytes(size);
  });
  expect(Buffer.from(found)).toEqual(Buffer.from(otherKey));
  expect(readdirSync(dirname(path)).sort()).toEqual(['test.db', 'test.db.key']);
});

test('a server waits for a command that migrates, and not long for another server', async () => {
  const path = newDatabase();
  const config = { databaseUrl: `file:${path}`, secretKey: null };
  const command = lockDatabase(path);
  setTimeout(() => command.release(), 200);
  const server = await ownDatabase(config);
  const [begun, turns] = [performance.now(), startTurns()];
  await expect(ownDatabase(config)).rejects.toThrow('is in use by another process');
  expect(performance.now() - begun).toBeGreaterThan(900);
  expect(turns()).toBeLessThan(2 * second);
  await server.close();
});

test('a lock that cannot be taken at all is not waited for', async () => {
  const path = join(temporaryDirectory(), 'file/test.db');
  writeFileSync(dirname(path), '');
  const turns = startTurns();
  await expect(ownDatabase({ databaseUrl: `file:${path}`, secretKey: null })).rejects.toThrow(dirname(path));
  expect(turns()).toBeLessThan(0.9 * second);
});
