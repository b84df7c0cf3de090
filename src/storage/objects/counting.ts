// Counts the rows of a list: all objects of an account by what the database has counted, others in slices (`sql/read-slices.ts`). A count of
// several slices is not of one moment: rows that are written while it is made may be in it or not, every other row is counted once.

import type { SqlQueryable } from '@prisma/driver-adapter-utils';
import { translated } from '../errors.ts';
import { equalIn, idsIn, plainIn, type WriteConditions, without } from '../sql/conditions.ts';
import type { Dialect } from '../sql/dialect.ts';
import { foundByIndex, foundInTime } from '../sql/filter-indexes.ts';
import type { IdBounds, ListPart } from '../sql/list-parts.ts';
import type { PartsOf } from '../sql/merged-parts.ts';
import { isCounted, objectCount } from '../sql/object-counts.ts';
import {
  type Bound,
  type EndOfPart,
  narrowedTo,
  type PartValues,
  partInTime,
  type RowRange,
  type TimeBounds,
  writeFew,
  writePart,
  writeRows,
} from '../sql/range.ts';
import { entriesOfRow, entrySlices, type Pace, rowSlices, type Slice, type Slicing } from '../sql/read-slices.ts';
import { statementOf } from '../sql/statement.ts';
import { collectValues, type Placing, quote } from '../sql/statement-values.ts';

export interface CountedList {
  readonly model: string;
  /**
   * The condition on its rows, in Prisma's terms. The rows are found by the texts that `foundByIndex` says; without one, by the first
   * time that must be within bounds, for which there must be an index of the account and that time.
   */
  readonly where: object;
  readonly within?: IdBounds | undefined;
  /** The column, besides the account, by which an index finds rows in the order of a time. */
  readonly indexedByTime?: string | undefined;
  /** The column that numbers the rows, if an index holds it instead of the id. */
  readonly column?: string;
}

/** Counts the rows of a list of an account. Throws UNAVAILABLE if the storage cannot serve it now, and as `Slicing.slices`. */
export type Count = (list: CountedList, pace?: Pace) => Promise<number>;

/** What was looked at in a slice: how many rows there are, and how many of them meet the condition. */
interface Looked {
  readonly all: number;
  readonly meeting: number;
  readonly isLast: boolean;
}

/** The building blocks of counting. */
interface Parts {
  readonly slicing: Slicing;
  readonly endOfPart: EndOfPart;
  readonly partsOf: PartsOf;
  readonly writeConditions: WriteConditions;
}

