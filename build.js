// @ts-check
// Builds the programs into `dist`, unless what is there was built from these very files: `npm start` and `npm run cli` ask
// each time. With the argument `models`, it ends once the clients of the models are generated. Plain JavaScript, because it
// also runs where the development tools have been removed.

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

/**
 * Reads what `dist` was built from, and the names of its files; nothing where that is not known, or the
 * stamp was cut off while it was written.
 *
 * @returns {{ models?: string, sources?: string, built?: string[] }}
 */
function readStamp() {
  try {
    return JSON.parse(readFileSync(stampFile, 'utf8'));
  } catch {
    return {};
  }
}

/**
 * Runs a program that needs a package, and says something only when it fails.
 *
 * @param {string} needed the package's own program
 * @param {string} script
 * @param {string[]} args
 */
function run(needed, script, ...args) {
  if (!existsSync(needed)) {
    throw new Error(`${needed} is missing, and the sources have changed since the last build. Run "npm ci" first.`);
  }
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args]);
  if (status !== 0) throw new Error(`${script} ended with ${status}:\n${stdout}${stderr}`);
}

async function build() {
  // A copy that has only what was built.
  if (!existsSync('src')) return;
  const stamp = readStamp();
  if (stamp.models !== models()) {
    run('node_modules/prisma/build/index.js', 'prisma/generate.js');
    mkdirSync('dist', { recursive: true });
    writeFileSync(stampFile, JSON.stringify({ models: models() }));
  }
  if (process.argv[2] === 'models') return;
  if (stamp.sources === sources() && stamp.built?.every((name) => existsSync(join('dist', name)))) return;
  run(compiler, compiler, '-p', 'tsconfig.build.json');
  // An interrupted build is done again.
  rmSync(stampFile, { force: true });
  const built = await bundle(import.meta.dirname, programs, 'dist');
  const kept = [...built, '.tsbuildinfo'];
  for (const name of readdirSync('dist')) if (!kept.includes(name)) rmSync(join('dist', name), { recursive: true });
  writeFileSync(stampFile, JSON.stringify({ models: models(), sources: sources(), built }));
}

try {
  await build();
} catch (error) {
  process.stderr.write(`The build failed. ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
