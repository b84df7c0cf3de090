// What happens to a database when the program meets it: fresh, known, newer, tampered with, or in the middle of a migration.
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { describe, expect, onTestFinished, test } from 'vitest';
import { bytesOfModule } from '../../src/areas/https-edges/rules.ts';
import { diffMigrations, migrate, pendingMigrations } from '../../src/storage/migrate.ts';
import { startSchemaEngine } from '../../src/storage/schema-engine.ts';
import { Connection } from '../../src/storage/sqlite/connection.ts';
import { createSqliteEngine } from '../../src/storage/sqlite/engine.ts';
import { migrationConnection } from '../../src/storage/sqlite/migrations.ts';
import { account, openClient, start, temporaryDatabase, temporaryDirectory } from './fixtures/temporary.ts';

const { migrations } = createSqliteEngine(':memory:');
const known = readdirSync(migrations.directory).filter((name) => /^\d/.test(name));
const newestKnown = known.at(-1) ?? '';

/** Copies the migrations of the program and adds one. */
function migrationsWith(name: string, script: string): string {
  const directory = join(temporaryDirectory(), 'migrations');
  cpSync(migrations.directory, directory, { recursive: true });
  mkdirSync(join(directory, name));
  writeFileSync(join(directory, name, 'migration.sql'), script);
  return directory;
}

function withDatabase<T>(path: string, work: (database: Database.Database) => T): T {
  const database = new Database(path);
  try {
    return work(database);
  } finally {
    database.close();
  }
}

/** Everything that a database holds. */
function contents(path: string): unknown {
  return withDatabase(path, (database) => {
    const schema = database.prepare<[], { type: string; name: string }>('SELECT * FROM sqlite_master').all();
    const tables = schema.filter(({ type }) => type === 'table');
    return { schema, rows: tables.map(({ name }) => database.prepare(`SELECT * FROM "${name}"`).all()) };
  });
}

describe('the migrations', () => {
  test('make what the models say', async () => {
    expect(await diffMigrations(migrations)).toBe(null);
  });

  test('that are missing are written from the models', async () => {
    const directory = temporaryDirectory();
    cpSync(join(migrations.directory, 'migration_lock.toml'), join(directory, 'migration_lock.toml'));
    expect(await diffMigrations(migrations, directory)).toContain('CREATE TABLE "Account"');
  });

  test('leave the transaction around them alone', () => {
    for (const name of known) {
      const script = readFileSync(join(migrations.directory, name, 'migration.sql'), 'utf8');
      expect(script).not.toMatch(/^\s*(BEGIN|COMMIT|END|ROLLBACK|SAVEPOINT|RELEASE|VACUUM)\b/im);
    }
  });
});

