// Databases of the engine that the tests run on, which the project in vitest.config.ts names.

import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { SqlDriverAdapter } from '@prisma/driver-adapter-utils';
import { inject, onTestFinished } from 'vitest';
import type { Engine, OpenDatabase } from '../../src/storage/engine.ts';
import type { PrismaClient } from '../../src/storage/generated/client/client.ts';
import { getDatamodel } from '../../src/storage/generated/pothos.ts';
import { chooseEngine } from '../../src/storage/lifecycle/choose-engine.ts';
import { delegateOf } from './delegates.ts';
import { send, urlOf } from './postgres.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The engine of the databases that tests create. */
    engine: 'sqlite' | 'postgresql';
  }
}

/** Returns the expectation for the engine of the run, where the engines do the same in different ways. */
export function byEngine<T>(expected: { sqlite: T; postgresql: T }): T {
  return expected[inject('engine')];
}

/** A database for a test. */
export interface TestDatabase {
  readonly engine: Engine;
  /** The value for `DATABASE_URL`. */
  readonly url: string;
  /** Environment variables for programs that work on the database. */
  readonly environment: Readonly<Record<string, string>>;
  /** Removes the database, which nobody may have open any more. */
  remove(): Promise<void>;
}

/** A database as the environment of our programs names it; an undefined variable is not set. */
export interface NamedDatabase {
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/**
 * Creates a database of the engine of the run, unless `kind` names another: migrated, or completely empty if `migrated` is false.
 */
export async function makeDatabase({ migrated = true, kind = inject('engine') } = {}): Promise<TestDatabase> {
  return kind === 'sqlite' ? makeSqlite(migrated) : makePostgres(migrated);
}

/** Creates a database that is removed at the end of the test. */
export async function testDatabase(options?: { migrated: boolean }): Promise<TestDatabase> {
  const database = await makeDatabase(options);
  onTestFinished(() => database.remove());
  return database;
}

/**
 * Keeps the contents of a database that nobody has open any more. Returns a function that creates databases with the same contents.
 */
export async function keepDatabase({ url, engine }: TestDatabase): Promise<() => Promise<TestDatabase>> {
  if (inject('engine') === 'postgresql') {
    const kept = await createPostgres(new URL(url).pathname.slice(1));
    return async () => postgresAt(await createPostgres(kept));
  }
  const folder = dirname(engine.name);
  const files = readdirSync(folder).map((name) => ({ name, content: readFileSync(join(folder, name)) }));
  return async () => {
    const directory = sqliteDirectory();
    for (const { name, content } of files) writeFileSync(join(directory, name), content, { mode: 0o600 });
    return sqliteIn(directory);
  };
}

/** Opens a database as another process would, beside those that have it open; closes it at the end of the test. */
export async function openBeside({ engine }: TestDatabase): Promise<OpenDatabase> {
  const opened = await engine.open({});
  onTestFinished(() => opened.close());
  return opened;
}

/** Opens a database as `openBeside` does, and returns Prisma's client. */
export async function openClient(database: TestDatabase): Promise<PrismaClient> {
  return (await openBeside(database)).client;
}

/**
 * Opens a database without foreign keys, for the tests of a file: rows may refer to rows that do not exist. Closing it removes it.
 */
export async function openWithoutReferences(): Promise<OpenDatabase & Pick<Engine, 'dialect'>> {
  const database = await makeDatabase();
  if (inject('engine') === 'postgresql') await execute(database, dropReferences);
  const opened = await database.engine.open({});
  // A script, not an ordinary statement: in a transaction, the pragma is a no-op.
  if (inject('engine') === 'sqlite')
    await (opened.connection as OpenDatabase['connection'] & SqlDriverAdapter).executeScript(
      'PRAGMA foreign_keys = OFF',
    );
  return {
    ...opened,
    dialect: database.engine.dialect,
    async close() {
      await opened.close();
      await database.remove();
    },
  };
}

const dropReferences = `DO $$ DECLARE one record; BEGIN
  FOR one IN SELECT conrelid::regclass AS owner, conname FROM pg_constraint WHERE contype = 'f' LOOP
    EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', one.owner, one.conname);
  END LOOP;
END $$`;

/** Makes a database refuse to write when a key or a session was last used. Returns a function that ends that. */
export async function refuseLastUses(
  database: TestDatabase,
  table: 'ApiKey' | 'DashboardSession' | 'LoginSession',
): Promise<() => Promise<unknown>> {
  const { refuse, allow } = byEngine({
    sqlite: {
      refuse: `CREATE TRIGGER refuse BEFORE UPDATE ON "${table}" BEGIN SELECT RAISE(ABORT, 'refused'); END`,
      allow: 'DROP TRIGGER refuse',
    },
    postgresql: {
      refuse: `ALTER TABLE "${table}" ADD CONSTRAINT refuse CHECK ("lastUsedAt" IS NULL) NOT VALID`,
      allow: `ALTER TABLE "${table}" DROP CONSTRAINT refuse`,
    },
  });
  await execute(database, refuse);
  return () => execute(database, allow);
}

/** Returns a value that a column for times accepts although it is not a time. */
export const noTime = () => byEngine({ sqlite: 'nonsense', postgresql: 'infinity' });

/** Returns the contents of a database as bytes: the SQLite files as they are, or all values of PostgreSQL. */
export async function contentsOf(database: TestDatabase): Promise<Buffer> {
  if (inject('engine') === 'sqlite') {
    const files = ['', '-wal'].map((ending) => `${database.engine.name}${ending}`).filter((file) => existsSync(file));
    return Buffer.concat(files.map((file) => readFileSync(file)));
  }
  const { client, close } = await database.engine.open({});
  try {
    const rows: object[] = [];
    for (const name of referredFirst()) rows.push(...(await delegateOf(client, name).findMany()));
    const values = rows.flatMap((row) => Object.values(row));
    return Buffer.concat(values.map((value) => (value instanceof Uint8Array ? value : Buffer.from(textOf(value)))));
  } finally {
    await close();
  }
}

/** Returns a value as text; objects in full. */
const textOf = (value: unknown) => (typeof value === 'object' ? JSON.stringify(value) : String(value));

/** Executes statements on a connection of their own, beside those that have the database open. Returns the rows of the last one. */
export async function execute({ engine }: TestDatabase, ...statements: string[]): Promise<unknown[][]> {
  const { connection, close } = await engine.open({});
  try {
    let rows: unknown[][] = [];
    for (const sql of statements) ({ rows } = await connection.queryRaw({ sql, args: [], argTypes: [] }));
    return rows;
  } finally {
    await close();
  }
}

/** Executes statements in another process, and blocks this one until they are done. */
export function executeNow({ url }: TestDatabase, ...statements: string[]): void {
  const program = join(inject('programs'), 'dist/statement.js');
  execFileSync(process.execPath, [program, url, ...statements]);
}

/** Terminates the connections that hold a PostgreSQL database, as a network failure does. */
export const endHold =
  "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'sallyport hold' " +
  'AND datname = current_database()';

/** Replaces all rows of a database with those of another. */
export async function copyRows(from: TestDatabase, to: TestDatabase): Promise<void> {
  const [source, target] = [await from.engine.open({}), await to.engine.open({})];
  try {
    const names = referredFirst();
    for (const name of [...names].reverse()) await delegateOf(target.client, name).deleteMany();
    for (const name of names) {
      const data = await delegateOf(source.client, name).findMany();
      await delegateOf(target.client, name).createMany({ data });
    }
  } finally {
    await Promise.all([source.close(), target.close()]);
  }
}

/** Returns the names of the models, each after the models that it refers to. */
function referredFirst(): string[] {
  const { models } = getDatamodel().datamodel;
  const names = new Set<string>();
  const add = (name: string) => {
    for (const field of models[name]?.fields ?? []) {
      if (field.kind === 'object' && (field.relationFromFields?.length ?? 0) > 0 && field.type !== name)
        add(field.type);
    }
    names.add(name);
  };
  for (const name of Object.keys(models)) add(name);
  return [...names];
}

function makeSqlite(migrated: boolean): TestDatabase {
  const directory = sqliteDirectory();
  if (migrated) copyFileSync(inject('emptyDatabase'), join(directory, sqliteFile));
  return sqliteIn(directory);
}

const sqliteFile = 'test.db';

const sqliteDirectory = () => mkdtempSync(join(tmpdir(), 'sallyport-test-'));

function sqliteIn(directory: string): TestDatabase {
  const url = `file:${join(directory, sqliteFile)}`;
  const remove = async () => rmSync(directory, { recursive: true });
  return { engine: chooseEngine(url), url, environment: { DATABASE_URL: url }, remove };
}

async function makePostgres(migrated: boolean): Promise<TestDatabase> {
  return postgresAt(await createPostgres(migrated ? `${inject('postgres').prefix}_empty` : null));
}

/** Creates a database as a copy of another one, or an empty one; returns its name. */
async function createPostgres(template: string | null): Promise<string> {
  const server = inject('postgres');
  const name = `${server.prefix}_${randomBytes(6).toString('hex')}`;
  await send(
    server.url,
    `CREATE DATABASE ${name}${template === null ? '' : ` TEMPLATE ${template} STRATEGY FILE_COPY`}`,
  );
  return name;
}

function postgresAt(name: string): TestDatabase {
  const server = inject('postgres');
  const url = urlOf(server.url, name);
  return {
    engine: chooseEngine(url),
    url,
    environment: { DATABASE_URL: url, SECRET_KEY: secretKey },
    remove: () => send(server.url, `DROP DATABASE ${name} WITH (FORCE)`),
  };
}

/** A server on PostgreSQL must be given a key: it has no directory for a key file. */
const secretKey = Buffer.alloc(32, 7).toString('base64');
