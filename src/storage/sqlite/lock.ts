// One process per database file. A second one would block while waiting for the first, and migrate the database under it.
import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync, statSync } from 'node:fs';
import type Database from 'better-sqlite3';
import { messageOf } from '../../domain/wording.ts';
import { type Hold, neverLost } from '../engine.ts';
import { DatabaseInUseError } from '../engine-error.ts';
import { writingProblem } from '../lifecycle/file-problems.ts';
import { Sqlite } from './driver.ts';
import { systemCodes } from './errors.ts';
import { lockFileOf, makePrivateFile, realPathOf } from './files.ts';

/**
 * Takes the exclusive right to use a database file, and creates its directory, readable by this user alone. The right consists of
 * two locks of the operating system. They cannot outlive their process, so a stale lock never has to be removed by hand:
 * - A lock on `<path>.lock`, which SQLite takes for us. It works before there is a database, and on every system. The empty file
 *   stays: removing it would let two processes lock two files of the same name. Opening and closing it by other means drops
 *   the lock (POSIX).
 * - A `flock(2)` on the database file itself. SQLite does not use `flock`, so short visits by other programs are not blocked. It
 *   works whatever the file is called, and nobody can remove it.
 * @param make creates the database file, empty, if it does not exist
 * @throws DatabaseInUseError that names the file if another process, or this one, has it; at once, without waiting.
 */
export function lockDatabase(path: string, { make = false } = {}): Hold {
  const realPath = realPathOf(path);
  const file = lockFileOf(path);
  let database: Database.Database | undefined;
  let descriptor: number | null;
  try {
    makePrivateFile(file);
    database = new Sqlite(file, { timeout: 0 });
    database.exec('BEGIN EXCLUSIVE');
    if (make) makePrivateFile(realPath);
    descriptor = lockFileItself(realPath, path);
  } catch (error) {
    database?.close();
    if (error instanceof DatabaseInUseError) throw error;
    if (error instanceof Sqlite.SqliteError && error.code.startsWith('SQLITE_BUSY')) {
      throw new DatabaseInUseError(
        `The database ${path} is in use by another process (lock file ${file}). ` +
          'One process uses a file at a time: stop the other one, or give this one a file of its own.',
        { cause: error },
      );
    }
    // SQLite does not say why it cannot open a file that is there.
    const isDirectory = statSync(file, { throwIfNoEntry: false })?.isDirectory() ?? false;
    const problem = writingProblem(file, error, { ...systemCodes, SQLITE_CANTOPEN: isDirectory ? 'EEXIST' : 'EACCES' });
    if (problem !== null) throw problem;
    throw new Error(`Cannot lock the database ${path} (lock file ${file}): ${messageOf(error)}.`, { cause: error });
  }
  let held = true;
  return {
    weakness:
      descriptor === null
        ? 'the program flock is missing or has no effect here: only the lock file keeps a second server out'
        : null,
    lost: neverLost,
    release() {
      if (!held) return;
      held = false;
      if (descriptor !== null) closeSync(descriptor);
      database.close();
    },
  };
}

/**
 * Locks a file with `flock(2)`. Node has no such call, so the program `flock`, which Linux systems have, locks our descriptor:
 * the lock belongs to the open file that both processes share, and stays with us when the program has ended.
 * @returns the descriptor to close; null if there is no file, or this system does not support the lock
 */
function lockFileItself(realPath: string, path: string): number | null {
  if (!existsSync(realPath)) return null;
  const descriptor = openSync(realPath, 'r');
  const { status } = spawnSync('flock', ['-n', '-x', '3'], {
    stdio: ['ignore', 'ignore', 'ignore', descriptor],
    timeout: flockMsMax,
  });
  if (status === 0) return descriptor;
  closeSync(descriptor);
  if (status !== flockTaken) return null;
  throw new DatabaseInUseError(
    `The database ${path} is in use by another process, possibly under another path or with its lock file removed. ` +
      'One process uses a file at a time: stop the other one, or give this one a file of its own.',
  );
}

const flockMsMax = 2_000;
/** Exit code of `flock -n` if another process has the lock. 0 means that we have it; any other code, that locking is impossible. */
const flockTaken = 1;
