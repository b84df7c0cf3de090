// Installs what only the peers need, when they are requested: none of it is a dependency of the project.

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The oldest Node that PostGraphile 5 runs on. */
const oldestNode = 22;

/** The peers that are installed. */
export interface InstalledPeers {
  /** The Node that runs PostGraphile: this one if it is new enough. */
  readonly node: string;
  /** The installed versions, in a few words each. */
  readonly versions: readonly string[];
}

/**
 * Installs the versions in the lock file beside this file, unless that has been done.
 *
 * @throws Error if the packages are not available, or there is no such Node for this machine
 */
export function installPeers(): InstalledPeers {
  const { dirname } = import.meta;
  // npm writes it last.
  const done = join(dirname, 'node_modules/.package-lock.json');
  const isDone = existsSync(done) && statSync(done).mtimeMs >= statSync(join(dirname, 'package-lock.json')).mtimeMs;
  if (!isDone) {
    const { status, error } = spawnSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: dirname, stdio: 'inherit' });
    if (status !== 0) throw new Error(`npm ci in bench/peers ended with ${status ?? error?.message}.`);
  }
  const node = findNode(dirname);
  const { version } = JSON.parse(readFileSync(join(dirname, 'node_modules/postgraphile/package.json'), 'utf8'));
  const nodeVersion = spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim();
  return { node, versions: [`postgraphile ${version}`, `on Node ${nodeVersion}`] };
}

function findNode(directory: string): string {
  if (Number.parseInt(process.versions.node, 10) >= oldestNode) return process.execPath;
  const node = join(directory, `node_modules/node-${process.platform}-${process.arch}/bin/node`);
  if (!existsSync(node)) throw new Error(`PostGraphile needs Node ${oldestNode}: run the benchmark with that.`);
  return node;
}
