// Reads the configuration templates of proxies from the package.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type GateProxy, templatePaths } from '../../domain/gate/proxy-configuration.ts';
import { packageDirectory } from '../../storage/lifecycle/package.ts';

// Cached for good, because templates do not change while the program runs.
const kept = new Map<string, string>();

/** Reads the configuration templates of a proxy, by path. Rejects as `readFile` does: a package without them is broken. */
export async function readTemplates(proxy: GateProxy): Promise<ReadonlyMap<string, string>> {
  for (const path of templatePaths(proxy)) {
    if (!kept.has(path)) kept.set(path, await readFile(join(packageDirectory, 'deploy', path), 'utf8'));
  }
  return kept;
}
