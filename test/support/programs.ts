// Bundles the programs as they are shipped, from the current sources, so that no test depends on an old build; beside them the
// small programs that tests start.

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { bundle, programs } from '../../bundle.js';
import { filesBelow, root } from './source-files.ts';

/** The bundles of several states of the sources: below `node_modules`, where Node finds the packages that are not bundled. */
const cache = join(root, 'node_modules/.cache/sallyport-programs');
/** How long an unused bundle is kept, in milliseconds: longer than any test run that has started on it. */
const keptMs = 3_600_000;

/** Modules of the fixtures that are not programs: programs and tests use them. */
const noPrograms = ['migrations.ts', 'temporary.ts'];
const smallPrograms = filesBelow('test/storage/fixtures', '.ts').filter((path) => !noPrograms.includes(basename(path)));
/** Runs many commands in one process. */
const commands = 'test/process/commands.ts';
/** The small programs, the commands, and a module that tests load as the server does. */
const besides = {
  ...Object.fromEntries(smallPrograms.map((path) => [basename(path, '.ts'), path])),
  commands,
  open: 'src/storage/lifecycle/open.ts',
};

/** Files that the programs read: migrations, the scripts for hosts, and the configurations of proxies. */
const data = ['prisma', ...['ssh', 'nginx', 'caddy', 'haproxy', 'traefik', 'envoy'].map((name) => `deploy/${name}`)];

/**
 * Bundles the programs, unless that was already done for exactly these sources, and copies the other files that they read beside
 * them.
 *
 * @returns the directory; the programs are `dist/main.js` and `dist/cli.js` in it, with the small ones beside them
 */
export async function bundlePrograms(): Promise<string> {
  const directory = join(cache, hashOfSources());
  mkdirSync(cache, { recursive: true });
  if (!existsSync(directory)) {
    // A test run that starts at the same time finds either all of it or nothing.
    const made = mkdtempSync(join(cache, 'new-'));
    cpSync(join(root, 'package.json'), join(made, 'package.json'));
    for (const path of data) cpSync(join(root, path), join(made, path), { recursive: true });
    // Two bundles, so that the first one is the same as in a build; in one directory, where the second one finds its worker
    // threads.
    await Promise.all([programs, besides].map((some) => bundle(root, some, join(made, 'dist'))));
    buildDashboard(join(made, 'dist'));
    if (existsSync(directory)) rmSync(made, { recursive: true });
    else renameSync(made, directory);
  }
  utimesSync(directory, new Date(), new Date());
  for (const name of readdirSync(cache)) {
    const other = join(cache, name);
    // Another run may have removed it just now.
    const { mtimeMs = Infinity } = lstatSync(other, { throwIfNoEntry: false }) ?? {};
    if (mtimeMs < Date.now() - keptMs) rmSync(other, { recursive: true, force: true });
  }
  return directory;
}

/** Builds the dashboard, unless that was already done for exactly these sources, and puts it beside the programs. */
function buildDashboard(dist: string): void {
  const { status, stderr } = spawnSync(process.execPath, [join(root, 'build.js'), 'dashboard'], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  cpSync(join(root, 'dist/dashboard'), join(dist, 'dashboard'), { recursive: true });
}

/** Copies the bundled programs into another directory, for a test that changes something about them. */
export function copyPrograms(from: string, directory: string): void {
  cpSync(from, directory, { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'));
}

/** Hashes everything that bundles are made of. The lock file contains the versions of the packages. */
function hashOfSources(): string {
  const hash = createHash('sha256');
  const below = ['src', ...data, 'dashboard/src', 'test/storage/fixtures'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .sort(),
  );
  const settings = ['build.js', 'bundle.js', 'schema.graphql', 'package.json', 'package-lock.json'];
  const ofDashboard = ['package.json', 'codegen.ts', 'index.html', 'vite.config.ts'].map((name) => `dashboard/${name}`);
  const single = [...settings, ...ofDashboard, 'test/support/programs.ts', commands];
  for (const path of [...single.map((name) => join(root, name)), ...below]) {
    const content = readFileSync(path);
    hash.update(`${path}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex').slice(0, 16);
}