describe('a file that does not exist', () => {
  test('is made with all tables, with its directory, and said so', async () => {
    const path = join(temporaryDirectory(), 'new/data/test.db');
    expect(await pendingMigrations(createSqliteEngine(path))).toEqual(known);
    expect(existsSync(path)).toBe(false);
    const said: string[] = [];
    expect(await migrate(createSqliteEngine(path), { log: (message) => said.push(message) })).toEqual(known);
    expect(said).toEqual([`Applying ${known.length} migration(s) to ${path}: ${known.join(', ')}.`]);
    const client = openClient(path);
    await client.account.create({ data: account('a') });
    expect(await pendingMigrations(createSqliteEngine(path))).toEqual([]);
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

  test('is migrated by one of two processes that start at once', async () => {
    const path = join(temporaryDirectory(), 'test.db');
    const starts = [start('opener.ts', path), start('opener.ts', path)];
    const said = await Promise.all(
      starts.map(async (program) => {
        let line = await program.line();
        if (line?.startsWith('Applying')) line = await program.line();
        return line;
      }),
    );
    expect(said.sort()).toEqual([
      `applied ${known.length} with 1 engine(s)`,
      expect.stringContaining(`refused: The database ${path} is in use by another process`),
    ]);
  });
});

describe('a database that is up to date', () => {
  test('is left alone, and the engine is not even started', async () => {
    const path = temporaryDatabase();
    const before = readFileSync(path);
    expect(await migrate(createSqliteEngine(path), { log: expect.fail })).toEqual([]);
    expect(readFileSync(path).equals(before)).toBe(true);
    const program = start('opener.ts', path);
    expect(await program.line()).toBe('applied 0 with 0 engine(s)');
  });

  test('is brought further by a new migration, and keeps its rows', async () => {
    const path = temporaryDatabase();
    await openClient(path).account.create({ data: account('a') });
    const migrationsDirectory = migrationsWith('29990101000000_note', 'ALTER TABLE "Account" ADD COLUMN "note" TEXT;');
    expect(await pendingMigrations(createSqliteEngine(path), migrationsDirectory)).toEqual(['29990101000000_note']);
    expect(await migrate(createSqliteEngine(path), { directory: migrationsDirectory })).toEqual([
      '29990101000000_note',
    ]);
    const rows = withDatabase(path, (database) => database.prepare('SELECT id, note FROM Account').all());
    expect(rows).toEqual([{ id: 'acct_a', note: null }]);
  });

  test('keeps the rows that refer to a table which is built anew', async () => {
    const path = temporaryDatabase();
    withDatabase(path, (database) =>
      database.exec(`CREATE TABLE parent (id INTEGER PRIMARY KEY);
        CREATE TABLE child (id INTEGER REFERENCES parent ON DELETE CASCADE);
        INSERT INTO parent VALUES (1); INSERT INTO child VALUES (1)`),
    );
    // As the engine writes it: the old table is dropped.
    const rebuild = `PRAGMA defer_foreign_keys=ON;
      PRAGMA foreign_keys=OFF;
      CREATE TABLE new_parent (id INTEGER PRIMARY KEY, name TEXT);
      INSERT INTO new_parent (id) SELECT id FROM parent;
      DROP TABLE parent;
      ALTER TABLE new_parent RENAME TO parent;
      PRAGMA foreign_keys=ON;
      PRAGMA defer_foreign_keys=OFF;`;
    await migrate(createSqliteEngine(path), { directory: migrationsWith('29990101000000_rebuild', rebuild) });
    expect(withDatabase(path, (database) => database.prepare('SELECT * FROM child').all())).toEqual([{ id: 1 }]);
  });
});

test('counters that came later are right for the rows that were there before', async () => {
  const directory = join(temporaryDirectory(), 'migrations');
  const [first = ''] = known;
  mkdirSync(directory);
  for (const part of ['migration_lock.toml', first]) {
    cpSync(join(migrations.directory, part), join(directory, part), { recursive: true });
  }
  const path = join(temporaryDirectory(), 'test.db');
  await migrate(createSqliteEngine(path), { directory: directory });
  const groups = ['äöü', 'b', '"'];
  const metadata = '<EntityDescriptor>€ 😀</EntityDescriptor>';
  withDatabase(path, (database) => {
    const time = '2026-11-20T21:00:00.500+00:00';
    const edge = database.prepare(
      `INSERT INTO HttpsEdge (id, accountId, createdAt, hostports) VALUES (?, 'a', ?, '[]')`,
    );
    const route = database.prepare(
      `INSERT INTO HttpsEdgeRoute (id, accountId, createdAt, edgeId, matchType, match) VALUES (?, 'a', ?, ?, 'exact_path', ?)`,
    );
    const module = database.prepare(
      `INSERT INTO SamlModule VALUES (?, 'a', 1, 0, 'p', 0, 0, ?, '{}', 0, 1, ?, 'n', 'pem', x'00')`,
    );
    const policy = database.prepare(`INSERT INTO IpPolicy (id, accountId, createdAt) VALUES (?, 'a', ?)`);
    const rule = database.prepare(
      `INSERT INTO IpPolicyRule (id, accountId, createdAt, ipPolicyId, cidr, range, action) VALUES (?, 'a', ?, ?, ?, ?, 'deny')`,
    );
    for (const id of ['none', 'two']) {
      edge.run(`edge ${id}`, time);
      policy.run(`policy ${id}`, time);
    }
    for (const place of [1, 2]) {
      route.run(`route ${place}`, time, 'edge two', `/${place}`);
      module.run(`route ${place}`, metadata, JSON.stringify(place === 1 ? [] : groups));
      rule.run(`rule ${place}`, time, 'policy two', `10.${place}.0.0/16`, `10.${place}.0.0/16`);
    }
    route.run('route 3', time, 'edge two', '/3');
  });
  expect(await migrate(createSqliteEngine(path))).toEqual(known.slice(1));
  const bytes = [[], groups].map((authorizedGroups) => bytesOfModule({ idpMetadata: metadata, authorizedGroups }));
  const client = openClient(path);
  const [edges, modules, policies] = await Promise.all([
    client.httpsEdge.findMany({ select: { id: true, version: true, routeCount: true, moduleBytes: true } }),
    client.samlModule.findMany({ select: { bytes: true, authorizedGroups: true }, orderBy: { routeId: 'asc' } }),
    client.ipPolicy.findMany({ select: { id: true, version: true, ruleCount: true, rulesVersion: true } }),
  ]);
  expect({ edges, modules, policies }).toEqual({
    edges: [
      { id: 'edge none', version: 1, routeCount: 0, moduleBytes: 0 },
      { id: 'edge two', version: 1, routeCount: 3, moduleBytes: (bytes[0] ?? 0) + (bytes[1] ?? 0) },
    ],
    modules: [
      { bytes: bytes[0], authorizedGroups: [] },
      { bytes: bytes[1], authorizedGroups: groups },
    ],
    policies: [
      { id: 'policy none', version: 1, ruleCount: 0, rulesVersion: 0 },
      { id: 'policy two', version: 1, ruleCount: 2, rulesVersion: 0 },
    ],
  });
});

describe('a migration that fails', () => {
  const failures = {
    'in its middle': [
      'CREATE TABLE half (a); INSERT INTO missing VALUES (1);',
      'Migration 29990102000000_bad fails: no such table: missing',
    ],
    'by leaving rows that refer to nothing': [
      `CREATE TABLE parent (id INTEGER PRIMARY KEY);
       CREATE TABLE child (id INTEGER REFERENCES parent);
       INSERT INTO child VALUES (1);`,
      '1 row(s) would refer to rows that do not exist, the first in table child.',
    ],
  } as const;
  for (const [how, [script, reason]] of Object.entries(failures)) {
    test(`${how} leaves the database as it was`, async () => {
      const path = temporaryDatabase();
      await openClient(path).account.create({ data: account('a') });
      const before = contents(path);
      const directory = migrationsWith('29990101000000_good', 'CREATE TABLE good (a);');
      mkdirSync(join(directory, '29990102000000_bad'));
      writeFileSync(join(directory, '29990102000000_bad/migration.sql'), script);
      const error = await migrate(createSqliteEngine(path), { directory: directory }).catch((error) => error);
      expect(error.message).toContain(`Cannot migrate the database ${path}; it has been left as it was.`);
      expect(error.message).toContain(reason);
      expect(contents(path)).toEqual(before);
      expect(await migrate(createSqliteEngine(path))).toEqual([]);
    });
  }

  test('because the process is killed leaves the database as it was, and the next start completes it', async () => {
    const path = temporaryDatabase();
    await openClient(path).account.create({ data: account('a') });
    const before = contents(path);
    const slow = `CREATE TABLE big (a TEXT);
      INSERT INTO big WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 100000000)
        SELECT hex(zeroblob(500)) FROM n;`;
    const directory = migrationsWith('29990101000000_slow', slow);
    const program = start('opener.ts', path, directory);
    expect(await program.line()).toContain('Applying 1 migration(s)');
    // Killed once half of the work has reached the disk.
    const log = `${path}-wal`;
    while (!existsSync(log) || statSync(log).size < 1_000_000) await sleep(5);
    program.process.kill('SIGKILL');
    expect(await program.end()).toEqual({ code: null, errors: '' });
    expect(await pendingMigrations(createSqliteEngine(path), directory)).toEqual(['29990101000000_slow']);
    expect(contents(path)).toEqual(before);
    const quick = migrationsWith('29990101000000_slow', 'CREATE TABLE big (a TEXT);');
    expect(await migrate(createSqliteEngine(path), { directory: quick })).toEqual(['29990101000000_slow']);
    expect(withDatabase(path, (database) => database.pragma('integrity_check', { simple: true }))).toBe('ok');
  });
});

describe('refuses, and touches nothing,', () => {
  const insert = `INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at, finished_at)
    VALUES ('x', 'c', '29990101000000_future', '2999', '2999')`;
  const cases = {
    'a database of a newer version, naming both versions': [
      insert,
      (path: string) =>
        `The database ${path} is newer than this program: its newest migration is 29990101000000_future, and the newest ` +
        `that this program knows is ${newestKnown}. Start the newer version`,
    ],
    'a migration whose script has changed': [
      "UPDATE _prisma_migrations SET checksum = 'other'",
      (path: string) => `Migration ${known[0]} is not the one that was applied to the database ${path}`,
    ],
    'a migration left half-done by another tool': [
      'UPDATE _prisma_migrations SET finished_at = NULL',
      (path: string) => `Migration ${known[0]} has begun on the database ${path} and has not finished.`,
    ],
    'the database of another program': [
      'DROP TABLE _prisma_migrations',
      (path: string) => `The file ${path} is the database of another program`,
    ],
  } as const;
  for (const [what, [tamper, message]] of Object.entries(cases)) {
    test(what, async () => {
      const path = temporaryDatabase();
      withDatabase(path, (database) => database.exec(tamper));
      const before = readFileSync(path);
      const further = migrationsWith('29980101000000_more', 'CREATE TABLE more (a);');
      await expect(migrate(createSqliteEngine(path))).rejects.toThrow(message(path));
      await expect(pendingMigrations(createSqliteEngine(path))).rejects.toThrow(message(path));
      await expect(migrate(createSqliteEngine(path), { directory: further })).rejects.toThrow();
      expect(readFileSync(path).equals(before)).toBe(true);
    });
  }

  test('a file that is no database', async () => {
    const path = join(temporaryDirectory(), 'test.db');
    writeFileSync(path, 'Dear diary, '.repeat(1000));
    await expect(migrate(createSqliteEngine(path))).rejects.toThrow('file is not a database');
    expect(readFileSync(path, 'utf8')).toBe('Dear diary, '.repeat(1000));
  });

  test('to run without its migrations', async () => {
    const directory = join(temporaryDirectory(), 'none');
    const migration = migrate(createSqliteEngine(join(directory, 'test.db')), { directory });
    await expect(migration).rejects.toThrow(`The directory of the migrations is missing: ${directory}.`);
  });
});

test('a migration that Prisma has marked as rolled back is applied again', async () => {
  const path = temporaryDatabase();
  withDatabase(path, (database) =>
    database.exec(`INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at, rolled_back_at)
      VALUES ('x', 'c', '29990101000000_more', '2999', '2999')`),
  );
  const migrationsDirectory = migrationsWith('29990101000000_more', 'CREATE TABLE more (a);');
  expect(await migrate(createSqliteEngine(path), { directory: migrationsDirectory })).toEqual(['29990101000000_more']);
});
