// @ts-check
// Removes from node_modules what the built programs never load: `npm run slim` runs it after removing the development tools. Most
// packages are bundled into the programs (`bundle.js`). Their licences stay, because they must accompany all copies.

import { readdirSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { packagesOutside } from '../bundle.js';

process.chdir(join(import.meta.dirname, '..'));

/** Includes the packages with which `better-sqlite3` finds its binary. The other dependencies are only needed for installation. */
const loaded = [...packagesOutside, 'bindings', 'file-uri-to-path'];
const inLoaded = new RegExp(`^node_modules/(${loaded.join('|')})/`);

/** A few packages have their licence in the README. */
const licence = /\/(package\.json|[^/]*(licen[cs]e|notice|copying|copyright|readme)[^/]*)$/i;

/** Parts of loaded packages that are never loaded. */
const unused = [
  // Declarations and source maps: only compilers and debuggers read them.
  /\.(d\.[cm]?ts|map)$/,
  // The sources of SQLite, build leftovers, an extension for tests, and the binaries of other machines.
  /better-sqlite3(-13)?\/(deps|src|build\/(?!Release\/better_sqlite3\.node$))/,
  new RegExp(`better-sqlite3-13/prebuilds/(?!${process.platform}(musl)?-${process.arch}\\.node$)`),
  // Second copies, for the module system that this program does not use.
  /@graphql-yoga\/render-graphiql\/cjs\//,
  /swagger-ui-dist\/swagger-ui-es-bundle/,
];

/**
 * Removes the files below a directory that are neither loaded nor a licence, and then empty directories.
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
