// Copies a database file while a server uses it. The copy gets its name only once it is verified.

import { closeSync, existsSync, openSync, rmSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { CopyReport, Engine } from '../engine.ts';
import { giveName, syncFile } from '../lifecycle/durable-files.ts';
import { writingFile } from '../lifecycle/file-problems.ts';
import { noDatabase, whereDatabaseIs } from '../lifecycle/health.ts';
import { systemCodes } from './errors.ts';
import { besides, isThere, temporaryNeighbour } from './files.ts';
import { openToRead } from './reading.ts';
import { countRows, verify } from './verify.ts';

/** Pages copied between progress reports: a few milliseconds of work. */
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
    const source = openToRead(path);
    let expected: CopyReport['tables'];
    try {
      // One transaction around everything. Without it, the backup restarts at every write, and would never finish on a
      // busy server.
      source.exec('BEGIN');
      expected = countRows(source);
      await source.backup(copy, {
        progress: ({ totalPages, remainingPages }) => {
          onProgress(totalPages === 0 ? 1 : 1 - remainingPages / totalPages);
          return pagesAtOnce;
        },
      });
    } finally {
      source.close();
    }
    const { sealedCheck: _, isCompared: __, ...report } = verify(copy, 'replace');
    const different = Object.keys(expected).filter((table) => expected[table] !== report.tables[table]);
    if (different.length > 0) throw new Error(`The copy has different row counts in ${different.join(', ')}.`);
    syncFile(copy);
    if (!giveName(copy, to)) throw new Error(`${to} exists. A backup never overwrites a file.`);
    syncFile(dirname(resolve(to)));
    return report;
  } finally {
    for (const file of [copy, ...besides(copy)]) rmSync(file, { force: true });
  }
}
