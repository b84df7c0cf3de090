// Which version of the program this is.

import { createRequire } from 'node:module';

/** Reads the version from `package.json`, which names itself so that it is found from the sources and from a bundle alike. */
export function readVersion(): string {
  const manifest: unknown = createRequire(import.meta.url)('#package.json');
  const hasVersion = typeof manifest === 'object' && manifest !== null && 'version' in manifest;
  return hasVersion ? String(manifest.version) : 'unknown';
}
