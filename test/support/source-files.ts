// The project's own files, for the guards that read them.

import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';

/** The root of the project. */
export const root = resolve(import.meta.dirname, '../..');

/** Lists the files below a folder of the project, without generated ones, as paths relative to the root. */
export function filesBelow(folder: string, ending: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(ending))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((path) => !path.includes('generated'))
    .sort();
}

/** Reads a file of the project. */
export function read(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}
