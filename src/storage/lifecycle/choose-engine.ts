// Chooses the engine for a database URL. The only file that names the engines.

import type { Engine } from '../engine.ts';
import { createPostgresEngine } from '../postgres/engine.ts';
import { readUrl } from '../postgres/url.ts';
import { createSqliteEngine } from '../sqlite/engine.ts';
import { memoryEngine } from '../sqlite/memory.ts';

/**
 * Creates the engine for a database URL. Opens nothing yet.
 *
 * @throws Error that says what is wrong with the URL without repeating it, because it may hold a password
 */
export function chooseEngine(url: string): Engine {
  if (/^postgres(ql)?:/.test(url)) return createPostgresEngine(readUrl(url));
  if (!url.startsWith('file:') || url === 'file:') throw new Error(expectedInstead(url));
  return createSqliteEngine(url.slice('file:'.length));
}

/** Returns the engine of drafts, whatever the engine of the account: its databases are in memory, and empty when they are opened. */
export function chooseDraftEngine(): typeof memoryEngine {
  return memoryEngine;
}

function expectedInstead(url: string): string {
  if (/^sqlite3?:/i.test(url)) return 'must begin with "file:" instead of "sqlite:", as in file:./data/sallyport.db';
  // Not what may be the address of a server with its password.
  const isPath = !/[@:]/.test(url) && /^~?\.{0,2}\/|\.(db|sqlite3?)$/i.test(url);
  if (isPath) return 'is the path of a file, and must begin with "file:", as in file:/var/lib/sallyport/sallyport.db';
  return 'must name an SQLite file, file:./data/sallyport.db, or a PostgreSQL database, postgresql://host/database';
}
