// Directories as they are packed: nothing of the machine that packs them shows in their modes and times.

import { chmodSync, copyFileSync, lstatSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** What all files of a release are made for. */
export interface Release {
  readonly version: string;
  /** 40 hexadecimal digits, followed by `-dirty` if files differ from the commit; null if there is no repository. */
  readonly commit: string | null;
  /** The time of all files, in seconds since 1970: that of the commit. */
  readonly epoch: number;
  /** The directory of the files. */
  readonly to: string;
}

/** Lists the files below a directory as relative paths, in the same order everywhere. Symbolic links count as files. */
export function filesOf(directory: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((name) => !lstatSync(join(directory, name)).isDirectory())
    .sort();
}

/** Writes a file, and the directories of its path. */
export function writeInto(directory: string, path: string, content: string): void {
  mkdirSync(dirname(join(directory, path)), { recursive: true });
  writeFileSync(join(directory, path), content);
}

/** Copies a file, or the files below a directory that `wanted` accepts by their relative paths. */
export function copyInto(directory: string, path: string, from: string, wanted = (_path: string) => true): void {
  const names = lstatSync(from).isDirectory() ? filesOf(from).filter(wanted) : [''];
  for (const name of names) {
    const to = join(directory, path, name);
    mkdirSync(dirname(to), { recursive: true });
    copyFileSync(join(from, name), to);
  }
}

/**
 * Gives all files of a directory their modes and the time of the release.
 *
 * @param isProgram tells by its relative path whether a file may be executed
 */
export function settle(directory: string, epoch: number, isProgram: (path: string) => boolean): void {
  for (const name of ['', ...readdirSync(directory, { recursive: true, encoding: 'utf8' })]) {
    const path = join(directory, name);
    const entry = lstatSync(path);
    if (entry.isSymbolicLink()) continue;
    chmodSync(path, entry.isDirectory() || isProgram(name) ? 0o755 : 0o644);
    utimesSync(path, epoch, epoch);
  }
}
