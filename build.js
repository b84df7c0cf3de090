// @ts-check
// Builds the programs and the dashboard into `dist`, unless what is there was built from these very files: `npm start` and
// `npm run cli` ask each time. With the argument `models`, it ends once what the compiler needs is generated; with `dashboard`, it
// leaves the programs out. Plain JavaScript, because it also runs where the development tools have been removed.

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundle, programs } from './bundle.js';

process.chdir(import.meta.dirname);

const stampFile = 'dist/.built';
const generated = 'src/storage/generated';
const compiler = 'node_modules/typescript/bin/tsc';
/** The lock file names the versions of the generator, the compiler and the bundler. */
const tools = ['package.json', 'package-lock.json'];

/**
 * Lists the files below a directory, by their paths in it.
 *
 * @param {string} directory
 */
function filesBelow(directory) {
  if (!existsSync(directory)) return [];
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => !statSync(join(directory, name)).isDirectory()).sort();
}

/**
 * Hashes the names and contents of some files, and of all files below a directory.
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

const models = () => hashOf([...tools, 'prisma.config.ts', 'src/storage/models.ts'], 'prisma') + hashOf([], generated);
const sources = () => hashOf([...tools, 'bundle.js', 'tsconfig.json', 'tsconfig.build.json'], 'src');
/** The dashboard knows of the server only the schema, and the sums of the scripts that it tells people to run. */
const dashboard = () => {
  const files = ['codegen.ts', 'index.html', 'vite.config.ts'].map((name) => `dashboard/${name}`);
  return hashOf([...tools, 'schema.graphql', ...files], 'dashboard/src') + hashOf([], 'deploy/ssh');
};

/**
 * Reads what `dist` was built from, and the names of its files; nothing where that is not known, or the
 * stamp was cut off while it was written.
 *
 * @returns {{ models?: string, documents?: string, sources?: string, dashboard?: string, built?: string[] }}
 */
function readStamp() {
  try {
    return JSON.parse(readFileSync(stampFile, 'utf8'));
  } catch {
    return {};
  }
}

/**
 * Runs a program that needs a package, and says something only when it fails. It builds what is shipped, whoever starts it: the tests
 * would get a React that checks itself.
 *
 * @param {string} needed the package's own program
 * @param {string[]} args of Node
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

/** Generates what the compiler needs beside the sources: the clients of the models, and the types of the dashboard's documents. */
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
  // An interrupted build is done again.
  rmSync(stampFile, { force: true });
  const built = await bundle(import.meta.dirname, programs, 'dist');
  const kept = [...built, '.tsbuildinfo', 'dashboard'];
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

async function build() {
  // A copy that has only what was built.
  if (!existsSync('src')) return;
  generate();
  const what = process.argv[2];
  if (what === 'models') return;
  if (what !== 'dashboard') await buildPrograms();
  buildDashboard();
}

try {
  await build();
} catch (error) {
  process.stderr.write(`The build failed. ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
