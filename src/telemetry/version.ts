// The version of the program.

import { createRequire } from 'node:module';

/** Reads the version from `package.json`, through its own subpath import: that works both from the sources and from a bundle. */
export function readVersion(): string {
  const manifest: unknown = createRequire(import.meta.url)('#package.json');
  const hasVersion = typeof manifest === 'object' && manifest !== null && 'version' in manifest;
  return hasVersion ? String(manifest.version) : 'unknown';
}
