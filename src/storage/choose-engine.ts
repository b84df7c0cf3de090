// Which engine a database URL asks for. The only file that names the engines.

import type { Engine } from './engine.ts';
import { createPostgresEngine } from './postgres/engine.ts';
import { readUrl } from './postgres/url.ts';
import { createSqliteEngine } from './sqlite/engine.ts';

/**
 * Makes the engine that a database URL asks for. Nothing is opened yet.
 *
 * @throws Error that says what is wrong with the URL and never repeats it: it may hold a password
 */
export function chooseEngine(url: string): Engine {
  if (/^postgres(ql)?:/.test(url)) return createPostgresEngine(readUrl(url));
  if (!url.startsWith('file:') || url === 'file:') {
    throw new Error(
      'must name an SQLite file, file:./data/sallyport.db, or a PostgreSQL database, postgresql://host/database',
    );
  }
  return createSqliteEngine(url.slice('file:'.length));
}
