// Which parts of a list that is merged from many have rows at all. A statement of 67 parts takes ten times as long as the ten of them
// that an actor usually has, however few rows it reads.

import type { SqlQueryable } from '@prisma/driver-adapter-utils';
import { translated } from '../errors.ts';
import type { Dialect } from './dialect.ts';
import { type Equal, foundByIndex, indexFor, mergedFrom } from './filter-indexes.ts';
import { collectValues, quote } from './statement-values.ts';

/** Most parts that are merged without a look at which of them have rows. */
const partsMax = 24;

/**
 * Returns the values whose rows make up a filtered list, as `mergedFrom`; of very many, only those with rows. Throws UNAVAILABLE if
 * the storage cannot serve it now.
 */
export type PartsOf = (accountId: string, model: string, equal: Equal) => Promise<readonly Equal[]>;

/** Creates the function that finds such parts over a connection of Prisma's driver adapter. */
export function createPartsOf(connection: SqlQueryable, dialect: Dialect): PartsOf {
  const { ordersByIndex, indexedBy } = dialect;
  return async (accountId, model, equal) => {
    const parts = mergedFrom(model, equal);
    const [first] = parts;
    if (first === undefined || parts.length <= partsMax) return parts;
    const [lead = ''] = Object.keys(foundByIndex(model, first));
    const missing = Object.keys(first).filter((name) => !(name in equal));
    const { argument, query } = collectValues(dialect);
    const rows = parts.map((part) => `(${missing.map((name) => argument(part[name] ?? '')).join(', ')})`).join(', ');
    const conditions = Object.entries({ ...first, accountId }).map(([name, value]) => {
      if (missing.includes(name)) return `x.${quote(name)} = p.column${missing.indexOf(name) + 1}`;
      // As in `writeRows`: keeps the planner on the index that begins with it.
      return `x.${quote(name)} = ${ordersByIndex && name === lead ? `ANY(ARRAY[${argument(value)}])` : argument(value)}`;
    });
    const order = ordersByIndex ? ` ORDER BY x.${quote(lead)}` : '';
    const table = `${quote(model)} x${indexedBy(indexFor(model, first) ?? '')}`;
    const any = `SELECT 1 FROM ${table} WHERE ${conditions.join(' AND ')}${order} LIMIT 1`;
    const sql = `SELECT p.* FROM (VALUES ${rows}) p WHERE (${any}) IS NOT NULL`;
    const found = (await translated(connection.queryRaw(query(sql)))).rows;
    return found.map((values) => ({
      ...Object.fromEntries(missing.map((name, index) => [name, String(values[index])])),
      ...equal,
    }));
  };
}
