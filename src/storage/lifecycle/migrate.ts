// Migrates a database to the tables that this program needs, all or nothing, without Prisma's downloaded engine.

import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MigrationList } from '@prisma/schema-engine-wasm/schema_engine_bg';
import { remedies } from '../../domain/remedies.ts';
import { messageOf, sentenceOf } from '../../domain/wording.ts';
import type { Engine, MigrationTarget } from '../engine.ts';
import { failureOf } from '../errors.ts';
import { modelsFor } from '../sql/models.ts';

/** Loaded only if there is something to do: most starts have nothing to migrate. */
const loadSchemaEngine = () => import('./schema-engine.ts');

const everything = { externalTables: [], externalEnums: [] };

interface Migration {
  readonly name: string;
  readonly script: string;
}

/** A database, as far as migrations are concerned. */
type Migratable = Pick<Engine, 'migrations'>;

export interface MigrateOptions {
  /** Directory of the migrations; by default those of this program. */
  readonly directory?: string | undefined;
  /** Called with what is being done, one sentence at a time. */
  readonly log?: (message: string) => void;
}

/**
 * Applies the migrations that a database lacks, all in one transaction: a run that fails or is killed leaves the database as it
 * was. Maintains the table `_prisma_migrations` as `prisma migrate deploy` does. The caller holds the database, and nothing else
 * has it open. If nothing is pending, only one small table is read.
 * @returns the names of the migrations applied, oldest first.
 * @throws Error as `pendingMigrations` does, or if a migration fails.
 */
export async function migrate(database: Migratable, { directory, log }: MigrateOptions = {}): Promise<string[]> {
  const target = database.migrations;
  const pending = await pendingMigrations(database, directory);
  if (pending.length === 0) return [];
  log?.(`Applying ${pending.length} migration(s) to ${target.name}: ${pending.join(', ')}.`);
  const list = migrationList(directory ?? target.directory);
  const known = readMigrations(directory ?? target.directory);
  const { startSchemaEngine } = await loadSchemaEngine();
  try {
    return await target.withShadows((openShadow) =>
      target.transact('tables', async (connection) => {
        let failure: { error: unknown; script: string } | undefined;
        const engine = await startSchemaEngine(connection, openShadow, (error, script) => {
          failure ??= { error, script };
        });
        try {
          const { appliedMigrationNames } = await engine.applyMigrations({ migrationsList: list, filters: everything });
          return appliedMigrationNames;
        } catch (error) {
          if (failure === undefined) throw error;
          const { error: cause, script } = failure;
          const name = known.find((migration) => migration.script === script)?.name;
          throw new Error(`${name === undefined ? '' : `Migration ${name} fails: `}${messageOf(cause)}`, { cause });
        }
      }),
    );
  } catch (error) {
    const outcome =
      failureOf(error) === 'uncertain'
        ? `It is not known whether the database ${target.name} has been migrated: see "${remedies.showMigrations}".`
        : `Cannot migrate the database ${target.name}; it has been left as it was.`;
    const message = `${outcome} ${sentenceOf(error)}`;
    throw new Error(message, { cause: error });
  }
}

/**
 * Returns the names of the migrations that a database lacks, oldest first, without changing anything and without the engine. A
 * database that does not exist lacks all.
 * @throws Error if the database is not one that this program may migrate: it comes from a newer version or from another program, a
 *   migration was edited after it was applied, one was left half-done by another tool, or one is missing in the record before others.
 */
export async function pendingMigrations(database: Migratable, directory?: string): Promise<string[]> {
  const target = database.migrations;
  const known = readMigrations(directory ?? target.directory);
  const applied = new Map((await target.readHistory()).map((row) => [row.migration_name, row]));
  const newest = [...applied.keys()].sort().at(-1);
  const unknown = [...applied.keys()].filter((name) => !known.some((migration) => migration.name === name));
  if (unknown.length > 0) {
    throw new Error(
      `The database ${target.name} is newer than this program: its newest migration is ${newest}, and the newest that ` +
        `this program knows is ${known.at(-1)?.name ?? 'none'}. ` +
        'Start the newer version of the program, or restore the copy that was made before it ran.',
    );
  }
  for (const { name, script } of known) {
    const row = applied.get(name);
    if (row === undefined) continue;
    if (row.finished_at === null) {
      throw new Error(
        `Migration ${name} has begun on the database ${target.name} and has not finished. This program applies ` +
          'migrations all or nothing, so another tool has done this. Restore the copy that was made before it.',
      );
    }
    if (row.checksum !== createHash('sha256').update(script).digest('hex')) {
      const file = join(directory ?? target.directory, name, 'migration.sql');
      throw new Error(
        `Migration ${name} is not the one that was applied to the database ${target.name}: its script has changed ` +
          `since. Restore ${file} as it was, and put the change in a new migration.`,
      );
    }
  }
  const pending = known.map(({ name }) => name).filter((name) => !applied.has(name));
  const gap = pending.find((name) => newest !== undefined && name < newest);
  if (gap !== undefined) {
    throw new Error(
      `The database ${target.name} has no record of migration ${gap}, and one of the later ${newest}. Migrations are applied in ` +
        'order, so the record was changed by other means. Applied now, it could destroy what was stored since. Restore the last ' +
        'backup, or put back the row that is missing in "_prisma_migrations".',
    );
  }
  return pending;
}

/**
 * Returns the names of the migrations that were applied to a database, oldest first. Throws Error if it belongs to another program.
 */
export async function appliedMigrations({ migrations }: Migratable): Promise<string[]> {
  return (await migrations.readHistory()).map(({ migration_name }) => migration_name).sort();
}

/**
 * Returns the SQL that leads from the result of an engine's migrations to what the models in `prisma/*.prisma` describe, or null if
 * they agree.
 */
export async function diffMigrations(target: MigrationTarget, directory = target.directory): Promise<string | null> {
  const { startSchemaEngine } = await loadSchemaEngine();
  return target.withShadows(async (openShadow) => {
    const engine = await startSchemaEngine(await openShadow(), openShadow);
    const { stdout } = await engine.diff({
      from: { tag: 'migrations', ...migrationList(directory) },
      to: { tag: 'schemaDatamodel', files: modelsFor(target.provider) },
      script: true,
      exitCode: null,
      filters: everything,
    });
    // The engine answers with a comment when there is nothing to do.
    return stdout === null || /^(\s*--.*)?\s*$/.test(stdout) ? null : stdout;
  });
}

function readMigrations(directory: string): Migration[] {
  if (!existsSync(directory)) throw new Error(`The directory of the migrations is missing: ${directory}.`);
  return readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => ({ name, script: readFileSync(join(directory, name, 'migration.sql'), 'utf8') }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function migrationList(directory: string): MigrationList {
  return {
    baseDir: directory,
    lockfile: { path: 'migration_lock.toml', content: readFileSync(join(directory, 'migration_lock.toml'), 'utf8') },
    shadowDbInitScript: '',
    migrationDirectories: readMigrations(directory).map(({ name, script }) => ({
      path: name,
      migrationFile: { path: 'migration.sql', content: { tag: 'ok', value: script } },
    })),
  };
}
