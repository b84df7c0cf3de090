// @ts-check
// Builds the programs, the dashboard and the guide into `dist`, unless they were already built from exactly these files: `npm start` and
// `npm run cli` run this each time. With the argument `models`, it stops after generating what the compiler needs; with
// `dashboard`, it skips the programs. Plain JavaScript, because it also runs where the development tools have been removed.

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundle, programs } from './bundle.js';

process.chdir(import.meta.dirname);

const stampFile = 'dist/.built';
const generated = 'src/storage/generated';
const compiler = 'node_modules/typescript-native/bin/tsc';
/** The lock file contains the versions of the generator, the compiler and the bundler. */
const tools = ['package.json', 'package-lock.json'];

/**
 * Lists the files below a directory, as relative paths.
 *
 * @param {string} directory
 */
function filesBelow(directory) {
  if (!existsSync(directory)) return [];
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => !statSync(join(directory, name)).isDirectory()).sort();
}

/**
 * Hashes the names and contents of the given files and of all files below a directory.
 *
 * @param {readonly string[]} files
 * @param {string} directory
 */
function hashOf(files, directory) {
  const hash = createHash('sha256');
  for (const file of [...files, ...filesBelow(directory).map((name) => join(directory, name))]) {
    const content = readFileSync(file);
    hash.update(`${file}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}

const models = () =>
  hashOf([...tools, 'prisma.config.ts', 'src/storage/sql/models.ts'], 'prisma') + hashOf([], generated);
const sources = () => hashOf([...tools, 'bundle.js', 'tsconfig.json', 'tsconfig.build.json'], 'src');
/** Of the server, the dashboard depends only on the schema, and on the checksums of the scripts that it tells people to run. */
const dashboard = () => {
  const files = ['codegen.ts', 'index.html', 'vite.config.ts'].map((name) => `dashboard/${name}`);
  return hashOf([...tools, 'schema.graphql', ...files], 'dashboard/src') + hashOf([], 'deploy/ssh');
};

/** The guide has the frame of the server's other pages. */
const guide = () => hashOf([...tools, 'src/surfaces/kit/document.ts', 'src/surfaces/kit/html.ts'], 'docs');

/**
 * Reads what `dist` was built from, and the names of its files. Returns an empty object if that is unknown, or the stamp was cut
 * off while being written.
 *
 * @returns {{ models?: string, documents?: string, sources?: string, dashboard?: string, guide?: string, built?: string[] }}
 */
function readStamp() {
  try {
    return JSON.parse(readFileSync(stampFile, 'utf8'));
  } catch {
    return {};
  }
}

/**
 * Runs a program that needs a package, silently unless it fails. Always builds for production: started by the tests, it would
 * otherwise bundle React's development build.
 *
 * @param {string} needed the package's own program
 * @param {string[]} args arguments of Node
 */
function run(needed, ...args) {
  if (!existsSync(needed)) {
    throw new Error(`${needed} is missing, and the sources have changed since the last build. Run "npm ci" first.`);
  }
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    env: { ...process.env, NODE_ENV: 'production' },
  });
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}:\n${stdout}${stderr}`);
}

/** Generates what the compiler needs besides the sources: Prisma's clients, and the types of the dashboard's documents. */
function generate() {
  const stamp = readStamp();
  const isNew = stamp.models !== models();
  if (isNew) run('node_modules/prisma/build/index.js', 'prisma/generate.js');
  if (isNew || stamp.documents !== dashboard()) {
    const codegen = 'node_modules/@graphql-codegen/cli/esm/bin.js';
    run(codegen, '--import', 'tsx', codegen, '--config', 'dashboard/codegen.ts');
    mkdirSync('dist', { recursive: true });
    writeFileSync(stampFile, JSON.stringify({ ...stamp, models: models(), documents: dashboard() }));
  }
}

/** Builds the programs. */
async function buildPrograms() {
  const stamp = readStamp();
  if (stamp.sources === sources() && stamp.built?.every((name) => existsSync(join('dist', name)))) return;
  run(compiler, compiler, '-p', 'tsconfig.build.json');
  // Without the stamp, an interrupted build is repeated.
  rmSync(stampFile, { force: true });
  const built = await bundle(import.meta.dirname, programs, 'dist');
  const kept = [...built, '.tsbuildinfo', 'commit', 'dashboard', 'guide'];
  for (const name of readdirSync('dist')) if (!kept.includes(name)) rmSync(join('dist', name), { recursive: true });
  writeFileSync(stampFile, JSON.stringify({ ...stamp, sources: sources(), built }));
}

/** Builds the dashboard. */
function buildDashboard() {
  const stamp = readStamp();
  if (stamp.dashboard === dashboard() && existsSync('dist/dashboard/index.html')) return;
  run('node_modules/vite/bin/vite.js', 'node_modules/vite/bin/vite.js', 'build', 'dashboard');
  writeFileSync(stampFile, JSON.stringify({ ...stamp, dashboard: dashboard() }));
}

/** Renders the guide. */
function buildGuide() {
  const stamp = readStamp();
  if (stamp.guide === guide() && existsSync('dist/guide/index.html')) return;
  run('node_modules/tsx/package.json', '--import', 'tsx', 'docs/guide/build.ts');
  writeFileSync(stampFile, JSON.stringify({ ...stamp, guide: guide() }));
}

/**
 * Notes the commit for `--version` and `/healthz` (`src/telemetry/version.ts`). A build without a repository, such as that of an
 * image, is told it in the variable COMMIT; if not, nobody can say what it was made from.
 */
function noteCommit() {
  // Only this directory's own repository: an unpacked archive may lie in somebody else's.
  const described = existsSync('.git')
    ? spawnSync('git', ['describe', '--always', '--dirty', '--abbrev=40', '--exclude=*'], { encoding: 'utf8' })
    : null;
  const commit = described?.status === 0 ? described.stdout.trim() : (process.env.COMMIT ?? '');
  const noted = existsSync('dist/commit') ? readFileSync('dist/commit', 'utf8') : null;
  // Not written again, because a program that starts at the same time could read half of it.
  if (noted !== `${commit}\n`) writeFileSync('dist/commit', `${commit}\n`);
}

async function build() {
  // An installation with only the built files has nothing to build.
  if (!existsSync('src')) return;
  generate();
  const what = process.argv[2];
  if (what === 'models') return;
  if (what !== 'dashboard') await buildPrograms();
  buildDashboard();
  buildGuide();
  noteCommit();
}

try {
  await build();
} catch (error) {
  process.stderr.write(`The build failed. ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
