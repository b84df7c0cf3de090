// @ts-check
// Removes from node_modules what the built programs never load: `npm run slim` runs it after removing the development tools. Most
// packages are part of the programs (`bundle.js`); of these the licences stay, which must be where copies of them are.

import { readdirSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { packagesOutside } from '../bundle.js';

process.chdir(join(import.meta.dirname, '..'));

/** Beside them what `better-sqlite3` finds its binary with. The rest of what they ask for is for installing them. */
const loaded = [...packagesOutside, 'bindings', 'file-uri-to-path'];
const inLoaded = new RegExp(`^node_modules/(${loaded.join('|')})/`);

/** A few packages have theirs in their README. */
const licence = /\/(package\.json|[^/]*(licen[cs]e|notice|copying|copyright|readme)[^/]*)$/i;

/** Parts of loaded packages that are not. */
const unused = [
  // Declarations and source maps: only compilers and debuggers read them.
  /\.(d\.[cm]?ts|map)$/,
  // The sources of SQLite, what is left of compiling them, and an extension for tests.
  /better-sqlite3\/(deps|src|build\/(?!Release\/better_sqlite3\.node$))/,
  // Second copies, in the module system that this program does not use.
  /@graphql-yoga\/render-graphiql\/cjs\//,
  /swagger-ui-dist\/swagger-ui-es-bundle/,
];

/**
 * Removes the files below a directory that are neither loaded nor a licence, and directories that are empty then.
 *
 * @param {string} directory
 */
function slim(directory) {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = `${directory}/${entry.name}`;
    if (entry.isDirectory()) slim(path);
    else if (!licence.test(path) && (!inLoaded.test(path) || unused.some((part) => part.test(path)))) rmSync(path);
  }
  if (readdirSync(directory).length === 0) rmdirSync(directory);
}

slim('node_modules');
