// The driver of SQLite: better-sqlite3, in the version that fits the runtime. Other files take only its types from the package.

import { createRequire } from 'node:module';
import type Database from 'better-sqlite3';

const load = createRequire(import.meta.url);

/**
 * Version 13 is built for this version of Node-API, which Node has from 22.14 on: with an older one it crashes
 * (https://github.com/WiseLibs/better-sqlite3/issues/1514).
 */
const nodeApiOf13 = 10;

/**
 * From this version of Node on, version 12 must not be used: 24.19 and later abort the process as soon as they collect one of its
 * statements as garbage (measured with 24.21).
 */
const nodeWithout12 = 24;

/** Loads the driver. Throws Error if the only version that fits is not installed. */
function loadDriver(): typeof Database {
  const { napi = '', node } = process.versions;
  const fits12 = Number.parseInt(node, 10) < nodeWithout12;
  // Safe casts: both packages have the interface that `@types/better-sqlite3` describes, as far as it is used here.
  if (Number(napi) < nodeApiOf13) return load('better-sqlite3') as typeof Database;
  try {
    return load('better-sqlite3-13') as typeof Database;
  } catch (error) {
    // An optional package: npm leaves it out where it does not fit, and where nobody has built it.
    if (fits12) return load('better-sqlite3') as typeof Database;
    throw new Error(`Node ${node} needs the package better-sqlite3-13. Install with --include=optional.`, {
      cause: error,
    });
  }
}

/** The class of connections of `better-sqlite3`. */
export const Sqlite = loadDriver();
