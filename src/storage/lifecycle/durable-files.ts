// Files that survive a power failure, and file names that are never given twice.

import { closeSync, fsyncSync, linkSync, openSync, renameSync, rmSync } from 'node:fs';

/** Waits until a file, or the entries of a directory, are on the disk. */
export function syncFile(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/**
 * Renames a file to its final name in the same directory, unless that name is taken.
 *
 * @returns false if the name is taken; the file then keeps its old name
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

/** Returns whether a file could not be created because it already exists. */
export function isTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EEXIST';
}

/** Renames a file on a file system without hard links: an empty file reserves the name until it is replaced. */
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
