// What the program does with a database that is new, known, newer, tampered with, or in the middle of a migration.
import { createHash } from 'node:crypto';
import { cpSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, inject, test } from 'vitest';
import { chooseEngine } from '../../src/storage/lifecycle/choose-engine.ts';
import { diffMigrations, migrate, pendingMigrations } from '../../src/storage/lifecycle/migrate.ts';
import { byEngine, execute, openClient, type TestDatabase, testDatabase } from '../support/database.ts';
import { send } from '../support/postgres.ts';
import { startDatabaseProxy } from '../support/proxy.ts';
import { addMigration, migrationsOf, migrationsWith } from './fixtures/migrations.ts';
import { account, liveTimers, start, temporaryDirectory } from './fixtures/temporary.ts';

const empty = () => testDatabase({ migrated: false });

/** Differences between the engines. */
const own = byEngine({
  sqlite: {
    missingTable: 'no such table: missing',
    otherProgram: 'is the database of another program',
    /** The message of a process that comes while another one starts: a file has one process. */
    late: (name: string) => `refused: The database ${name} is in use by another process`,
    columns: "SELECT name, sql FROM sqlite_master WHERE type = 'table' ORDER BY name",
    slow: `CREATE TABLE big (a TEXT);
      INSERT INTO big WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 100000000)
        SELECT hex(zeroblob(500)) FROM n;`,
    /** Returns whether a part of the slow migration has reached the disk. */
    halfway: ({ engine }: TestDatabase) =>
      (statSync(`${engine.name}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 1_000_000,
  },
  postgresql: {
    missingTable: 'relation "missing" does not exist',
    otherProgram: 'is that of another program',
    late: () => 'applied 0 with ',
    columns: `SELECT table_name, column_name, data_type FROM information_schema.columns
      WHERE table_schema = 'public' ORDER BY 1, 2`,
    slow: 'CREATE TABLE big AS SELECT n FROM generate_series(1, 3000000) n;',
    halfway: async (database: TestDatabase) => {
      const query =
        "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'CREATE TABLE big%'";
      return (await execute(database, query)).length > 0;
    },
  },
});

/** Returns everything in a database. */
async function contents(database: TestDatabase): Promise<unknown> {
  const columns = await execute(database, own.columns);
  const rows: unknown[] = [];
  for (const table of new Set(columns.map(([name]) => String(name)))) {
    rows.push(await execute(database, `SELECT * FROM "${table}"`));
  }
  return { columns, rows };
}

async function withAccount(): Promise<TestDatabase> {
  const database = await testDatabase();
  await (await openClient(database)).account.create({ data: account('a') });
  return database;
}

describe('the migrations', () => {
  test('make what the models say', async () => {
    expect(await diffMigrations((await empty()).engine.migrations)).toBe(null);
  });

  test('that are missing are written from the models', async () => {
    const { migrations } = (await empty()).engine;
    const directory = temporaryDirectory();
    cpSync(join(migrations.directory, 'migration_lock.toml'), join(directory, 'migration_lock.toml'));
    expect(await diffMigrations(migrations, directory)).toContain('CREATE TABLE "Account"');
  });

  test('leave the transaction around them alone', async () => {
    const { migrations } = (await empty()).engine;
    for (const name of migrationsOf(migrations)) {
      const script = readFileSync(join(migrations.directory, name, 'migration.sql'), 'utf8');
      expect(script).not.toMatch(/^\s*(BEGIN|COMMIT|END|ROLLBACK|SAVEPOINT|RELEASE|VACUUM)\b/im);
    }
  });
});

describe('an empty database', () => {
  test('gets all tables, and a line says so', async () => {
    const database = await empty();
    const { engine } = database;
    const known = migrationsOf(engine.migrations);
    expect(await pendingMigrations(engine)).toEqual(known);
    const said: string[] = [];
    expect(await migrate(engine, { log: (message) => said.push(message) })).toEqual(known);
    expect(said).toEqual([`Applying ${known.length} migration(s) to ${engine.name}: ${known.join(', ')}.`]);
    await (await openClient(database)).account.create({ data: account('a') });
    expect(await pendingMigrations(engine)).toEqual([]);
  });

  test('leaves no timer behind that keeps the process alive once it is migrated', async () => {
    const { engine } = await empty();
    const before = liveTimers();
    expect(await migrate(engine)).not.toEqual([]);
    expect(liveTimers()).toBeLessThanOrEqual(before);
  });

  test('has afterwards a record of each migration with the checksum of its script', async () => {
    const database = await empty();
    const { migrations } = database.engine;
    await migrate(database.engine);
    const record =
      'SELECT migration_name, checksum, applied_steps_count, logs, rolled_back_at FROM _prisma_migrations ORDER BY 1';
    expect(await execute(database, record)).toEqual(
      migrationsOf(migrations).map((name) => {
        const script = readFileSync(join(migrations.directory, name, 'migration.sql'));
        return [name, createHash('sha256').update(script).digest('hex'), 1, null, null];
      }),
    );
  });

  test('is migrated by one of two processes that start at once', async () => {
    const database = await empty();
    const starts = [start('opener.ts', database.url), start('opener.ts', database.url)];
    const said = await Promise.all(
      starts.map(async (program) => {
        let line = await program.line();
        if (line?.startsWith('Applying')) line = await program.line();
        return line;
      }),
    );
    const count = migrationsOf(database.engine.migrations).length;
    expect(said).toContain(`applied ${count} with 1 engine(s)`);
    expect(said.filter((line) => line?.startsWith(own.late(database.engine.name)))).toHaveLength(1);
  });
});

describe('a database that is up to date', () => {
  test('is left alone', async () => {
    const database = await withAccount();
    const before = await contents(database);
    expect(await migrate(database.engine, { log: expect.fail })).toEqual([]);
    expect(await contents(database)).toEqual(before);
  });

  test('is brought further by a new migration, and keeps its rows', async () => {
    const database = await withAccount();
    const { engine } = database;
    const name = '29990101000000_note';
    const directory = migrationsWith(engine.migrations, name, 'ALTER TABLE "Account" ADD COLUMN "note" TEXT;');
    expect(await pendingMigrations(engine, directory)).toEqual([name]);
    expect(await migrate(engine, { directory })).toEqual([name]);
    expect(await execute(database, 'SELECT id, note FROM "Account"')).toEqual([['acct_a', null]]);
  });
});

describe('a migration that fails', () => {
  test('in its middle leaves the database as it was', async () => {
    const database = await withAccount();
    const { engine } = database;
    const before = await contents(database);
    const directory = migrationsWith(engine.migrations, '29990101000000_good', 'CREATE TABLE good (a TEXT);');
    const script = 'CREATE TABLE half (a TEXT); INSERT INTO missing VALUES (1);';
    addMigration(directory, '29990102000000_bad', script);
    const error = await migrate(engine, { directory }).catch((error) => error);
    expect(error.message).toBe(
      `Cannot migrate the database ${engine.name}; it has been left as it was. ` +
        `Migration 29990102000000_bad fails: ${own.missingTable}.`,
    );
    expect(await contents(database)).toEqual(before);
    expect(await migrate(engine)).toEqual([]);
  });

  test('because the process is killed leaves the database as it was, and the next start completes it', async () => {
    const database = await withAccount();
    const { engine, url } = database;
    const before = await contents(database);
    const name = '29990101000000_slow';
    const directory = migrationsWith(engine.migrations, name, own.slow);
    const program = start('opener.ts', url, directory);
    expect(await program.line()).toContain('Applying 1 migration(s)');
    while (!(await own.halfway(database))) await pause(5);
    program.process.kill('SIGKILL');
    expect(await program.end()).toEqual({ code: null, errors: '' });
    expect(await pendingMigrations(engine, directory)).toEqual([name]);
    expect(await contents(database)).toEqual(before);
    const quick = migrationsWith(engine.migrations, name, 'CREATE TABLE big (a TEXT);');
    expect(await migrate(engine, { directory: quick })).toEqual([name]);
    expect(await engine.examineStructure()).toEqual({ faults: [], unread: [] });
  });
});

describe('refuses, and touches nothing,', () => {
  const insert = `INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at, finished_at)
    VALUES ('x', 'c', '29990101000000_future', '2999-01-01T00:00:00+00:00', '2999-01-01T00:00:00+00:00')`;
  const cases = {
    'a database of a newer version, naming both versions': [
      insert,
      (name: string, known: string[]) =>
        `The database ${name} is newer than this program: its newest migration is 29990101000000_future, and the newest ` +
        `that this program knows is ${known.at(-1)}. Start the newer version`,
    ],
    'a migration that is missing in the record before others': [
      "DELETE FROM _prisma_migrations WHERE migration_name LIKE '%\\_init' ESCAPE '\\'",
      (name: string, known: string[]) =>
        `The database ${name} has no record of migration ${known[0]}, and one of the later ${known.at(-1)}. Migrations are applied in order`,
    ],
    'a migration whose script has changed': [
      "UPDATE _prisma_migrations SET checksum = 'other'",
      (name: string, known: string[]) =>
        `Migration ${known[0]} is not the one that was applied to the database ${name}`,
    ],
    'a migration left half-done by another tool': [
      'UPDATE _prisma_migrations SET finished_at = NULL',
      (name: string, known: string[]) =>
        `Migration ${known[0]} has begun on the database ${name} and has not finished.`,
    ],
    'the database of another program': ['DROP TABLE _prisma_migrations', () => own.otherProgram],
  } as const;
  for (const [what, [tamper, message]] of Object.entries(cases)) {
    test(what, async () => {
      const database = await testDatabase();
      const { engine } = database;
      await execute(database, tamper);
      const before = await contents(database);
      const further = migrationsWith(engine.migrations, '29980101000000_more', 'CREATE TABLE more (a TEXT);');
      const expected = message(engine.name, migrationsOf(engine.migrations));
      await expect(migrate(engine)).rejects.toThrow(expected);
      await expect(pendingMigrations(engine)).rejects.toThrow(expected);
      await expect(migrate(engine, { directory: further })).rejects.toThrow();
      expect(await contents(database)).toEqual(before);
    });
  }

  test('to run without its migrations', async () => {
    const directory = join(temporaryDirectory(), 'none');
    const migration = migrate((await empty()).engine, { directory });
    await expect(migration).rejects.toThrow(`The directory of the migrations is missing: ${directory}.`);
  });
});

test('a migration that Prisma has marked as rolled back is applied again', async () => {
  const database = await testDatabase();
  const { engine } = database;
  const name = '29990101000000_more';
  await execute(
    database,
    `INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at, rolled_back_at)
      VALUES ('x', 'c', '${name}', '2999-01-01T00:00:00+00:00', '2999-01-01T00:00:00+00:00')`,
  );
  const directory = migrationsWith(engine.migrations, name, 'CREATE TABLE more (a TEXT);');
  expect(await migrate(engine, { directory })).toEqual([name]);
});

// SQLite keeps these databases in memory.
describe.runIf(inject('engine') === 'postgresql')('databases on which migrations are tried out', () => {
  const thoseThere = async (database: TestDatabase, names: readonly unknown[]) => {
    const list = names.map((name) => `'${name}'`).join(', ');
    return (await execute(database, `SELECT datname FROM pg_database WHERE datname IN (${list})`)).flat();
  };

  test('are dropped when nobody can connect to them', async () => {
    const database = await empty();
    const refused: string[] = [];
    const url = await startDatabaseProxy(database.url, (client, server) => {
      server.pipe(client);
      client.once('data', (hello) => {
        const [name] = /sallyport_shadow_\w+/.exec(hello.toString()) ?? [];
        if (name !== undefined) {
          refused.push(name);
          client.destroy();
          return;
        }
        server.write(hello);
        client.pipe(server);
      });
    });
    await expect(chooseEngine(url).migrations.withShadows((open) => open())).rejects.toThrow();
    expect(refused).toHaveLength(1);
    expect(await thoseThere(database, refused)).toEqual([]);
  });

  test('are dropped although another one cannot be', async () => {
    const database = await empty();
    const names: unknown[] = [];
    const trying = database.engine.migrations.withShadows(async (open) => {
      for (const connection of [await open(), await open()]) {
        const { rows } = await connection.queryRaw({ sql: 'SELECT current_database()', args: [], argTypes: [] });
        names.push(...rows.flat());
      }
      await execute(database, `ALTER DATABASE ${names[0]} IS_TEMPLATE true`);
    });
    await expect(trying).rejects.toThrow('cannot drop a template database');
    expect(await thoseThere(database, names)).toEqual([names[0]]);
    await execute(database, `ALTER DATABASE ${names[0]} IS_TEMPLATE false`);
    await send(database.url, `DROP DATABASE ${names[0]}`);
  });
});
