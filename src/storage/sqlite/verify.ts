// Verifies that a file is an intact database of this program.

import { statSync } from 'node:fs';
import Database from 'better-sqlite3';
import type { CopyReport } from '../engine.ts';
import { secretCheckFact } from '../secret-key.ts';
import { busyTimeoutMs } from './reading.ts';

/** The contents of a verified file, with its sealed check; null if nothing has been sealed yet. */
export interface Verified extends CopyReport {
  readonly sealedCheck: Uint8Array | null;
}

/**
 * Turns a copy into a single file and checks it: its structure, its references, and that it is a database of this program.
 *
 * @throws Error that says what is wrong with the copy
 */
export function verify(copy: string): Verified {
  const database = new Database(copy, { timeout: busyTimeoutMs });
  try {
    // Moves the write-ahead log into the file. A server sets the mode that it needs again.
    database.pragma('journal_mode = DELETE');
    const found = database.pragma('integrity_check(3)', { simple: true });
    if (found !== 'ok') throw new Error(`The copy ${copy} is damaged: ${String(found)}`);
    const broken = database.pragma('foreign_key_check');
    if (!Array.isArray(broken) || broken.length > 0) {
      throw new Error(`The copy ${copy} is damaged: rows refer to rows that do not exist.`);
    }
    const tables = countRows(database);
    if (!('_prisma_migrations' in tables)) throw new Error(`${copy} is not a database of this program.`);
    const sealedCheck = 'ServerFact' in tables ? readSealedCheck(database) : null;
    return { bytes: statSync(copy).size, tables, secretCheck: sealedCheck !== null, sealedCheck };
  } finally {
    database.close();
  }
}

/** Counts the rows of every table. */
export function countRows(database: Database.Database): Record<string, number> {
  const names = database
    .prepare<[], string>(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name",
    )
    .pluck()
    .all();
  return Object.fromEntries(
    names.map((name) => [
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
