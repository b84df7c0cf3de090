// Reads a database file without opening it as a server does: nothing is changed, in the file or beside it.

import { hash } from 'node:crypto';
import { accessSync, constants, statSync } from 'node:fs';
import type { SqlQuery, SqlQueryable } from '@prisma/driver-adapter-utils';
import type Database from 'better-sqlite3';
import { remedies } from '../../domain/remedies.ts';
import { messageOf } from '../../domain/wording.ts';
import type { StructureFindings } from '../engine.ts';
import { openingFile } from '../lifecycle/file-problems.ts';
import { quote } from '../sql/statement-values.ts';
import { describeColumns, fromSqlite, toSqlite } from './convert.ts';
import { tableNames } from './digests.ts';
import { Sqlite } from './driver.ts';
import { isThere, refuseOtherThanFile } from './files.ts';
import { names } from './transaction.ts';

/** How long a short read, or a change by the command line, waits while another process has the file locked, in milliseconds. */
export const busyTimeoutMs = 5_000;

/** Opens an existing file for reading. Throws Error that names the file, and why it cannot be opened. */
export function openToRead(path: string): Database.Database {
  refuseOtherThanFile(path);
  if (!isThere(path)) throw new Error(`There is no file at ${path}.`);
  // SQLite does not say why it cannot open a file. The system does.
  openingFile(path, () => accessSync(path, constants.R_OK));
  try {
    return new Sqlite(path, { readonly: true, fileMustExist: true, timeout: busyTimeoutMs });
  } catch (error) {
    throw new Error(`The database ${path} cannot be opened: ${messageOf(error)}.`, { cause: error });
  }
}

/** Reads from an existing file. */
export function readFrom<T>(path: string, work: (database: Database.Database) => T): T {
  const database = openToRead(path);
  try {
    return work(database);
  } catch (error) {
    if (!(error instanceof Sqlite.SqliteError)) throw error;
    const isDamaged = /^SQLITE_(CORRUPT|NOTADB)/.test(error.code);
    const remedy = isDamaged
      ? ` If this is the right file, restore the last backup: "${remedies.restoreBackup('<file>')}".`
      : '';
    throw new Error(`The database ${path} cannot be read: ${error.message}.${remedy}`, { cause: error });
  } finally {
    database.close();
  }
}

/** Reads from an existing file with statements as Prisma's adapters take them. All of them see the same moment. */
export async function reading<T>(path: string, work: (database: SqlQueryable) => Promise<T>): Promise<T> {
  const database = openToRead(path);
  try {
    database.defaultSafeIntegers(true);
    database.function('sha256', { deterministic: true }, (text) => hash('sha256', String(text), 'hex'));
    // The snapshot begins with the first statement. Writers are not held up: the log keeps the pages that are read here.
    database.exec('BEGIN');
    return await work({
      ...names,
      queryRaw: async (query) => readRows(database, query),
      executeRaw: async () => {
        throw new Error('The database is open for reading only.');
      },
    });
  } finally {
    database.close();
  }
}

/** Largest file that is read as a whole, and the rows that are read of a larger one: 1 to 2 s of work each. */
const usualBounds = { wholeBytes: 1_073_741_824, rows: 500_000 };

/**
 * Checks the structure of a database file, without what its indexes say. Of a large file, only the smallest tables: a server checks
 * all pages all the time, and so does every backup.
 */
export function examineStructure(path: string, bounds = usualBounds): StructureFindings {
  return readFrom(path, (database) => {
    const check = (table: string) => {
      const found = database.prepare<[], string>(`PRAGMA quick_check(${table})`).pluck().all();
      return found.length === 1 && found[0] === 'ok' ? [] : found;
    };
    if (statSync(path).size <= bounds.wholeBytes) return { faults: check('3'), unread: [] };
    const tables = tableNames(database).map((name) => ({ name, rows: rowsIn(database, name) }));
    const unread: string[] = [];
    let rowsRead = 0;
    for (const { name, rows } of tables.sort((one, other) => one.rows - other.rows)) {
      rowsRead += rows;
      if (rowsRead > bounds.rows) {
        unread.push(name);
        continue;
      }
      const faults = check(quote(name));
      if (faults.length > 0) return { faults: faults.slice(0, 3), unread };
    }
    return { faults: [], unread };
  });
}

/** Returns about how many rows a table has, without reading them. */
export function rowsIn(database: Database.Database, table: string): number {
  return (
    database
      .prepare<[], number | null>(`SELECT max(rowid) FROM ${quote(table)}`)
      .pluck()
      .get() ?? 0
  );
}

function readRows(database: Database.Database, { sql, args, argTypes }: SqlQuery) {
  const statement = database.prepare<unknown[], unknown[]>(sql).raw(true);
  const rows = statement.all(...args.map((value, index) => toSqlite(value, argTypes[index])));
  const columns = describeColumns(statement.columns());
  return { columnNames: columns.names, columnTypes: fromSqlite(columns, rows), rows };
}
