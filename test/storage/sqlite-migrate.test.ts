// What the program does with an SQLite file, in addition to migrate.test.ts, which covers every engine.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type Database from 'better-sqlite3';
import { describe, expect, onTestFinished, test } from 'vitest';
import { migrate, pendingMigrations } from '../../src/storage/lifecycle/migrate.ts';
import { startSchemaEngine } from '../../src/storage/lifecycle/schema-engine.ts';
import { Connection } from '../../src/storage/sqlite/connection.ts';
import { Sqlite } from '../../src/storage/sqlite/driver.ts';
import { createSqliteEngine } from '../../src/storage/sqlite/engine.ts';
import { migrationConnection } from '../../src/storage/sqlite/migrations.ts';
import { migrationsOf, migrationsWith } from './fixtures/migrations.ts';
import { account, openClient, start, temporaryDatabase, temporaryDirectory } from './fixtures/temporary.ts';

const { migrations } = createSqliteEngine(':memory:');
const known = migrationsOf(migrations);

function withDatabase<T>(path: string, work: (database: Database.Database) => T): T {
  const database = new Sqlite(path);
  try {
    return work(database);
  } finally {
    database.close();
  }
}

describe('a file that does not exist', () => {
  test('is made with its directory, and not before it is migrated', async () => {
    const path = join(temporaryDirectory(), 'new/data/test.db');
    expect(await pendingMigrations(createSqliteEngine(path))).toEqual(known);
    expect(existsSync(path)).toBe(false);
    expect(await migrate(createSqliteEngine(path))).toEqual(known);
    expect(existsSync(path)).toBe(true);
  });

  test("has afterwards the record that Prisma's own engine agrees with", async () => {
    const path = temporaryDatabase();
    const rows = withDatabase(path, (database) => database.prepare('SELECT * FROM _prisma_migrations').all());
    expect(rows).toEqual(
      known.map((name) => ({
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        checksum: createHash('sha256')
          .update(readFileSync(join(migrations.directory, name, 'migration.sql')))
          .digest('hex'),
        finished_at: expect.stringMatching(/^\d{4}-.*\+00:00$/),
        migration_name: name,
        logs: null,
        rolled_back_at: null,
        started_at: expect.stringMatching(/^\d{4}-.*\+00:00$/),
        applied_steps_count: 1,
      })),
    );
    const connection = new Connection({ path, busyTimeoutMs: 0 });
    onTestFinished(() => connection.close());
    const engine = await startSchemaEngine(migrationConnection(connection), () => expect.fail());
    const diagnosis = await engine.diagnoseMigrationHistory({
      migrationsList: {
        baseDir: migrations.directory,
        lockfile: { path: 'migration_lock.toml', content: 'provider = "sqlite"\n' },
        shadowDbInitScript: '',
        migrationDirectories: known.map((name) => ({
          path: name,
          migrationFile: {
            path: 'migration.sql',
            content: {
              tag: 'ok',
              value: readFileSync(join(migrations.directory, name, 'migration.sql'), 'utf8'),
            },
          },
        })),
      },
      optInToShadowDatabase: false,
      filters: { externalTables: [], externalEnums: [] },
    });
    expect(diagnosis).toMatchObject({
      editedMigrationNames: [],
      failedMigrationNames: [],
      hasMigrationsTable: true,
      history: null,
    });
  });
});

describe('a database that is up to date', () => {
  test('is left alone, and the engine is not even started', async () => {
    const path = temporaryDatabase();
    const before = readFileSync(path);
    expect(await migrate(createSqliteEngine(path), { log: expect.fail })).toEqual([]);
    expect(readFileSync(path).equals(before)).toBe(true);
    const program = start('opener.ts', `file:${path}`);
    expect(await program.line()).toBe('applied 0 with 0 engine(s)');
  });

  test('keeps the rows that refer to a table which is built anew', async () => {
    const path = temporaryDatabase();
    withDatabase(path, (database) =>
      database.exec(`CREATE TABLE parent (id INTEGER PRIMARY KEY);
        CREATE TABLE child (id INTEGER REFERENCES parent ON DELETE CASCADE);
        INSERT INTO parent VALUES (1); INSERT INTO child VALUES (1)`),
    );
    // As Prisma's schema engine writes it: the old table is dropped.
    const rebuild = `PRAGMA defer_foreign_keys=ON;
      PRAGMA foreign_keys=OFF;
      CREATE TABLE new_parent (id INTEGER PRIMARY KEY, name TEXT);
      INSERT INTO new_parent (id) SELECT id FROM parent;
      DROP TABLE parent;
      ALTER TABLE new_parent RENAME TO parent;
      PRAGMA foreign_keys=ON;
      PRAGMA defer_foreign_keys=OFF;`;
    await migrate(createSqliteEngine(path), {
      directory: migrationsWith(migrations, '29990101000000_rebuild', rebuild),
    });
    expect(withDatabase(path, (database) => database.prepare('SELECT * FROM child').all())).toEqual([{ id: 1 }]);
  });
});

test('a failure by rows that would refer to nothing leaves the database as it was', async () => {
  const path = temporaryDatabase();
  await openClient(path).account.create({ data: account('a') });
  const script = `CREATE TABLE parent (id INTEGER PRIMARY KEY);
    CREATE TABLE child (id INTEGER REFERENCES parent);
    INSERT INTO child VALUES (1);`;
  await expect(
    migrate(createSqliteEngine(path), { directory: migrationsWith(migrations, '29990101000000_bad', script) }),
  ).rejects.toThrow('1 row(s) would refer to rows that do not exist, the first in table child.');
  expect(
    withDatabase(path, (database) => database.prepare("SELECT * FROM sqlite_master WHERE name = 'child'").all()),
  ).toEqual([]);
});

test('a file that is no database', async () => {
  const path = join(temporaryDirectory(), 'test.db');
  writeFileSync(path, 'Dear diary, '.repeat(1000));
  await expect(migrate(createSqliteEngine(path))).rejects.toThrow('file is not a database');
  expect(readFileSync(path, 'utf8')).toBe('Dear diary, '.repeat(1000));
});
