// The files of a database on the disk: this user's alone, and told apart whatever their names.

import { randomBytes } from 'node:crypto';
import { chmodSync, closeSync, existsSync, mkdirSync, openSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

/** Endings of the files in which SQLite keeps the last changes of a database until they are in it. */
export const sidecars = ['-wal', '-journal'];
/** Endings of the files that SQLite keeps beside a database, and of those that this program keeps there. */
const endings = ['', ...sidecars, '-shm', '.lock', '.lock-journal', '.key', '.key.new'];

/** Paths of the files that SQLite may keep beside a database. */
export function besides(path: string): string[] {
  return [...sidecars, '-shm'].map((ending) => `${path}${ending}`);
}

/** Names a file in the same directory, which can therefore be renamed to the other in one step. */
export function temporaryNeighbour(path: string): string {
  return join(dirname(resolve(path)), `.${basename(path)}.${randomBytes(6).toString('hex')}.part`);
}

/** Path of the file with the secret key of a database, where no variable gives it. */
export function keyFileOf(path: string): string {
  return `${path}.key`;
}

/** Path of the file by which a process keeps others off a database. */
export function lockFileOf(path: string): string {
  return `${realPathOf(path)}.lock`;
}

/** Resolves links, so that one file has one name whatever it is called by. Makes the directory of a file that is not there. */
export function realPathOf(path: string): string {
  if (existsSync(path)) return realpathSync(path);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  return join(realpathSync(dirname(path)), basename(path));
}

/**
 * Makes an empty file that only this user may read, unless there is a file. What SQLite makes beside a database gets the mode
 * of the database; left to itself, SQLite would let everybody read it.
 */
export function makePrivateFile(path: string): void {
  // Not opened when it exists: closing a file drops all locks that this process has on it (POSIX).
  if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600));
}

/**
 * Takes the files of a database from all other users, as earlier versions left them readable.
 * @returns the paths of those that others could use. A file that cannot be changed is left as it is; `doctor` names it.
 */
export function makeFilesPrivate(path: string): string[] {
  const paths = [...new Set([path, realPathOf(path)])].flatMap((name) => endings.map((ending) => `${name}${ending}`));
  return paths.filter((file) => {
    try {
      if ((statSync(file).mode & 0o077) === 0) return false;
      chmodSync(file, 0o600);
      return true;
    } catch {
      return false;
    }
  });
}

/** Tells files apart by where they are on the disk; null for one that cannot be found. */
export function identityOf(path: string): string | null {
  try {
    const { dev, ino } = statSync(path, { bigint: true });
    return `${dev} ${ino}`;
  } catch {
    return null;
  }
}
