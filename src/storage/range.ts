// Ranges of an account's rows that a statement reads, ordered by id or, for the events of one object, by version.

import type { SqlQueryable } from '@prisma/driver-adapter-utils';
import type { Dialect } from './engine.ts';
import { translated } from './errors.ts';
import type { IdBounds, ListPart, PageRequest, Place } from './object-reads.ts';
import { collectValues, type Placing } from './statement-values.ts';

/** The column that numbers the events of one object in commit order. */
export const versionColumn = 'version';

/** A value of the column that orders a range: an id or a version. */
export type Bound = string | number;

/** Which rows to read: the first `take`, in order, of those that match all `equal` values. */
export interface RowRange {
  /** Values by column. The most selective column comes first: the rows are found through an index that begins with it. */
  readonly equal: Readonly<Record<string, string>>;
  /** The column that orders the rows, the last one of the index; the id by default. Its values are unique among the rows. */
  readonly column?: typeof versionColumn | undefined;
  /** Exclusive bounds of that column. */
  readonly lessThan: Bound | undefined;
  readonly greaterThan: Bound | undefined;
  /** The last value to look at, even if fewer than `take` rows have been found; no limit by default. */
  readonly until?: Bound | undefined;
  /** Additional bounds of the ids, if the rows are ordered by another column. */
  readonly ids?: IdBounds | undefined;
  readonly ascending: boolean;
  readonly take: number;
}

/** Returns the range of a page. */
export function rangeOf({
  take,
  backward: ascending,
  olderThan,
  newerThan,
  versions,
}: PageRequest): Omit<RowRange, 'equal'> {
  if (versions === undefined) return { lessThan: olderThan, greaterThan: newerThan, ascending, take };
  const { olderThan: lessThan, newerThan: greaterThan } = versions;
  return { column: versionColumn, lessThan, greaterThan, ids: { olderThan, newerThan }, ascending, take };
}

/** Writes the conditions, order and limit that select a range of an account's rows. */
export function writeRange(
  { quote, ordersByIndex }: Dialect,
  accountId: string,
  { equal, column, lessThan, greaterThan, until, ids = {}, ascending, take }: RowRange,
  argument: Placing<string | number>,
): string {
  const columns = [
    { name: quote('accountId'), value: argument(accountId) },
    ...Object.entries(equal).map(([column, value]) => ({ name: quote(column), value: argument(value) })),
  ];
  const key = quote(column ?? 'id');
  // The index column before the key is held between two equal bounds. No planner recognizes that as one value, so the column stays
  // part of the order.
  const last = ordersByIndex ? columns.splice(columns.length > 1 ? 1 : 0, 1)[0] : undefined;
  const conditions = columns.map(({ name, value }, place) => {
    // SQLite considers all indexes equally good, and might read every row of a kind to find those of one object (measured: 20 ms
    // instead of 0.1 in a trail of 80,000 events). A column with a `+` in front uses no index (sqlite.org/optoverview.html, 2).
    return !ordersByIndex && place > 1 ? `+${name} = ${value}` : `${name} = ${value}`;
  });
  if (last !== undefined) conditions.push(`${last.name} >= ${last.value}`, `${last.name} <= ${last.value}`);
  const between = [
    ...(ids.olderThan === undefined ? [] : [`${quote('id')} < ${argument(ids.olderThan)}`]),
    ...(ids.newerThan === undefined ? [] : [`${quote('id')} > ${argument(ids.newerThan)}`]),
  ];
  // Wrapped in CASE, so that no planner uses the index of ids for it, or expects so few rows that it prefers to sort them.
  if (between.length > 0) conditions.push(`CASE WHEN ${between.join(' AND ')} THEN true ELSE false END`);
  const narrow = (comparison: '<' | '>' | '<=' | '>=', bound: Bound | undefined) => {
    if (bound === undefined) return;
    const value = argument(bound);
    conditions.push(
      last === undefined
        ? `${key} ${comparison} ${value}`
        : `(${last.name}, ${key}) ${comparison} (${last.value}, ${value})`,
    );
  };
  narrow('<', lessThan);
  narrow('>', greaterThan);
  narrow(ascending ? '<=' : '>=', until);
  const direction = ascending ? 'ASC' : 'DESC';
  const order = [last?.name, key].filter((name) => name !== undefined).map((name) => `${name} ${direction}`);
  return `${conditions.join(' AND ')} ORDER BY ${order.join(', ')} LIMIT ${argument(take)}`;
}

