// Finds the rows of a slice that meet a condition, in the order of a time. Prisma's conditions for the rows beyond a place look at all
// rows with the time of the place, of which there may be as many as the table has.

import type { SqlQueryable } from '@prisma/driver-adapter-utils';
import type { WriteConditions } from './conditions.ts';
import type { Dialect } from './engine.ts';
import { translated } from './errors.ts';
import type { ListPart, Place } from './object-reads.ts';
import { type PartValues, writePart } from './range.ts';
import { collectValues } from './statement-values.ts';

/** A slice of a list in the order of a time. */
export interface PartSlice {
  readonly column: string;
  /** The values by which an index finds its rows. */
  readonly equal: PartValues;
  /** The bounds of the list; `take` is the number of rows to find. */
  readonly part: ListPart;
  /** Where the slice ends; undefined for the last one. */
  readonly until: Place | undefined;
}

/**
 * Returns the ids of the first rows of a slice that meet a condition, in the order of the list or, backward, reversed. Throws
 * UNAVAILABLE if the storage cannot serve it now.
 */
export type Sift = (model: string, slice: PartSlice, where: object) => Promise<string[]>;

/** More rows than a slice has, which ends at its last place. */
const rowsMax = 2 ** 31 - 1;

/** Creates the function that sifts over a connection of Prisma's driver adapter, in the dialect of its engine. */
export function createSiftOf(
  connection: SqlQueryable,
  dialect: Dialect,
  writeConditions: WriteConditions,
): (accountId: string) => Sift {
  const { quote } = dialect;
  return (accountId) =>
    async (model, { column, equal, part, until }, where) => {
      const { argument, query } = collectValues(dialect);
      const rows = writePart(dialect, accountId, column, equal, { ...part, until, take: rowsMax }, argument);
      const conditions = ['1 = 1', ...writeConditions(model, 's', where, argument)];
      const order = [column, 'id'].map((name) => `s.${quote(name)} ${part.backward ? 'DESC' : 'ASC'}`);
      const sql =
        `SELECT s.${quote('id')} FROM (SELECT * FROM ${quote(model)} WHERE ${rows}) s WHERE ${conditions.join(' AND ')} ` +
        `ORDER BY ${order.join(', ')} LIMIT ${argument(part.take)}`;
      return (await translated(connection.queryRaw(query(sql)))).rows.map(([id]) => String(id));
    };
}
