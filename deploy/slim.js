// @ts-check
// Removes from node_modules what the built program never loads: `npm run slim` runs it after removing the development tools.
// It looks at `dist`, so build first.

import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

process.chdir(join(import.meta.dirname, '..'));

/**
 * Lists the files below a directory.
 *
 * @param {string} directory
 * @returns {string[]}
 */
function filesBelow(directory) {
  if (!existsSync(directory)) return [];
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name);
    return entry.isDirectory() ? filesBelow(path) : [path];
  });
}

/** The query compilers that the program loads: Prisma ships one for each database, twice, as two kinds of modules. */
function usedCompilers() {
  const clients = filesBelow('dist/storage/generated').filter((path) => path.endsWith('.js'));
  return new Set(clients.flatMap((path) => readFileSync(path, 'utf8').match(/query_compiler_[\w.-]+\.mjs/g) ?? []));
}

const compilers = usedCompilers();
if (compilers.size === 0) {
  process.stderr.write('There is no built program in dist: run "npm run build" first.\n');
  process.exit(1);
}

/** @type {((path: string) => boolean)[]} */
const unused = [
  // Declarations and source maps of packages: only compilers and debuggers read them.
  (path) => /\.(d\.[cm]?ts|map)$/.test(path),
  (path) =>
    /@prisma\/client\/runtime\/query_compiler_/.test(path) && ![...compilers].some((name) => path.endsWith(name)),
  (path) => path.includes('@prisma/client/runtime/wasm-compiler-edge'),
  // The sources of SQLite, what is left of compiling them, and an extension for tests.
  (path) => /better-sqlite3\/(deps|src|build)\//.test(path) && !path.endsWith('build/Release/better_sqlite3.node'),
  // Second copies, in the module system that this program does not use.
  (path) => path.includes('@graphql-yoga/render-graphiql/cjs/'),
  (path) => path.includes('swagger-ui-dist/swagger-ui-es-bundle'),
];

for (const path of filesBelow('node_modules')) {
  if (unused.some((matches) => matches(path))) rmSync(path);
}
