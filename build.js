// @ts-check
// Builds the program into `dist`, unless what is there was built from these very files: `npm start` and `npm run cli` ask
// each time. Plain JavaScript, because it also runs where the development tools have been removed.

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';

process.chdir(import.meta.dirname);

const stampFile = 'dist/.built';
const generated = 'src/storage/generated';
/** The lock file names the versions of the generator and the compiler. */
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

const models = () => hashOf([...tools, 'prisma.config.ts'], 'prisma') + hashOf([], generated);
const sources = () => hashOf([...tools, 'tsconfig.json', 'tsconfig.build.json'], 'src');

/**
 * Reads what `dist` was built from; nothing where that is not known, or the stamp was cut off while it was written.
 *
 * @returns {{ models?: string, sources?: string }}
 */
function readStamp() {
  try {
    return JSON.parse(readFileSync(stampFile, 'utf8'));
  } catch {
    return {};
  }
}

/**
 * Runs the program of a package, which says something only when it fails.
 *
 * @param {string} script
 * @param {string[]} args
 */
function run(script, ...args) {
  const path = join('node_modules', script);
  if (!existsSync(path)) {
    throw new Error(`${path} is missing, and the sources have changed since the last build. Run "npm ci" first.`);
  }
  // Prisma looks for its generators there.
  const PATH = `${resolve('node_modules/.bin')}${delimiter}${process.env.PATH}`;
  const { status, stdout, stderr } = spawnSync(process.execPath, [path, ...args], { env: { ...process.env, PATH } });
  if (status !== 0) throw new Error(`${path} ended with ${status}:\n${stdout}${stderr}`);
}

function build() {
  // A copy that has only what was built.
  if (!existsSync('src')) return;
  const stamp = readStamp();
  if (stamp.models !== models()) run('prisma/build/index.js', 'generate');
  const names = filesBelow('src').flatMap((name) => (name.endsWith('.ts') ? [name.replace(/ts$/, 'js')] : []));
  const missing = names.filter((name) => !existsSync(join('dist', name)));
  if (stamp.sources === sources() && missing.length === 0) return;
  // The compiler believes that all it once wrote is still there, and leaves the files of deleted sources alone.
  if (missing.length > 0) rmSync('dist/.tsbuildinfo', { force: true });
  run('typescript/bin/tsc', '-p', 'tsconfig.build.json');
  const orphans = filesBelow('dist').filter((name) => name.endsWith('.js') && !names.includes(name));
  for (const orphan of orphans) rmSync(join('dist', orphan));
  // Last, so that an interrupted build is done again.
  writeFileSync(stampFile, JSON.stringify({ models: models(), sources: sources() }));
}

try {
  build();
} catch (error) {
  process.stderr.write(`The build failed. ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
