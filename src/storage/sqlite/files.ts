// The files of a database on the disk: private to this user, and identified independently of their names.

import { randomBytes } from 'node:crypto';
import { chmodSync, closeSync, existsSync, mkdirSync, openSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

/** Suffixes of the files in which SQLite keeps recent changes until they are in the database. */
export const sidecars = ['-wal', '-journal'];
/** Suffixes of the files that SQLite and this program keep beside a database. */
const endings = ['', ...sidecars, '-shm', '.lock', '.lock-journal', '.key', '.key.new'];

/** Returns the paths of the files that SQLite may keep beside a database. */
export function besides(path: string): string[] {
  return [...sidecars, '-shm'].map((ending) => `${path}${ending}`);
}

/** Returns a new name in the same directory, so that the file can be renamed to `path` atomically. */
export function temporaryNeighbour(path: string): string {
  return join(dirname(resolve(path)), `.${basename(path)}.${randomBytes(6).toString('hex')}.part`);
}

/** Returns the path of the key file of a database, used if no variable sets the secret key. */
export function keyFileOf(path: string): string {
  return `${path}.key`;
}

/** Returns the path of the file by which a process locks a database. */
export function lockFileOf(path: string): string {
  return `${realPathOf(path)}.lock`;
}

/** Resolves links, so that each file has one name. Creates the directory if the file does not exist. */
export function realPathOf(path: string): string {
  if (existsSync(path)) return realpathSync(path);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  return join(realpathSync(dirname(path)), basename(path));
}

/**
 * Creates an empty file that only this user may read, unless the file exists. SQLite gives the files beside a database the mode of
 * the database; if SQLite created the database itself, everybody could read it.
 */
export function makePrivateFile(path: string): void {
  // An existing file is not opened: closing it would drop all locks that this process has on it (POSIX).
  if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600));
}

/**
 * Makes the files of a database private to this user: earlier versions left them readable.
 * @returns the paths of the files that others could access. A file that cannot be changed is left as it is; `doctor` reports it.
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

/** Returns the identity of a file on the disk, its device and inode; null if it cannot be found. */
export function identityOf(path: string): string | null {
  try {
    const { dev, ino } = statSync(path, { bigint: true });
    return `${dev} ${ino}`;
  } catch {
    return null;
  }
}
