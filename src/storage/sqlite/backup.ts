// Copies a database file while a server uses it. The copy gets its name only once it is verified.

import { closeSync, existsSync, openSync, rmSync, truncateSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type Database from 'better-sqlite3';
import type { CopyReport, Engine } from '../engine.ts';
import { giveName, syncFile } from '../lifecycle/durable-files.ts';
import { writingFile } from '../lifecycle/file-problems.ts';
import { noDatabase, whereDatabaseIs } from '../lifecycle/health.ts';
import { tableNames } from './digests.ts';
import { systemCodes } from './errors.ts';
import { besides, isThere, temporaryNeighbour } from './files.ts';
import { copyPages } from './page-copy.ts';
import { openToRead, readFrom, rowsIn } from './reading.ts';
import { verify } from './verify.ts';

/** Pages copied between progress reports in a transaction: a few milliseconds of work. */
const pagesAtOnce = 2_000;

/** Copies a database file, as `Engine.backUp` says. */
export async function backUp(
  path: string,
  ...[to, onProgress = () => {}]: Parameters<Engine['backUp']>
): Promise<CopyReport> {
  if (!isThere(path)) throw new Error(`${noDatabase({ name: path })} ${whereDatabaseIs}`);
  if (existsSync(to)) throw new Error(`${to} exists. A backup never overwrites a file: choose another name.`);
  return writingFile(to, () => copyTo(path, to, onProgress), systemCodes);
}

async function copyTo(path: string, to: string, onProgress: (part: number) => void): Promise<CopyReport> {
  const copy = temporaryNeighbour(to);
  try {
    closeSync(openSync(copy, 'wx', 0o600));
    const expected =
      (await copyPages(path, copy, onProgress, highestRowIds)) ?? (await copyInTransaction(path, copy, onProgress));
    const found = readFrom(copy, highestRowIds);
    const different = Object.keys(expected).filter((table) => expected[table] !== found[table]);
    if (different.length > 0) throw new Error(`The copy has other rows than the database in ${different.join(', ')}.`);
    const { sealedCheck: _, isCompared: __, ...report } = verify(copy, 'replace');
    syncFile(copy);
    if (!giveName(copy, to)) throw new Error(`${to} exists. A backup never overwrites a file.`);
    syncFile(dirname(resolve(to)));
    return report;
  } finally {
    for (const file of [copy, ...besides(copy)]) rmSync(file, { force: true });
  }
}

/** Copies a database whose log cannot be followed. Its log grows meanwhile, if it has one. */
async function copyInTransaction(
  path: string,
  copy: string,
  onProgress: (part: number) => void,
): Promise<Record<string, number>> {
  truncateSync(copy);
  const source = openToRead(path);
  try {
    // Without a transaction, the copy would begin again at every write.
    source.exec('BEGIN');
    const expected = highestRowIds(source);
    await source.backup(copy, {
      progress: ({ totalPages, remainingPages }) => {
        onProgress(totalPages === 0 ? 1 : 1 - remainingPages / totalPages);
        return pagesAtOnce;
      },
    });
    return expected;
  } finally {
    source.close();
  }
}

/** Returns the highest internal number of a row of each table, which takes no time however large a table is. */
function highestRowIds(database: Database.Database): Record<string, number> {
  return Object.fromEntries(tableNames(database).map((name) => [name, rowsIn(database, name)]));
}
