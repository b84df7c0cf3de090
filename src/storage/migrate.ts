// Brings a database file to the tables that this program needs, all or nothing, without Prisma's downloaded engine.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import type { MigrationList, SchemaContainer } from '@prisma/schema-engine-wasm/schema_engine_bg';
import Database from 'better-sqlite3';
import { startSchemaEngine } from './schema-engine.ts';
import { Connection } from './sqlite/connection.ts';
import { makePrivateFile, realPathOf } from './sqlite/files.ts';

// This file is two levels below the package both as src/storage/migrate.ts and as dist/storage/migrate.js.
const schemaDirectory = resolve(import.meta.dirname, '../../prisma');

/** Where the migrations of this program are: a directory each, `<time>_<name>/migration.sql`. */
export const defaultMigrationsDirectory = join(schemaDirectory, 'migrations/sqlite');

const busyTimeoutMs = 5000;
const everything = { externalTables: [], externalEnums: [] };

/** A migration of this program. */
interface Migration {
  readonly name: string;
  readonly script: string;
}

/** A row of the table that Prisma keeps about migrations, as far as it is looked at here. */
interface MigrationRow {
  readonly migration_name: string;
  readonly checksum: string;
  readonly finished_at: unknown;
}

/** What to migrate. */
export interface MigrateOptions {
  /** Path of the database file. It is made, with its directory, if it does not exist. */
  readonly path: string;
  /** Directory of the migrations; those of this program unless given. */
  readonly migrationsDirectory?: string;
  /** Told what is being done, one sentence at a time. */
  readonly log?: (message: string) => void;
}

/**
 * Applies the migrations that a database lacks, all in one transaction: a run that fails or is killed leaves the file as
 * it was. Keeps the table `_prisma_migrations` as `prisma migrate deploy` does. The caller holds the lock of `lockDatabase`,
 * and nothing else has the file open. When nothing is pending, only one small table is read.
 * @returns the names of the migrations applied, oldest first.
 * @throws Error as `pendingMigrations` does, or when a migration fails.
 */
export async function migrate({ path, migrationsDirectory, log }: MigrateOptions): Promise<string[]> {
  const directory = migrationsDirectory ?? defaultMigrationsDirectory;
  const pending = pendingMigrations(path, directory);
  if (pending.length === 0) return [];
  log?.(`Applying ${pending.length} migration(s) to ${path}: ${pending.join(', ')}.`);
  makePrivateFile(realPathOf(path));
  // Foreign keys off, for the whole run: SQLite ignores the setting inside a transaction, and a table is altered by
  // dropping the old one, which must not cascade (sqlite.org/lang_altertable, section 7).
  const connection = new Connection({ path, busyTimeoutMs, foreignKeys: false });
  let failure: unknown;
  try {
    // The engine never sends BEGIN (measured with 7.10), so everything it does lands in this one transaction.
    connection.script('BEGIN IMMEDIATE');
    const engine = await startSchemaEngine(connection, openShadow, (error) => {
      failure = error;
    });
    await engine.applyMigrations({
      migrationsList: migrationList(readMigrations(directory), directory),
      filters: everything,
    });
    const broken = connection.query({ sql: 'PRAGMA foreign_key_check', args: [], argTypes: [] }).rows;
    if (broken.length > 0) {
      throw new Error(
        `${broken.length} row(s) would refer to rows that do not exist, the first in table ${broken[0]?.[0]}.`,
      );
    }
    connection.script('COMMIT');
  } catch (error) {
    const cause = failure ?? error;
    const reason = cause instanceof Error ? cause.message : String(cause);
    const begun =
      failure !== undefined && connection.inTransaction ? `Migration ${begunMigration(connection)} fails: ` : '';
    // Closing without COMMIT rolls everything back.
    throw new Error(`Cannot migrate the database ${path}; it has been left as it was. ${begun}${reason}`, { cause });
  } finally {
    connection.close();
  }
  return pending;
}

/**
 * Names the migrations that a database lacks, oldest first, without changing anything and without the engine. A file that
 * does not exist lacks all.
 * @throws Error when the file is not one that this program may migrate: it comes from a newer version or from another
 *   program, a migration has been edited after it was applied, or one was left half-done by another tool.
 */
