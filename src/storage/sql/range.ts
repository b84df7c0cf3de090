// Ranges of an account's rows that a statement reads, ordered by id or, for the events of one object, by version.

import type { SqlQueryable } from '@prisma/driver-adapter-utils';
import { translated } from '../errors.ts';
import type { Dialect } from './dialect.ts';
import { type Equal, foundByIndex, holdsAccount, indexFor, mergedFrom } from './filter-indexes.ts';
import type { IdBounds, ListPart, PageRequest, Position } from './list-parts.ts';
import { type Argument, collectValues, type Placing, padded, quote } from './statement-values.ts';

/** The column that numbers the events of one object in commit order. */
export const versionColumn = 'version';

/** A value of the column that orders a range: an id or a version. */
export type Bound = string | number;

/** Which rows to read: the first `take`, in order, of those that match all `equal` values. */
export interface RowRange {
  /** Values by column. The most selective column comes first: the rows are found through an index that begins with it, or through
   * one for several of them (`foundByIndex`). */
  readonly equal: Equal;
  /** The parts of the list that have rows, if that is known (`merged-parts.ts`). */
  readonly parts?: readonly Equal[] | undefined;
  /** The column that orders the rows, the last one of the index; the id by default. Its values are unique among the rows. */
  readonly column?: string | undefined;
  /** Exclusive bounds of that column. */
  readonly lessThan: Bound | undefined;
  readonly greaterThan: Bound | undefined;
  /** The last value to look at, instead of the bound at the end, even if fewer than `take` rows have been found. */
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

/** What a statement does with the rows along an index. */
interface Sifting {
  /** Writes the conditions that each row has to meet, under the name of the model; an index never decides them. */
  readonly others?: () => readonly string[];
  /** How many of the first rows to leave out. */
  readonly skip?: number;
}

/**
 * Writes the statement that reads a range of an account's rows, along one index. A planner that goes by statistics
 * (`Dialect.ordersByIndex`) gets the index's first column as a list of one value: it estimates that as well as equality, but does
 * not drop the column from the order, so that no other index has this order.
 */
export function writeRows(
  dialect: Dialect,
  accountId: string,
  model: string,
  columns: ReadColumns,
  range: RowRange,
  argument: Placing,
  { others = () => [], skip = 0 }: Sifting = {},
): string {
  const { ordersByIndex, indexedBy } = dialect;
  const key = range.column ?? 'id';
  const merged = range.parts ?? mergedFrom(model, range.equal);
  const [first = range.equal] = merged;
  const lead = leadOf(model, { ...range, equal: first });
  const index = range.column === undefined ? indexFor(model, first) : null;
  const table = `${quote(model)}${index === null ? '' : indexedBy(index)}`;
  const direction = range.ascending ? 'ASC' : 'DESC';
  const orderBy = (names: readonly string[]) => names.map((name) => `${quote(name)} ${direction}`).join(', ');
  const order = orderBy([...(ordersByIndex ? [lead] : []), key]);
  const conditionsOf = (equal: Equal) =>
    [writeConditions(dialect, accountId, model, { ...range, equal }, lead, argument), ...asOne(others())].join(' AND ');
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
  // Parts that differ in it cannot be in its order.
  const whole = merged.every((equal) => equal[lead] === first[lead]) ? order : orderBy([key]);
  const all = `${parts.join(' UNION ALL ')} ORDER BY ${whole} ${cut(range.take, skip)}`;
  return `SELECT ${read} FROM (${all}) AS "merged" ORDER BY ${whole}`;
}

/**
 * Wraps conditions in CASE, so that no planner uses another index for them, or expects so few rows that it prefers to read all of
 * them and to sort.
 */
function asOne(conditions: readonly string[]): string[] {
  return conditions.length === 0 ? [] : [`CASE WHEN ${conditions.join(' AND ')} THEN true ELSE false END`];
}

/** Returns the column that the index of a range begins with. The index of an object's versions begins with the account. */
function leadOf(model: string, { equal, column }: RowRange): string {
  const [first = 'accountId'] = column === undefined ? Object.keys(foundByIndex(model, equal)) : [];
  return first;
}

function writeConditions(
  { ordersByIndex }: Dialect,
  accountId: string,
  model: string,
  { equal, column, lessThan, greaterThan, until, ids = {}, ascending }: RowRange,
  lead: string,
  argument: Placing,
): string {
  const found = foundByIndex(model, equal);
  const conditions = Object.entries({ accountId, ...equal }).map(([name, value]) => {
    if (ordersByIndex && name === lead) return `${quote(name)} = ANY(ARRAY[${argument(value)}])`;
    // SQLite considers all indexes equally good, and might read every row of a kind to find those of one object (measured: 20 ms
    // instead of 0.1 in a trail of 80,000 events). A column with a `+` in front uses no index (sqlite.org/optoverview.html, 2).
    const isFound = name === 'accountId' ? lead === name || holdsAccount(model, equal) : name in found;
    const isSifted = !ordersByIndex && !isFound;
    return `${isSifted ? '+' : ''}${quote(name)} = ${argument(value)}`;
  });
  const { olderThan, newerThan } = ids;
  const between = [
    ...(olderThan === undefined ? [] : [`${quote('id')} < ${argument(olderThan)}`]),
    ...(newerThan === undefined ? [] : [`${quote('id')} > ${argument(newerThan)}`]),
  ];
  conditions.push(...asOne(between));
  const narrow = (comparison: '<' | '>' | '<=' | '>=', bound: Bound | undefined) => {
    if (bound !== undefined) conditions.push(`${quote(column ?? 'id')} ${comparison} ${argument(bound)}`);
  };
  // One bound on each side: of two, SQLite may take the wider one for the index.
  if (ascending && until !== undefined) narrow('<=', until);
  else narrow('<', lessThan);
  if (!ascending && until !== undefined) narrow('>=', until);
  else narrow('>', greaterThan);
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
    const sql = writeRows(dialect, accountId, model, [key], { ...range, take: 1 }, argument, {
      skip: range.take - 1,
    });
    const { rows } = await translated(connection.queryRaw(query(sql)));
    if (rows[0] === undefined) return undefined;
    return range.column === undefined ? String(rows[0][0]) : Number(rows[0][0]);
  };
}

