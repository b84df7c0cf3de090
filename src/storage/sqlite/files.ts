// The files of a database on the disk: private to this user, and identified independently of their names.

import { randomBytes } from 'node:crypto';
import { chmodSync, closeSync, existsSync, mkdirSync, openSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { openingFile, writingProblem } from '../lifecycle/file-problems.ts';

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

/**
 * Resolves links, so that each file has one name. Creates the directory if the file does not exist.
 *
 * @throws Error that names the directory if no database can be there
 */
export function realPathOf(path: string): string {
  refuseOtherThanFile(path);
  if (isThere(path)) return realpathSync(path);
  makeDirectory(resolve(dirname(path)));
  return join(realpathSync(dirname(path)), basename(path));
}

/** Returns whether there is something at a path. Throws Error if this user may not know. */
export function isThere(path: string): boolean {
  return openingFile(path, () => {
    try {
      statSync(path);
      return true;
    } catch (error) {
      if (error instanceof Error && 'code' in error && ['ENOENT', 'ENOTDIR'].includes(String(error.code))) return false;
      throw error;
    }
  });
}

/** Throws Error if there is something else than a file at a path, such as a directory or a device. */
export function refuseOtherThanFile(path: string): void {
  const found = isThere(path) ? statSync(path) : undefined;
  const isDirectory = found?.isDirectory() ?? path.endsWith('/');
  if (!isDirectory && (found === undefined || found.isFile())) return;
  const what = isDirectory ? 'a directory' : 'no file that can hold data';
  throw new Error(
    `${path} is ${what}: the database needs the name of a file, such as file:/var/lib/sallyport/sallyport.db.`,
  );
}

/** Creates a directory with those above it. Node's own way never ends where the system has no such directory, as in /proc (20.20). */
function makeDirectory(directory: string): void {
  const isMade = () => existsSync(directory) && statSync(directory).isDirectory();
  if (isMade()) return;
  if (!existsSync(directory)) makeDirectory(dirname(directory));
  try {
    mkdirSync(directory, { mode: 0o700 });
  } catch (error) {
    // Another process may have been faster.
    if (!isMade()) throw writingProblem(directory, error) ?? error;
  }
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
