// One process per database file. A second one would wait for the first synchronously and migrate under its feet.
import { existsSync, mkdirSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import Database from 'better-sqlite3';

/** The hold on a database file. */
export interface DatabaseLock {
  /** Lets go. The end of the process does so too, whatever ends it. */
  release(): void;
}

/**
 * Takes the sole right to use a database file, which need not exist yet; its directory is made, readable by this user
 * alone. The right is a lock of the operating system on `<path>.lock`, which SQLite takes for us, Node having none of its
 * own: it cannot outlive its process, so no stale one ever has to be removed by hand. The empty file stays: removing it
 * would let two processes lock two files of the same name. Opening and closing it by other means drops the lock (POSIX).
 * @throws Error that names the file when another process, or this one, has it; at once, without waiting.
 */
export function lockDatabase(path: string): DatabaseLock {
  const lockPath = `${realPath(path)}.lock`;
  let database: Database.Database | undefined;
  try {
    database = new Database(lockPath, { timeout: 0 });
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database?.close();
    if (error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY')) {
      throw new Error(
        `The database ${path} is in use by another process (lock file ${lockPath}). ` +
          'One process uses a file at a time: stop the other one, or give this one a file of its own.',
        { cause: error },
      );
    }
    throw new Error(`Cannot lock the database ${path} (lock file ${lockPath}).`, { cause: error });
  }
  return { release: () => database.close() };
}

/** Resolves links, so that one file has one lock whatever it is called by. */
function realPath(path: string): string {
  if (existsSync(path)) return realpathSync(path);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  return join(realpathSync(dirname(path)), basename(path));
}
