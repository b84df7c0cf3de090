// Chooses the engine for a database URL. The only file that names the engines.

import type { Engine } from './engine.ts';
import { createPostgresEngine } from './postgres/engine.ts';
import { readUrl } from './postgres/url.ts';
import { createSqliteEngine } from './sqlite/engine.ts';

/**
 * Creates the engine for a database URL. Opens nothing yet.
 *
 * @throws Error that says what is wrong with the URL without repeating it, because it may hold a password
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
