// The names of statements, by which connections keep them, and their texts with values.

import type { SqlQuery } from '@prisma/driver-adapter-utils';
import { LRUCache } from 'lru-cache';

/**
 * Maximum number of statements that have a name. A service has some hundred. One connection may have each of them under three
 * names: sent alone, and in a pipeline with and without having to find a row (`#sendPipeline`).
 */
const namedMax = 1_000;
/** Characters of all statements that are remembered as sent once. */
const onceCharactersMax = 2_000_000;
/** Longest statement that is prepared, in characters. */
const namedCharactersMax = 10_000;
/**
 * Most values of a statement that is prepared. The plan of one that is prepared no longer knows its values, so that it compares each
 * row with each of a long list: 512 ids took 600 ms among 40,000 rows that the statistics did not know of yet (measured), where the
 * plan for the values takes 6 ms.
 */
const namedValuesMax = 100;

/**
 * Returns the name of a statement that is sent again, so that the server parses and plans it once per connection. Clients choose
 * what they select, so statements that are sent only once would use up the names.
 */
export type NameOf = (query: Pick<SqlQuery, 'sql' | 'args'>) => string | undefined;

/** Creates the names of a server's statements. */
export function createNameOf(): NameOf {
  const names = new Map<string, string>();
  const once = new LRUCache<string, true>({ maxSize: onceCharactersMax, sizeCalculation: (_, sql) => sql.length });
  return ({ sql, args }) => {
    if (sql.length > namedCharactersMax || args.length > namedValuesMax) return undefined;
    const known = names.get(sql);
    if (known !== undefined || names.size >= namedMax) return known;
    if (!once.delete(sql)) {
      once.set(sql, true);
      return undefined;
    }
    const name = `s${names.size}`;
    names.set(sql, name);
    return name;
  };
}

/** Writes a statement with its values, for tests and debugging: never for a log. */
export function withValues(sql: string, args: readonly unknown[]): string {
  return sql.replace(/\$(\d+)/g, (_, number) => literal(args[Number(number) - 1]));
}

function literal(value: unknown): string {
  if (value === null || value === undefined) return 'NULL';
  if (Array.isArray(value)) return `ARRAY[${value.map(literal).join(', ')}]`;
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') return String(value);
  if (value instanceof Uint8Array) return `'\\x${Buffer.from(value).toString('hex')}'`;
  return `'${(value instanceof Date ? value.toISOString() : String(value)).replaceAll("'", "''")}'`;
}