export function pendingMigrations(path: string, migrationsDirectory = defaultMigrationsDirectory): string[] {
  const known = readMigrations(migrationsDirectory);
  const applied = new Map(readMigrationRows(path).map((row) => [row.migration_name, row]));
  const newest = [...applied.keys()].sort().at(-1);
  const unknown = [...applied.keys()].filter((name) => !known.some((migration) => migration.name === name));
  if (unknown.length > 0) {
    throw new Error(
      `The database ${path} is newer than this program: its newest migration is ${newest}, and the newest that this ` +
        `program knows is ${known.at(-1)?.name ?? 'none'}. ` +
        'Start the newer version of the program, or restore the copy that was made before it ran.',
    );
  }
  for (const { name, script } of known) {
    const row = applied.get(name);
    if (row === undefined) continue;
    if (row.finished_at === null) {
      throw new Error(
        `Migration ${name} has begun on the database ${path} and has not finished. This program applies migrations ` +
          'all or nothing, so another tool has done this. Restore the copy that was made before it.',
      );
    }
    if (row.checksum !== createHash('sha256').update(script).digest('hex')) {
      throw new Error(
        `Migration ${name} is not the one that was applied to the database ${path}: its script has changed since. ` +
          `Restore ${join(migrationsDirectory, name, 'migration.sql')} as it was, and put the change in a new migration.`,
      );
    }
  }
  return known.map(({ name }) => name).filter((name) => !applied.has(name));
}

/** Names the migrations that a database has had, oldest first. Throws Error when the file is another program's. */
export function appliedMigrations(path: string): string[] {
  return readMigrationRows(path)
    .map(({ migration_name }) => migration_name)
    .sort();
}

/**
 * Gives the SQL that leads from what the migrations make to what the models in `prisma/*.prisma` say, or null when
 * they agree.
 */
export async function diffMigrations(migrationsDirectory = defaultMigrationsDirectory): Promise<string | null> {
  const opened: Connection[] = [];
  const open = () => {
    const connection = openShadow();
    opened.push(connection);
    return connection;
  };
  try {
    const engine = await startSchemaEngine(open(), open);
    const { stdout } = await engine.diff({
      from: { tag: 'migrations', ...migrationList(readMigrations(migrationsDirectory), migrationsDirectory) },
      to: { tag: 'schemaDatamodel', files: readModels() },
      script: true,
      exitCode: null,
      filters: everything,
    });
    // The engine answers with a comment when there is nothing to do.
    return stdout === null || /^(\s*--.*)?\s*$/.test(stdout) ? null : stdout;
  } finally {
    for (const connection of opened) connection.close();
  }
}

/** Names the migration that the engine is at. Its row is there as long as the transaction is open. */
function begunMigration(connection: Connection): unknown {
  const query = 'SELECT migration_name FROM _prisma_migrations WHERE finished_at IS NULL AND rolled_back_at IS NULL';
  return connection.query({ sql: query, args: [], argTypes: [] }).rows[0]?.[0];
}

function openShadow(): Connection {
  return new Connection({ path: ':memory:', busyTimeoutMs, foreignKeys: false });
}

function readMigrations(directory: string): Migration[] {
  if (!existsSync(directory)) throw new Error(`The directory of the migrations is missing: ${directory}.`);
  return readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => ({ name, script: readFileSync(join(directory, name, 'migration.sql'), 'utf8') }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function migrationList(migrations: readonly Migration[], directory: string): MigrationList {
  return {
    baseDir: directory,
    lockfile: { path: 'migration_lock.toml', content: readFileSync(join(directory, 'migration_lock.toml'), 'utf8') },
    shadowDbInitScript: '',
    migrationDirectories: migrations.map(({ name, script }) => ({
      path: name,
      migrationFile: { path: 'migration.sql', content: { tag: 'ok', value: script } },
    })),
  };
}

function readModels(): SchemaContainer[] {
  return readdirSync(schemaDirectory)
    .filter((file) => file.endsWith('.prisma'))
    .sort()
    .map((file) => ({ path: basename(file), content: readFileSync(join(schemaDirectory, file), 'utf8') }));
}

/** Reads which migrations a file has had, without changing it. */
function readMigrationRows(path: string): MigrationRow[] {
  if (!existsSync(path)) return [];
  const database = new Database(path, { readonly: true, timeout: busyTimeoutMs });
  try {
    const tables = database.prepare<[], string>("SELECT name FROM sqlite_master WHERE type = 'table'").pluck().all();
    if (tables.includes('_prisma_migrations')) {
      // A row that Prisma has marked as rolled back counts for nothing.
      return database
        .prepare<[], MigrationRow>(
          'SELECT migration_name, checksum, finished_at FROM _prisma_migrations WHERE rolled_back_at IS NULL',
        )
        .all();
    }
    if (tables.length === 0) return [];
    throw new Error(
      `The file ${path} is the database of another program: it has tables, but no record of migrations. ` +
        'Name another file for this program.',
    );
  } finally {
    database.close();
  }
}
