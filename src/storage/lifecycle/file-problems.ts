// What the system says about a file, in words that name the file that is meant and what to do. Its own messages have a code, and name
// the temporary file that gets its name last.

import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** Why a file in a directory cannot be written, and what to do, by the codes of the system (errno(3)). */
const reasons: Readonly<Record<string, (directory: string) => string>> = {
  ENOENT: (directory) =>
    existsSync(directory)
      ? `no file of this name can be in ${directory}. Name another place.`
      : `the directory ${directory} does not exist. Make it, or name another place.`,
  ENOTDIR: (directory) => `${directory} is not a directory. Name another place.`,
  EACCES: forbidden,
  EPERM: forbidden,
  EROFS: readOnly,
  ENOSPC: full,
  EDQUOT: full,
  ENAMETOOLONG: () => 'its name is too long. Name another place.',
  EEXIST: () => 'there is something else of this name. Name another place.',
};

function forbidden(directory: string): string {
  return `this user may not write into ${directory}. Run the command as a user who may, or name another place.`;
}

function readOnly(directory: string): string {
  return `the disk of ${directory} is read-only. Make it writable, or name another place.`;
}

function full(directory: string): string {
  return `the disk of ${directory} is full, or this user's share of it. Free space, or name another place.`;
}

/**
 * Runs what writes a file, perhaps under another name first.
 *
 * @param file the name that the user knows it by
 * @param systemCodes the system's codes for those of a library that writes the file
 * @throws Error that names the file and what to do, if the system refuses; any other error as it is
 */
export async function writingFile<T>(
  file: string,
  work: () => T | Promise<T>,
  systemCodes: Readonly<Record<string, string>> = {},
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw writingProblem(file, error, systemCodes) ?? error;
  }
}

/** Returns the error of `writingFile` for what the system has said; null for any other error. */
export function writingProblem(
  file: string,
  error: unknown,
  systemCodes: Readonly<Record<string, string>> = {},
): Error | null {
  const code = codeOf(error);
  const reason = reasons[systemCodes[code] ?? code];
  if (reason === undefined) return null;
  return new Error(`${file} cannot be written: ${reason(dirname(resolve(file)))}`, { cause: error });
}

/** Runs what opens a file that is there, or looks for it. Throws Error that names the file and what to do if this user may not. */
export function openingFile<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!['EACCES', 'EPERM'].includes(codeOf(error))) throw error;
    const what = `${file} cannot be opened: this user may not do that. Run this as the user that the server runs as.`;
    throw new Error(what, { cause: error });
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