/**
 * The values by which an index finds the rows of a part: of the columns before those of its order. Null for a column that is null in
 * all of them.
 */
export type PartValues = Readonly<Record<string, string | null>>;

/** The first `take` rows, or backward the last ones, of those between two positions in the order of some columns, lowest first. */
export interface RowPart extends ListPart<readonly Argument[]> {
  readonly equal: PartValues;
  /** Whether the index begins with the account rather than the first of these values. */
  readonly indexedByAccount?: true;
  /** The columns of the order; no two rows have the same values in them. */
  readonly columns: readonly string[];
  /** The last position to look at, instead of the one at the end. */
  readonly until?: readonly Argument[] | undefined;
  /** Only rows with these ids, which are read by them and sorted, because they are few. */
  readonly ids?: readonly string[] | undefined;
}

/** Returns the part of rows between two positions in the order of a time, and then of the id. */
export function partInTime(
  column: string,
  equal: PartValues,
  { after, before, until, ...part }: ListPart & { readonly until?: Position | undefined },
): RowPart {
  const at = (position: Position | undefined) => (position === undefined ? undefined : [position.value, position.id]);
  return { ...part, equal, columns: [column, 'id'], after: at(after), before: at(before), until: at(until) };
}

/** Narrows a part to the rows whose time is within bounds, which are whole milliseconds. */
export function narrowedTo<P extends Pick<ListPart, 'after' | 'before'>>(bounds: TimeBounds, part: P): P {
  const { gt, gte, lt, lte } = bounds;
  // No id is empty.
  const at = (time: Date | undefined, ms: number): Position[] =>
    time === undefined ? [] : [{ value: new Date(time.getTime() + ms), id: '' }];
  const inOrder = (positions: readonly (Position | undefined)[]) =>
    positions.filter((position) => position !== undefined).sort((one, other) => (isBefore(one, other) ? -1 : 1));
  return {
    ...part,
    after: inOrder([part.after, ...at(gt, 1), ...at(gte, 0)]).at(-1),
    before: inOrder([part.before, ...at(lt, 0), ...at(lte, 1)])[0],
  };
}

/** Bounds of a time, in Prisma's terms. */
export type TimeBounds = Partial<Record<'gt' | 'gte' | 'lt' | 'lte', Date>>;