/** Finds where a part of a range ends: the ordering value of its `take`th row. Undefined if the range has fewer rows. */
export type EndOf = (accountId: string, model: string, range: RowRange) => Promise<Bound | undefined>;

/** Creates the function that finds the ends of ranges over a connection of Prisma's driver adapter. */
export function createEndOf(connection: SqlQueryable, dialect: Dialect): EndOf {
  const { quote } = dialect;
  return async (accountId, model, range) => {
    const { argument, query } = collectValues(dialect);
    const condition = writeRange(dialect, accountId, { ...range, take: 1 }, argument);
    // For the rows before it, only the index is read.
    const key = quote(range.column ?? 'id');
    const sql = `SELECT ${key} FROM ${quote(model)} WHERE ${condition} OFFSET ${argument(range.take - 1)}`;
    const { rows } = await translated(connection.queryRaw(query(sql)));
    if (rows[0] === undefined) return undefined;
    return range.column === undefined ? String(rows[0][0]) : Number(rows[0][0]);
  };
}

/** Creates the function that counts the rows of a range, at most `take`, over a connection of Prisma's driver adapter. */
export function createCountOf(connection: SqlQueryable, dialect: Dialect) {
  return async (accountId: string, model: string, range: RowRange): Promise<number> => {
    const { argument, query } = collectValues(dialect);
    const rows = `SELECT 1 FROM ${dialect.quote(model)} WHERE ${writeRange(dialect, accountId, range, argument)}`;
    const counted = await translated(connection.queryRaw(query(`SELECT count(*) FROM (${rows}) AS "counted"`)));
    return Number(counted.rows[0]?.[0]);
  };
}

/**
 * Finds where a slice ends in a list ordered by a time, earliest first: the place of the part's `take`th row. Undefined if the part
 * has fewer rows.
 */
export type EndOfPart = (
  accountId: string,
  model: string,
  column: string,
  equal: RowRange['equal'],
  part: ListPart,
) => Promise<Place | undefined>;

/** Creates the function that finds the ends of such parts over a connection of Prisma's driver adapter. */
export function createEndOfPart(connection: SqlQueryable, dialect: Dialect): EndOfPart {
  const { quote, decode, ordersByIndex } = dialect;
  return async (accountId, model, column, equal, { take, backward, after, before }) => {
    const { argument, query } = collectValues(dialect);
    const order = [column, 'id'].map(quote);
    const named = Object.entries(equal).map(([name, value]) => `${quote(name)} = ${argument(value)}`);
    // As in `writeRange`: keeps SQLite on the index that begins with the first named column.
    const isNamed = !ordersByIndex && named.length > 0;
    const own = `${isNamed ? '+' : ''}${quote('accountId')} = ${argument(accountId)}`;
    const beyond = (place: Place | undefined, sign: '<' | '>') =>
      place === undefined ? [] : [`(${order.join(', ')}) ${sign} (${argument(place.value)}, ${argument(place.id)})`];
    const conditions = [...named, own, ...beyond(after, '>'), ...beyond(before, '<')];
    const sql =
      `SELECT ${order.join(', ')} FROM ${quote(model)} WHERE ${conditions.join(' AND ')} ` +
      `ORDER BY ${order.map((name) => `${name} ${backward ? 'DESC' : 'ASC'}`).join(', ')} LIMIT 1 OFFSET ${argument(take - 1)}`;
    const { rows } = await translated(connection.queryRaw(query(sql)));
    return rows[0] === undefined ? undefined : { value: decode.DateTime(rows[0][0]), id: String(rows[0][1]) };
  };
}
