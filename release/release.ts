// Makes the files of a release, and publishes nothing: `npm run release -- [--dry-run] [--to DIRECTORY] [--key FILE]`. The same
// commit, packages and Node make the same bytes. docs/verify-a-release.md is for those who get the files.

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { buildDebianOfScripts, buildDebianOfServer } from './debian.ts';
import { readInside, writeSbom } from './inside.ts';
import { buildNpmPackage } from './npm.ts';
import { sign, writeChecksums, writeProvenance } from './statements.ts';
import type { Release } from './tree.ts';

const root = resolve(import.meta.dirname, '..');
process.chdir(root);

const { values: options } = parseArgs({
  options: {
    'dry-run': { type: 'boolean', default: false },
    to: { type: 'string', default: 'released' },
    key: { type: 'string' },
  },
});

/** Prints one line about what was made, or left out. */
const say = (line: string) => process.stdout.write(`${line}\n`);

/** Ends a release that would not be whole; a dry run goes on, and says what it left out. */
function lacks(what: string): void {
  if (!options['dry-run']) throw new Error(`${what} With --dry-run, the other files are made.`);
  say(what);
}

/** Asks git; null without a repository of this directory. */
function git(...args: string[]): string | null {
  const { status, stdout } = spawnSync('git', ['--git-dir=.git', '--work-tree=.', ...args], { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : null;
}

/** Reads the time of the commit. A copy without a repository must be told one (https://reproducible-builds.org/specs/source-date-epoch/). */
function readEpoch(): number {
  const epoch = Number(process.env.SOURCE_DATE_EPOCH ?? git('log', '-1', '--format=%ct') ?? Number.NaN);
  if (!Number.isSafeInteger(epoch)) throw new Error('Set SOURCE_DATE_EPOCH: there is no commit here that has a time.');
  return epoch;
}

function make(): void {
  execFileSync(process.execPath, ['build.js'], { stdio: ['ignore', 'ignore', 'inherit'] });
  const { version }: { version: string } = JSON.parse(readFileSync('package.json', 'utf8'));
  const commit = readFileSync('dist/commit', 'utf8').trim() || null;
  const release: Release = { version, commit, epoch: readEpoch(), to: resolve(options.to) };
  if (commit === null || commit.endsWith('-dirty'))
    lacks(`The files differ from every commit (${commit ?? 'unknown'}).`);
  if (git('tag', '--points-at', 'HEAD', `v${version}`) !== `v${version}`) lacks(`The commit has no tag v${version}.`);

  rmSync(release.to, { recursive: true, force: true });
  mkdirSync(release.to, { recursive: true });
  const staging = mkdtempSync(join(tmpdir(), 'sallyport-release-'));
  try {
    const inside = readInside();
    buildNpmPackage(release, inside, join(staging, 'npm'));
    if (spawnSync('dpkg-deb', ['--version']).error === undefined) {
      buildDebianOfServer(release, inside, join(staging, 'server'));
      buildDebianOfScripts(release, join(staging, 'scripts'));
    } else {
      lacks('The packages for Debian are left out: there is no dpkg-deb.');
    }
    writeSbom(release, inside);
    writeProvenance(release);
    writeChecksums(release);
    if (options.key === undefined) lacks('Nothing is signed: no --key was given.');
    else sign(release, options.key);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
  say(readFileSync(join(release.to, 'SHA256SUMS'), 'utf8').trimEnd());
}

try {
  make();
} catch (error) {
  process.stderr.write(`There is no release. ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
