// SQLite as a target of migrations.

import { join } from 'node:path';
import type { MigrationConnection, MigrationRow, MigrationTarget } from '../engine.ts';
import { packageDirectory } from '../lifecycle/package.ts';
import { Connection } from './connection.ts';
import { isThere, makePrivateFile, realPathOf } from './files.ts';
import { busyTimeoutMs, readFrom } from './reading.ts';

const names = { provider: 'sqlite', adapterName: 'sallyport-sqlite-migration' } as const;

const directory = join(packageDirectory, 'prisma/migrations/sqlite');

/** Creates the migration target of a database file. The file and its directory are created if they do not exist. */
export function createMigrationTarget(path: string): MigrationTarget {
  return {
    name: path,
    provider: names.provider,
    prismaProvider: 'sqlite',
    directory,
    readHistory: async () => readHistory(path),
    transact: (_changes, work) => transact(path, work),
    withShadows,
  };
}

async function transact<T>(path: string, work: (connection: MigrationConnection) => Promise<T>): Promise<T> {
  makePrivateFile(realPathOf(path));
  // Foreign keys off, for the whole run: SQLite ignores the setting inside a transaction, and a table is altered by
  // dropping the old one, which must not cascade (sqlite.org/lang_altertable, section 7).
  const connection = new Connection({ path, busyTimeoutMs, rebuildsTables: true });
  try {
    // Prisma's engine never sends BEGIN (measured with 7.10), so everything it does lands in this one transaction.
    connection.script('BEGIN IMMEDIATE');
    const result = await work(migrationConnection(connection));
    const broken = connection.query({ sql: 'PRAGMA foreign_key_check', args: [], argTypes: [] }).rows;
    if (broken.length > 0) {
      throw new Error(
        `${broken.length} row(s) would refer to rows that do not exist, the first in table ${broken[0]?.[0]}.`,
      );
    }
    connection.script('COMMIT');
    return result;
  } finally {
    // Closing without COMMIT rolls everything back.
    connection.close();
  }
}

async function withShadows<T>(work: (open: () => Promise<MigrationConnection>) => Promise<T>): Promise<T> {
  const opened: Connection[] = [];
  try {
    return await work(async () => {
      const connection = new Connection({ path: ':memory:', busyTimeoutMs, rebuildsTables: true });
      opened.push(connection);
      return migrationConnection(connection);
    });
  } finally {
    for (const connection of opened) connection.close();
  }
}

/** Adapts a connection for migrations. */
export function migrationConnection(connection: Connection): MigrationConnection {
  return {
    ...names,
    queryRaw: async (query) => connection.query(query),
    executeRaw: async (query) => connection.execute(query),
    executeScript: async (script) => connection.script(script),
  };
}

/** Reads which migrations have been applied to a file, without changing it. */
function readHistory(path: string): MigrationRow[] {
  if (!isThere(path)) return [];
  return readFrom(path, (database) => {
    const tables = database.prepare<[], string>("SELECT name FROM sqlite_master WHERE type = 'table'").pluck().all();
    if (tables.includes('_prisma_migrations')) {
      // Rows that Prisma has marked as rolled back do not count.
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
  });
}