function isBefore(one: Position, other: Position): boolean {
  const distance = Number(one.value) - Number(other.value);
  return distance < 0 || (distance === 0 && one.id < other.id);
}

/** Finds where a slice ends in a list ordered by a time: the position of the part's `take`th row. Undefined if it has fewer rows. */
export type EndOfPart = (accountId: string, model: string, part: RowPart) => Promise<Position | undefined>;

/** Creates the function that finds the ends of such parts over a connection of Prisma's driver adapter. */
export function createEndOfPart(connection: SqlQueryable, dialect: Dialect): EndOfPart {
  return async (accountId, model, part) => {
    const { argument, query } = collectValues(dialect);
    const sifting = { skip: part.take - 1 };
    const sql = writePart(dialect, accountId, model, part.columns, { ...part, take: 1 }, argument, sifting);
    const { rows } = await translated(connection.queryRaw(query(sql)));
    return rows[0] === undefined ? undefined : { value: dialect.decode.DateTime(rows[0][0]), id: String(rows[0][1]) };
  };
}

/** Writes the statement that reads a part of an account's rows, along one index as `writeRows` does. */
export function writePart(
  dialect: Dialect,
  accountId: string,
  model: string,
  read: readonly string[],
  { columns, equal, indexedByAccount = undefined, take, backward, after, before, until, ids }: RowPart,
  argument: Placing,
  { others = () => [], skip = 0 }: Sifting = {},
): string {
  const { ordersByIndex } = dialect;
  const few = ids === undefined ? null : writeFew(dialect, accountId, model, ids, argument);
  const named = Object.entries(equal).flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]));
  // PostgreSQL does not know that a column which is null has one value.
  const nulls = Object.keys(equal).filter((name) => equal[name] === null);
  const [lead] = (indexedByAccount ? undefined : named[0]) ?? ['accountId'];
  const compared = [...named, ['accountId', accountId] as const].map(([name, value]) => {
    if (ordersByIndex && name === lead) return `${quote(name)} = ANY(ARRAY[${argument(value)}])`;
    // As in `writeRows`: keeps SQLite on the index that begins with the named column.
    const isSifted = !ordersByIndex && name === 'accountId' && name !== lead;
    return `${isSifted ? '+' : ''}${quote(name)} = ${argument(value)}`;
  });
  const beyond = (position: readonly Argument[] | undefined, sign: '<' | '>' | '<=' | '>=') =>
    position === undefined ? [] : [`(${columns.map(quote).join(', ')}) ${sign} (${position.map(argument).join(', ')})`];
  const conditions = [
    ...compared,
    ...nulls.map((name) => `${quote(name)} IS NULL`),
    // One bound on each side: of two, SQLite may take the wider one for the index.
    ...(backward && until !== undefined ? beyond(until, '>=') : beyond(after, '>')),
    ...(!backward && until !== undefined ? beyond(until, '<=') : beyond(before, '<')),
    ...asOne(others()),
  ];
  const order = [...(ordersByIndex ? [lead, ...nulls] : []), ...columns];
  const from = few === null ? quote(model) : `${few} AS ${quote(model)}`;
  return (
    `SELECT ${read.map(quote).join(', ')} FROM ${from} WHERE ${conditions.join(' AND ')} ` +
    `ORDER BY ${order.map((name) => `${quote(name)} ${backward ? 'DESC' : 'ASC'}`).join(', ')} LIMIT ${argument(take)}` +
    (skip === 0 ? '' : ` OFFSET ${argument(skip)}`)
  );
}

/** Writes the sub-select of an account's rows with certain ids. It is read by them, whatever else the statement asks of its rows. */
export function writeFew(
  { ordersByIndex }: Dialect,
  accountId: string,
  model: string,
  ids: readonly string[],
  argument: Placing,
): string {
  // An index of the account alone would find all of its rows, which SQLite believes to be few.
  const own = `${ordersByIndex ? '' : '+'}${quote('accountId')} = ${argument(accountId)}`;
  const some =
    ids.length === 0
      ? '1 = 0'
      : `${quote('id')} IN (${padded(ids, ids[0] ?? '')
          .map(argument)
          .join(', ')})`;
  // No planner looks beyond a limit.
  return `(SELECT * FROM ${quote(model)} WHERE ${own} AND ${some} LIMIT ${argument(ids.length)})`;
}