/** Creates the function that counts over a connection of Prisma's driver adapter, in the dialect of its engine. */
export function createCountOf(
  connection: SqlQueryable,
  dialect: Dialect,
  { slicing, endOfPart, partsOf, writeConditions }: Parts,
): (accountId: string) => Count {
  return (accountId) => {
    /**
     * Counts some rows: all, those that meet a condition, and the highest value of a column of theirs.
     *
     * @param write writes the statement that reads the needed columns of the rows
     */
    const countSome = async (
      model: string,
      key: string,
      where: object,
      write: (columns: readonly string[], argument: Placing) => string,
    ): Promise<{ all: number; meeting: number; last: unknown }> => {
      const { argument, query } = collectValues(dialect);
      const conditions = writeConditions(model, 's', where, argument);
      const meeting = conditions.length === 0 ? 'count(*)' : `count(CASE WHEN ${conditions.join(' AND ')} THEN 1 END)`;
      // Only these, so that an index that has them all is enough. Rows that refer to a row do so by its id.
      const columns = new Set([
        key,
        ...Object.entries(where).map(([name, wanted]) => (isRelation(wanted) ? 'id' : name)),
      ]);
      const rows = write([...columns], argument);
      const sql = `SELECT count(*), ${meeting}, max(s.${quote(key)}) FROM (${rows}) s`;
      const [found = []] = (await translated(connection.queryRaw(query(sql)))).rows;
      return { all: Number(found[0]), meeting: Number(found[1]), last: found[2] };
    };

    /** Looks through the rows in the order of the ids, or of the column that numbers them. */
    const byNumber = (
      { model, where, within = {}, column }: CountedList,
      { equal, parts }: Pick<RowRange, 'equal' | 'parts'>,
    ) => {
      const rest = { ...without(where, equal), ...(column === undefined ? {} : idsWithin(within)) };
      let last: Bound | undefined = column === undefined ? within.newerThan : undefined;
      return async (rows: number): Promise<Looked> => {
        const range: RowRange = {
          equal,
          parts,
          column,
          greaterThan: last,
          lessThan: column === undefined ? within.olderThan : undefined,
          ascending: true,
          take: rows,
        };
        const counted = await countSome(model, column ?? 'id', rest, (columns, argument) =>
          writeRows(dialect, accountId, model, columns, range, argument),
        );
        // Serial numbers are larger than a double can hold.
        last = typeof counted.last === 'number' ? counted.last : String(counted.last);
        return { ...counted, isLast: counted.all < rows };
      };
    };

    /** Looks through the rows in the order of a time, between the bounds that the condition sets it. */
    const byTime = ({ model, where, within = {} }: CountedList, column: string, equal: PartValues) => {
      const { [column]: bounds, ...others } = without(where, equal) as Readonly<Record<string, unknown>>;
      const rest = { ...others, ...idsWithin(within) };
      // Safe cast: the condition of a time.
      const all: Pick<ListPart, 'after' | 'before'> = { after: undefined, before: undefined };
      let { after, before } = narrowedTo(bounds as TimeBounds, all);
      return async (rows: number): Promise<Looked> => {
        const part = { take: rows, backward: false, after, before };
        const until = await endOfPart(accountId, model, partInTime(column, equal, part));
        const slice = partInTime(column, equal, { ...part, until, take: countMax });
        const counted = await countSome(model, 'id', rest, (columns, argument) =>
          writePart(dialect, accountId, model, columns, slice, argument),
        );
        after = until;
        return { ...counted, isLast: until === undefined };
      };
    };

    /** Counts the rows with certain ids, which the condition lists. */
    const byIds = async ({ model, where, within = {} }: CountedList, ids: readonly string[]): Promise<number> => {
      const { argument, query } = collectValues(dialect);
      const few = writeFew(dialect, accountId, model, ids, argument);
      const rest = [without(where, { id: true }), idsWithin(within)];
      const conditions = ['1 = 1', ...rest.flatMap((each) => writeConditions(model, 's', each, argument))];
      const sql = `SELECT count(*) FROM ${few} s WHERE ${conditions.join(' AND ')}`;
      return Number((await translated(connection.queryRaw(query(sql)))).rows[0]?.[0]);
    };

    /** Finds the ranges in which the rows are: the parts of the list if they are few, or one that is merged from them. */
    const rangesOf = async ({ model, where }: CountedList): Promise<Pick<RowRange, 'equal' | 'parts'>[]> => {
      const equal = foundByIndex(model, plainIn(where));
      const parts = await partsOf(accountId, model, equal);
      return parts.length > partsApartMax ? [{ equal, parts }] : parts.map((part) => ({ equal: part }));
    };

    return async (list, pace) => {
      if (isCounted(list.model) && isWhole(list)) {
        const { rows } = await translated(
          connection.queryRaw(statementOf(dialect, objectCount(accountId, list.model))),
        );
        return Number(rows[0]?.[0]);
      }
      const ids = idsIn(list.where);
      if (ids !== undefined) {
        const found = await byIds(list, ids);
        await pace?.looked?.(found * entriesOfRow);
        return found;
      }
      const time = timeIn(list);
      const parts =
        time === undefined
          ? (await rangesOf(list)).map((range) => ({ equal: range.equal, look: byNumber(list, range) }))
          : [foundInTime(time, list.where, list.indexedByTime)].map((equal) => ({
              equal,
              look: byTime(list, time, equal),
            }));
      let count = 0;
      for (const { equal, look } of parts) {
        const isRead = readsRows(list, equal, time);
        const weighed = async (rows: number): Promise<Slice<number>> => {
          const { all, meeting, isLast } = await look(rows);
          return { value: meeting, entries: isRead ? all * entriesOfRow : all, isLast };
        };
        const sizes = isRead ? rowSlices : entrySlices;
        for await (const some of slicing.slices(accountId, sizes, weighed, pace)) count += some;
      }
      return count;
    };
  };
}

/** Parts that a list is merged from and that are counted one after the other, because then they need no order. */
const partsApartMax = 3;

/** More rows than a slice has, which ends at its last position. */
const countMax = 2 ** 31 - 1;

/** Returns whether a list has all rows of the account. */
function isWhole({ where, within = {} }: CountedList): boolean {
  return Object.keys(idsWithin(within)).length === 0 && Object.values(where).every((wanted) => wanted === undefined);
}

/** Returns the column with a time that the rows are counted in the order of: the first one that a condition sets bounds. */
function timeIn({ where, indexedByTime, column }: CountedList): string | undefined {
  const [named] = Object.keys(equalIn(where));
  // Another text finds fewer rows than a time.
  if (column !== undefined || (named !== undefined && named !== indexedByTime)) return undefined;
  return Object.entries(where).find(([, wanted]) => hasTimes(wanted))?.[0];
}

function hasTimes(wanted: unknown): wanted is object {
  return typeof wanted === 'object' && wanted !== null && Object.values(wanted).some((value) => value instanceof Date);
}

/** Returns whether rows have to be read to decide which of them count, because the index does not hold all that is asked. */
function readsRows({ where, within = {}, column }: CountedList, equal: object, time: string | undefined): boolean {
  const held = time === undefined ? equal : { ...equal, [time]: true };
  const hasIds = Object.keys(idsWithin(within)).length > 0;
  return Object.keys(without(where, held)).length > 0 || (column !== undefined && hasIds);
}

/** Returns the condition that ids are within bounds, or none. */
function idsWithin({ olderThan: lt, newerThan: gt }: IdBounds): object {
  return lt === undefined && gt === undefined ? {} : { id: { lt, gt } };
}

/** Returns whether a condition is one on rows that refer to the counted ones. */
function isRelation(wanted: unknown): boolean {
  return typeof wanted === 'object' && wanted !== null && 'some' in wanted;
}
