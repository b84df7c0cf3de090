// Files that survive a power failure, and names that are given only once.

import { closeSync, fsyncSync, linkSync, openSync, renameSync, rmSync } from 'node:fs';

/** Waits until a file, or the names in a directory, are on the disk. */
export function syncFile(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/**
 * Gives a file its final name in the same directory, in place of the one that it has, unless something else is called so.
 *
 * @returns false if the name is taken; the file then keeps the name that it has
 */
export function giveName(file: string, name: string): boolean {
  try {
    linkSync(file, name);
  } catch (error) {
    if (isTaken(error)) return false;
    return takeName(file, name);
  }
  rmSync(file);
  return true;
}

/** Tells whether a file could not be made because there is one already. */
export function isTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EEXIST';
}

/** Gives a name where the file system has no second names: an empty file holds the name until it is replaced. */
function takeName(file: string, name: string): boolean {
  try {
    closeSync(openSync(name, 'wx', 0o600));
  } catch (error) {
    if (isTaken(error)) return false;
    throw error;
  }
  try {
    renameSync(file, name);
  } catch (error) {
    rmSync(name);
    throw error;
  }
  return true;
}
