// Ranges of an account's rows that a statement reads, ordered by id or, for the events of one object, by version.

import type { SqlQueryable } from '@prisma/driver-adapter-utils';
import type { Dialect } from './engine.ts';
import { translated } from './errors.ts';
import { type Equal, foundByIndex, indexFor, mergedFrom } from './filter-indexes.ts';
import type { IdBounds, ListPart, PageRequest, Place } from './object-reads.ts';
import { collectValues, type Placing } from './statement-values.ts';

/** The column that numbers the events of one object in commit order. */
export const versionColumn = 'version';

/** A value of the column that orders a range: an id or a version. */
export type Bound = string | number;

/** Which rows to read: the first `take`, in order, of those that match all `equal` values. */
export interface RowRange {
  /** Values by column. The most selective column comes first: the rows are found through an index that begins with it, or through
   * one for several of them (`foundByIndex`). */
  readonly equal: Equal;
  /** The column that orders the rows, the last one of the index; the id by default. Its values are unique among the rows. */
  readonly column?: string | undefined;
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

/** Columns to read: their names, or all. */
export type ReadColumns = readonly string[] | '*';

/**
 * Writes the statement that reads a range of an account's rows, along one index. A planner that goes by statistics
 * (`Dialect.ordersByIndex`) gets the index's first column as a list of one value: it estimates that as well as equality, but does
 * not drop the column from the order, so that no other index has this order.
 *
 * @param skip how many of the first rows to leave out
 */
export function writeRows(
  dialect: Dialect,
  accountId: string,
  model: string,
  columns: ReadColumns,
  range: RowRange,
  argument: Placing<string | number>,
  skip = 0,
): string {
  const { quote, ordersByIndex, indexedBy } = dialect;
  const key = range.column ?? 'id';
  const merged = mergedFrom(range.equal);
  const [first = range.equal] = merged;
  const lead = leadOf({ ...range, equal: first });
  const index = range.column === undefined ? indexFor(model, first) : null;
  const table = `${quote(model)}${index === null ? '' : indexedBy(index)}`;
  const direction = range.ascending ? 'ASC' : 'DESC';
  const order = [...(ordersByIndex ? [lead] : []), key].map((name) => `${quote(name)} ${direction}`).join(', ');
  const conditionsOf = (equal: Equal) => writeConditions(dialect, accountId, { ...range, equal }, lead, argument);
  const cut = (taken: number, skipped: number) =>
    `LIMIT ${argument(taken)}${skipped === 0 ? '' : ` OFFSET ${argument(skipped)}`}`;
  const read = columns === '*' ? '*' : columns.map(quote).join(', ') || '1';
  if (merged.length === 1) {
    return `SELECT ${read} FROM ${table} WHERE ${conditionsOf(first)} ORDER BY ${order} ${cut(range.take, skip)}`;
  }
  const inner = columns === '*' ? '*' : [...new Set([lead, key, ...columns])].map(quote).join(', ');
  const parts = merged.map((equal) => {
    const part = `SELECT ${inner} FROM ${table} WHERE ${conditionsOf(equal)}`;
    // SQLite merges parts row by row only if they have no order of their own.
    return ordersByIndex ? `(${part} ORDER BY ${order} ${cut(range.take + skip, 0)})` : part;
  });
  const all = `${parts.join(' UNION ALL ')} ORDER BY ${order} ${cut(range.take, skip)}`;
  return `SELECT ${read} FROM (${all}) AS "merged" ORDER BY ${order}`;
}

/** Returns the column that the index of a range begins with. The index of an object's versions begins with the account. */
function leadOf({ equal, column }: RowRange): string {
  const [first = 'accountId'] = column === undefined ? Object.keys(foundByIndex(equal)) : [];
  return first;
}

/** Writes the conditions for the rows of a range. */
function writeConditions(
  { quote, ordersByIndex }: Dialect,
  accountId: string,
  { equal, column, lessThan, greaterThan, until, ids = {}, ascending }: RowRange,
  lead: string,
  argument: Placing<string | number>,
): string {
  const found = foundByIndex(equal);
  const conditions = Object.entries({ accountId, ...equal }).map(([name, value]) => {
    if (ordersByIndex && name === lead) return `${quote(name)} = ANY(ARRAY[${argument(value)}])`;
    // SQLite considers all indexes equally good, and might read every row of a kind to find those of one object (measured: 20 ms
    // instead of 0.1 in a trail of 80,000 events). A column with a `+` in front uses no index (sqlite.org/optoverview.html, 2).
    const isSifted = !ordersByIndex && name !== 'accountId' && !(name in found);
    return `${isSifted ? '+' : ''}${quote(name)} = ${argument(value)}`;
  });
  const { olderThan, newerThan } = ids;
  const between = [
    ...(olderThan === undefined ? [] : [`${quote('id')} < ${argument(olderThan)}`]),
    ...(newerThan === undefined ? [] : [`${quote('id')} > ${argument(newerThan)}`]),
  ];
  // Wrapped in CASE, so that no planner uses the index of ids for it, or expects so few rows that it prefers to sort them.
  if (between.length > 0) conditions.push(`CASE WHEN ${between.join(' AND ')} THEN true ELSE false END`);
  const narrow = (comparison: '<' | '>' | '<=' | '>=', bound: Bound | undefined) => {
    if (bound !== undefined) conditions.push(`${quote(column ?? 'id')} ${comparison} ${argument(bound)}`);
  };
  narrow('<', lessThan);
  narrow('>', greaterThan);
  narrow(ascending ? '<=' : '>=', until);
  return conditions.join(' AND ');
}

/** Finds where a part of a range ends: the ordering value of its `take`th row. Undefined if the range has fewer rows. */
export type EndOf = (accountId: string, model: string, range: RowRange) => Promise<Bound | undefined>;

/** Creates the function that finds the ends of ranges over a connection of Prisma's driver adapter. */
export function createEndOf(connection: SqlQueryable, dialect: Dialect): EndOf {
  return async (accountId, model, range) => {
    const { argument, query } = collectValues(dialect);
    // For the rows before it, only the index is read.
    const key = range.column ?? 'id';
    const sql = writeRows(dialect, accountId, model, [key], { ...range, take: 1 }, argument, range.take - 1);
    const { rows } = await translated(connection.queryRaw(query(sql)));
    if (rows[0] === undefined) return undefined;
    return range.column === undefined ? String(rows[0][0]) : Number(rows[0][0]);
  };
}

/**
 * The values by which an index finds the rows of a part: of the columns before the time. Null for a column that is null in all of
 * them.
 */
export type PartValues = Readonly<Record<string, string | null>>;

/**
 * Finds where a slice ends in a list ordered by a time, earliest first: the place of the part's `take`th row. Undefined if the part
 * has fewer rows.
 */
export type EndOfPart = (
  accountId: string,
  model: string,
  column: string,
  equal: PartValues,
  part: ListPart,
) => Promise<Place | undefined>;

/** Creates the function that finds the ends of such parts over a connection of Prisma's driver adapter. */
export function createEndOfPart(connection: SqlQueryable, dialect: Dialect): EndOfPart {
  const { quote, decode } = dialect;
  return async (accountId, model, column, equal, part) => {
    const { argument, query } = collectValues(dialect);
    const condition = writePart(dialect, accountId, column, equal, { ...part, take: 1 }, argument);
    const columns = [column, 'id'].map(quote).join(', ');
    const sql = `SELECT ${columns} FROM ${quote(model)} WHERE ${condition} OFFSET ${argument(part.take - 1)}`;
    const { rows } = await translated(connection.queryRaw(query(sql)));
    return rows[0] === undefined ? undefined : { value: decode.DateTime(rows[0][0]), id: String(rows[0][1]) };
  };
}

/**
 * Writes the conditions, order and limit that select a part of an account's rows in the order of a time.
 *
 * @param part.until the last place to look at; no limit by default
 */
export function writePart(
  { quote, ordersByIndex }: Dialect,
  accountId: string,
  column: string,
  equal: PartValues,
  { take, backward, after, before, until }: ListPart & { readonly until?: Place | undefined },
  argument: Placing,
): string {
  const order = [column, 'id'].map(quote);
  const values = Object.entries(equal);
  const named = values.flatMap(([name, value]) => (value === null ? [] : [`${quote(name)} = ${argument(value)}`]));
  const nulls = values.flatMap(([name, value]) => (value === null ? [quote(name)] : []));
  // As in `writeRows`: keeps SQLite on the index that begins with the first named column.
  const isNamed = !ordersByIndex && named.length > 0;
  const own = `${isNamed ? '+' : ''}${quote('accountId')} = ${argument(accountId)}`;
  const beyond = (place: Place | undefined, sign: '<' | '>' | '<=' | '>=') =>
    place === undefined ? [] : [`(${order.join(', ')}) ${sign} (${argument(place.value)}, ${argument(place.id)})`];
  const conditions = [
    ...named,
    own,
    ...nulls.map((name) => `${name} IS NULL`),
    ...beyond(after, '>'),
    ...beyond(before, '<'),
    ...beyond(until, backward ? '>=' : '<='),
  ];
  // PostgreSQL does not know that a column which is null has one value.
  const ordered = [...(ordersByIndex ? nulls : []), ...order].map((name) => `${name} ${backward ? 'DESC' : 'ASC'}`);
  return `${conditions.join(' AND ')} ORDER BY ${ordered.join(', ')} LIMIT ${argument(take)}`;
}
