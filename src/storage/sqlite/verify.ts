// Verifies that a file is an intact database of this program.

import { statSync } from 'node:fs';
import type Database from 'better-sqlite3';
import type { CopyReport } from '../engine.ts';
import { secretCheckFact } from '../keys/secret-key.ts';
import { compareDigests, storeDigests, tableNames, takeDigests } from './digests.ts';
import { Sqlite } from './driver.ts';
import { busyTimeoutMs } from './reading.ts';

/** The contents of a verified file. */
export interface Verified extends CopyReport {
  /** Null if nothing has been sealed yet. */
  readonly sealedCheck: Uint8Array | null;
  /** Whether the contents were compared with digests: false for a file that has none. */
  readonly isCompared: boolean;
}

/**
 * Turns a copy into a single file and checks it: its structure, its references, and that it is a database of this program.
 *
 * @param digests what to do with the digests of a backup: compare the contents with those that it has, or replace them by those of
 *   what it has
 * @throws Error that says what is wrong with the copy
 */
export function verify(copy: string, digests: 'compare' | 'replace'): Verified {
  const database = new Sqlite(copy, { timeout: busyTimeoutMs });
  try {
    // Moves the write-ahead log into the file. A server sets the mode that it needs again.
    database.pragma('journal_mode = DELETE');
    const found = database.pragma('integrity_check(3)', { simple: true });
    if (found !== 'ok') throw new Error(`The copy ${copy} is damaged: ${String(found)}`);
    const broken = database.pragma('foreign_key_check');
    if (!Array.isArray(broken) || broken.length > 0) {
      throw new Error(`The copy ${copy} is damaged: rows refer to rows that do not exist.`);
    }
    if (!tableNames(database).includes('_prisma_migrations')) {
      throw new Error(`${copy} is not a database of this program.`);
    }
    const expected = takeDigests(database);
    if (digests === 'compare' && expected !== null) compareDigests(database, expected, copy);
    const tables = countRows(database);
    const sealedCheck = 'ServerFact' in tables ? readSealedCheck(database) : null;
    if (digests === 'replace') storeDigests(database);
    const isCompared = digests === 'compare' && expected !== null;
    return { bytes: statSync(copy).size, tables, secretCheck: sealedCheck !== null, sealedCheck, isCompared };
  } finally {
    database.close();
  }
}

/** Counts the rows of every table. */
function countRows(database: Database.Database): Record<string, number> {
  return Object.fromEntries(
    tableNames(database).map((name) => [
      name,
      database
        .prepare<[], number>(`SELECT count(*) FROM "${name.replaceAll('"', '""')}"`)
        .pluck()
        .get() ?? 0,
    ]),
  );
}

function readSealedCheck(database: Database.Database): Uint8Array | null {
  const query = database.prepare<[string], Buffer>('SELECT value FROM ServerFact WHERE name = ?').pluck();
  return query.get(secretCheckFact) ?? null;
}
