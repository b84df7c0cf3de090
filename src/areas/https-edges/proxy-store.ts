// The configurations of proxies, as the package has them.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type GateProxy, templatePaths } from '../../domain/gate/proxy-configuration.ts';
import { packageDirectory } from '../../storage/package.ts';

// They do not change while the program runs.
const kept = new Map<string, string>();

/** Reads what the configuration of a proxy is made of, by its path. Rejects as `readFile` does: a package without it is broken. */
export async function readTemplates(proxy: GateProxy): Promise<ReadonlyMap<string, string>> {
  for (const path of templatePaths(proxy)) {
    if (!kept.has(path)) kept.set(path, await readFile(join(packageDirectory, 'deploy', path), 'utf8'));
  }
  return kept;
}
