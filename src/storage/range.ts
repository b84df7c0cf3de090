// Which rows of an account a statement reads, in the order of their ids or, those of one object, of their versions.

import type { SqlQueryable } from '@prisma/driver-adapter-utils';
import type { Dialect } from './engine.ts';
import { translated } from './errors.ts';
import type { IdBounds, ListPart, PageRequest, Place } from './object-reads.ts';
import { collectValues, type Placing } from './statement-values.ts';

/** The column that tells the events of one object apart, in the order of their commits. */
export const versionColumn = 'version';

/** A value of the column that a range is in the order of: an id, or a version. */
export type Bound = string | number;

/** Which rows to read: the first `take` in the order, of those that have all the `equal` values. */
export interface RowRange {
  /** By column, the one that narrows the rows most first: they are found by an index that begins with it. */
  readonly equal: Readonly<Record<string, string>>;
  /** The column that they are in the order of, the last one of the index: the id unless given. No two of them have the same value there. */
  readonly column?: typeof versionColumn | undefined;
  /** Bounds of that column. */
  readonly lessThan: Bound | undefined;
  readonly greaterThan: Bound | undefined;
  /** The last value in the order that is looked at, whether or not there are `take` rows by then; all unless given. */
  readonly until?: Bound | undefined;
  /** What else bounds their ids, where they are in the order of another column. */
  readonly ids?: IdBounds | undefined;
  readonly ascending: boolean;
  readonly take: number;
}

/** Gives the range of a page. */
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

/** Writes which rows of an account to read, and in what order. */
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
  // The column of the index before it is held between two bounds, which no planner takes for one value: it stays part of the order.
  const last = ordersByIndex ? columns.splice(columns.length > 1 ? 1 : 0, 1)[0] : undefined;
  const conditions = columns.map(({ name, value }, place) => {
    // SQLite takes all indexes for equally good, and might read every row of a kind to find those of one object (measured: 20 ms for
    // 0.1 in a trail of 80,000 events). A column with a sign before it is in none (sqlite.org/optoverview.html, section 2).
    return !ordersByIndex && place > 1 ? `+${name} = ${value}` : `${name} = ${value}`;
  });
  if (last !== undefined) conditions.push(`${last.name} >= ${last.value}`, `${last.name} <= ${last.value}`);
  const between = [
    ...(ids.olderThan === undefined ? [] : [`${quote('id')} < ${argument(ids.olderThan)}`]),
    ...(ids.newerThan === undefined ? [] : [`${quote('id')} > ${argument(ids.newerThan)}`]),
  ];
  // As a value, so that no planner takes the index of ids for it, or few rows to be left, which it would rather sort.
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

/** Finds the last row of a range, by what that is in the order of: where a part of it ends. Undefined where it has fewer than asked for. */
export type EndOf = (accountId: string, model: string, range: RowRange) => Promise<Bound | undefined>;

/** Creates what finds the ends of ranges, over a connection of Prisma's driver adapter. */
export function createEndOf(connection: SqlQueryable, dialect: Dialect): EndOf {
  const { quote } = dialect;
  return async (accountId, model, range) => {
    const { argument, query } = collectValues(dialect);
    const condition = writeRange(dialect, accountId, { ...range, take: 1 }, argument);
    // Of all rows before it, only the index is read.
    const key = quote(range.column ?? 'id');
    const sql = `SELECT ${key} FROM ${quote(model)} WHERE ${condition} OFFSET ${argument(range.take - 1)}`;
    const { rows } = await translated(connection.queryRaw(query(sql)));
    if (rows[0] === undefined) return undefined;
    return range.column === undefined ? String(rows[0][0]) : Number(rows[0][0]);
  };
}

/** Creates what counts the rows of a range, over a connection of Prisma's driver adapter: `take` of them at most. */
export function createCountOf(connection: SqlQueryable, dialect: Dialect) {
  return async (accountId: string, model: string, range: RowRange): Promise<number> => {
    const { argument, query } = collectValues(dialect);
    const rows = `SELECT 1 FROM ${dialect.quote(model)} WHERE ${writeRange(dialect, accountId, range, argument)}`;
    const counted = await translated(connection.queryRaw(query(`SELECT count(*) FROM (${rows}) AS "counted"`)));
    return Number(counted.rows[0]?.[0]);
  };
}

/**
 * Finds the place of the last row of a part of a list in the order of a time, the earliest first, if that has as many as asked for: where
 * a slice of it ends. Undefined where it has fewer.
 */
export type EndOfPart = (
  accountId: string,
  model: string,
  column: string,
  equal: RowRange['equal'],
  part: ListPart,
) => Promise<Place | undefined>;

/** Creates what finds the ends of such parts, over a connection of Prisma's driver adapter. */
export function createEndOfPart(connection: SqlQueryable, dialect: Dialect): EndOfPart {
  const { quote, decode, ordersByIndex } = dialect;
  return async (accountId, model, column, equal, { take, backward, after, before }) => {
    const { argument, query } = collectValues(dialect);
    const order = [column, 'id'].map(quote);
    const named = Object.entries(equal).map(([name, value]) => `${quote(name)} = ${argument(value)}`);
    // As in `writeRange`: the index of what is named first.
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
