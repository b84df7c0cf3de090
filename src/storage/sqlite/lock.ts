// One process per database file. A second one would wait for the first synchronously and migrate under its feet.
import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import Database from 'better-sqlite3';
import { DatabaseInUseError, type Hold } from '../engine.ts';
import { lockFileOf, makePrivateFile, realPathOf } from './files.ts';

/**
 * Takes the sole right to use a database file; its directory is made, readable by this user alone. The right is two locks
 * of the operating system, which cannot outlive their process, so that no stale one ever has to be removed by hand:
 * - One on `<path>.lock`, which SQLite takes for us. It holds before there is a database, and on every system. The empty file
 *   stays: removing it would let two processes lock two files of the same name. Opening and closing it by other means drops
 *   the lock (POSIX).
 * - One on the database file itself, by `flock(2)`, which SQLite does not use: so it disturbs nobody who only visits. It holds
 *   whatever the file is called, and nobody can remove it.
 * @param make makes the database file, empty, if it does not exist
 * @throws DatabaseInUseError that names the file when another process, or this one, has it; at once, without waiting.
 */
export function lockDatabase(path: string, { make = false } = {}): Hold {
  const realPath = realPathOf(path);
  const file = lockFileOf(path);
  let database: Database.Database | undefined;
  let descriptor: number | null;
  try {
    makePrivateFile(file);
    database = new Database(file, { timeout: 0 });
    database.exec('BEGIN EXCLUSIVE');
    if (make) makePrivateFile(realPath);
    descriptor = lockFileItself(realPath, path);
  } catch (error) {
    database?.close();
    if (error instanceof DatabaseInUseError) throw error;
    if (error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY')) {
      throw new DatabaseInUseError(
        `The database ${path} is in use by another process (lock file ${file}). ` +
          'One process uses a file at a time: stop the other one, or give this one a file of its own.',
        { cause: error },
      );
    }
    throw new Error(`Cannot lock the database ${path} (lock file ${file}).`, { cause: error });
  }
  let held = true;
  return {
    weakness:
      descriptor === null
        ? 'the program flock is missing or has no effect here: only the lock file keeps a second server out'
        : null,
    release() {
      if (!held) return;
      held = false;
      if (descriptor !== null) closeSync(descriptor);
      database.close();
    },
  };
}

/**
 * Locks a file by `flock(2)`. Node has no such call, so the program `flock`, which Linux systems have, does it on a descriptor
 * of ours: the lock belongs to what the two share, and stays with us when the program has ended.
 * @returns the descriptor to close; null when there is no file, or the lock cannot be had on this system
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
/** What `flock -n` ends with when another process has the lock; 0 when we have it, and else it cannot be had. */
const flockTaken = 1;
