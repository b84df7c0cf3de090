// Which version of the program this is.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Reads the version from `package.json`, which is two levels above this file both as source and as built. */
export function readVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'));
  const hasVersion = typeof manifest === 'object' && manifest !== null && 'version' in manifest;
  return hasVersion ? String(manifest.version) : 'unknown';
}
