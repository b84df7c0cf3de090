// The digests that a backup keeps of its tables, by which a restore notices that its contents were changed since.

import type Database from 'better-sqlite3';
import { listed, messageOf } from '../../domain/wording.ts';
import { backupDigestsFact } from '../keys/secret-key.ts';
import { createDigester, type TableDigest } from '../lifecycle/table-digest.ts';

/** Digests by table, as `copy` computes them, but of what is in the file: a backup of any version has them. */
type Digests = Readonly<Record<string, TableDigest>>;

/** Rows hashed at once. */
const rowsAtOnce = 1_000;

/** Lists the tables of a database, without SQLite's own. */
export function tableNames(database: Database.Database): string[] {
  return database
    .prepare<[], string>(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name",
    )
    .pluck()
    .all();
}

/** Stores the digests of all tables in a backup. A database of a version without a table for them gets none. */
export function storeDigests(database: Database.Database): void {
  if (!tableNames(database).includes('ServerFact')) return;
  const digests = Buffer.from(JSON.stringify(digestTables(database)));
  database.prepare('INSERT INTO ServerFact (name, value) VALUES (?, ?)').run(backupDigestsFact, digests);
}

/** Removes the digests from a database and returns them; null if it has none. */
export function takeDigests(database: Database.Database): Digests | null {
  if (!tableNames(database).includes('ServerFact')) return null;
  const query = database.prepare<[string], Buffer>('DELETE FROM ServerFact WHERE name = ? RETURNING value').pluck();
  const stored = query.get(backupDigestsFact);
  if (stored === undefined) return null;
  try {
    return JSON.parse(stored.toString());
  } catch (error) {
    throw new Error(`The digests in the backup are damaged: ${messageOf(error)}`, { cause: error });
  }
}

/**
 * Compares the tables of a database with the digests that were taken from it.
 *
 * @param file what the message calls the database
 * @throws Error that names the tables that differ
 */
export function compareDigests(database: Database.Database, expected: Digests, file: string): void {
  const found = digestTables(database);
  const names = [...new Set([...Object.keys(expected), ...Object.keys(found)])].sort();
  const changed = names.filter((name) => {
    const [before, now] = [expected[name], found[name]];
    return before?.rows !== now?.rows || before?.sha256 !== now?.sha256;
  });
  if (changed.length === 0) return;
  throw new Error(
    `${file} was changed after the backup was made: the contents of ${listed(changed, (name) => name)} are others. Restore another ` +
      'backup.',
  );
}

function digestTables(database: Database.Database): Digests {
  return Object.fromEntries(tableNames(database).map((name) => [name, digestOf(database, name)]));
}

function digestOf(database: Database.Database, table: string): TableDigest {
  const query = database
    .prepare<[], unknown[]>(`SELECT * FROM "${table.replaceAll('"', '""')}"`)
    .raw()
    .safeIntegers();
  const digester = createDigester({ columns: query.columns().map(({ name }) => ({ name })) });
  let rows: unknown[][] = [];
  for (const row of query.iterate()) {
    // The digester knows the values that Prisma gives, where undefined stands for null.
    rows.push(row.map((value) => value ?? undefined));
    if (rows.length < rowsAtOnce) continue;
    digester.add(rows);
    rows = [];
  }
  digester.add(rows);
  return digester.result();
}
