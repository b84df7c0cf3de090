// The version of the program, and the commit that it was built from.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** `package.json`, through its own subpath import: that works both from the sources and from a bundle. */
const manifestName = '#package.json';

/** Reads the version from `package.json`. */
export function readVersion(): string {
  const manifest: unknown = createRequire(import.meta.url)(manifestName);
  const hasVersion = typeof manifest === 'object' && manifest !== null && 'version' in manifest;
  return hasVersion ? String(manifest.version) : 'unknown';
}

/**
 * Reads the commit that the programs were built from, as `build.js` noted it: 40 hexadecimal digits, followed by `-dirty` if files
 * differed from it. Null if the build was not made from a git repository.
 */
export function readCommit(): string | null {
  const directory = dirname(createRequire(import.meta.url).resolve(manifestName));
  try {
    return readFileSync(join(directory, 'dist', 'commit'), 'utf8').trim() || null;
  } catch {
    return null;
  }
}
