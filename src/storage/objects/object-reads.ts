// Reading objects by id and paging through them: the same for every kind of object. Part of `collection.ts`.

import { notFound } from '../../domain/errors.ts';
import { isIdOf } from '../../domain/values/ids.ts';
import { idsIn, isPlain, plainIn, without } from '../sql/conditions.ts';
import { foundByIndex, foundInTime } from '../sql/filter-indexes.ts';
import type { IdBounds, ListPart, PageRequest, Position } from '../sql/list-parts.ts';
import {
  type Bound,
  narrowedTo,
  partInTime,
  type RowRange,
  rangeOf,
  type TimeBounds,
  versionColumn,
} from '../sql/range.ts';
import { type Pace, readInSlices, rowSlices, type SlicedList } from '../sql/read-slices.ts';
import type { AccountView } from './account-scope.ts';
import type { Conditions, ResourceModel, Row } from './columns.ts';

/** A page, newest first or in the requested order. */
export interface Page<R> {
  readonly rows: readonly R[];
  /** Whether rows of the range were left out. */
  readonly more: boolean;
}

/**
 * Reads objects of one kind. Each call is one query, except `getMany` with a long list and pages with conditions that few rows meet.
 */
export interface ObjectReads<M extends ResourceModel> {
  readonly model: M;
  /** Reads one object. Throws NOT_FOUND. */
  get(scope: AccountView, id: string): Promise<Row<M>>;
  /**
   * Reads a page, keyset on the id: paging continues exactly even after an id that has been deleted meanwhile.
   *
   * @param pace how the caller follows a read that takes several slices
   * @param columns the only ones that the rows need to have; all by default
   */
  page(
    scope: AccountView,
    request: PageRequest,
    where: Conditions<M>,
    pace?: Pace,
    columns?: readonly string[],
  ): Promise<Page<Row<M>>>;
  /**
   * Reads a page in the order of a time, the earliest first, keyset on the time and the id: as exact as `page`, except for rows
   * whose time changes meanwhile.
   *
   * @param pace as in `page`
   * @param columns as in `page`
   */
  pageByTime(
    scope: AccountView,
    column: string,
    part: ListPart,
    where: Conditions<M>,
    pace?: Pace,
    columns?: readonly string[],
  ): Promise<Page<Row<M>>>;
  /** Counts the objects that meet a condition, as `Count`. */
  count(scope: AccountView, where: Conditions<M>, within?: IdBounds, pace?: Pace): Promise<number>;
  /**
   * Counts the events of one object, along the index of its versions: with bounds on ids, SQLite would look at the events of all
   * objects.
   */
  countByVersion(scope: AccountView, where: Conditions<M>, within: IdBounds, pace?: Pace): Promise<number>;
  /** Reads objects by their ids; null for an id that names none. */
  getMany(scope: AccountView, ids: readonly string[]): Promise<(Row<M> | null)[]>;
  /** Returns the index of the first id that names no object of this kind in this account; -1 if each names one. */
  firstUnknown(scope: AccountView, ids: readonly string[]): Promise<number>;
}

/**
 * Creates the reads of a model, and those that its writes need.
 *
 * @param indexedByTime the column, besides the account, of an index that finds rows in the order of their times, if there is one
 */
export function createObjectReads<M extends ResourceModel>(model: M, indexedByTime?: string) {
  // Rows of `M`.
  const row = (value: unknown) => value as Row<M>;

  /** Reads one row; undefined if there is none, or none of that version. */
  const find = async (scope: AccountView, where: { id: string; version?: number }) => {
    const [found] = await scope.rows.byIds(model, [where.id]);
    return found !== undefined && (where.version ?? row(found).version) === row(found).version ? found : undefined;
  };

  /**
   * Reads a range of rows that meet a condition. If an index does not decide all of it, reads in slices.
   */
  const readRange = async (
    { rows }: AccountView,
    bounds: Omit<RowRange, 'equal'>,
    where: object,
    pace?: Pace,
    columns?: readonly string[],
  ): Promise<object[]> => {
    const { lessThan, greaterThan, ascending, take } = bounds;
    const ids = idsIn(where);
    if (ids !== undefined) {
      const at = (bound: Bound | undefined) => (bound === undefined ? undefined : [bound]);
      const part = { take, backward: !ascending, after: at(greaterThan), before: at(lessThan) };
      return rows.part(model, { ...part, columns: ['id'], equal: {}, ids }, without(where, { id: true }), columns);
    }
    const equal = plainIn(where);
    const found = foundByIndex(model, equal);
    const others = without(where, equal);
    const all: RowRange = { ...bounds, equal };
    const isSifted =
      Object.keys(others).length > 0 ||
      Object.keys(equal).length > Object.keys(found).length ||
      Object.values(bounds.ids ?? {}).some((bound) => bound !== undefined);
    if (!isSifted) return rows.range(model, all, {}, columns);
    const parts = await rows.partsOf(model, found);
    if (parts.length === 0) return [];
    const read = { parts: parts.map((part) => ({ ...part, ...equal })) };
    const list: SlicedList<RowRange, Bound> = {
      endOf: (rest, most) => rows.endOf(model, { ...rest, equal: found, parts, ids: {}, take: most }),
      read: (rest, until, wanted) => rows.range(model, { ...rest, ...read, until, take: wanted }, others, columns),
      beyond: (rest, until) => ({ ...rest, [ascending ? 'greaterThan' : 'lessThan']: until }),
    };
    return readInSlices((look) => rows.slices(rowSlices, look, pace), all, take, list);
  };

  /** The same in the order of a time. */
  const readPart = async (
    { rows }: AccountView,
    column: string,
    whole: ListPart,
    where: object,
    pace?: Pace,
    columns?: readonly string[],
  ): Promise<object[]> => {
    const { take, backward } = whole;
    const { [column]: bounds = {}, ...others } = where as Readonly<Record<string, unknown>>;
    // Safe cast: the condition of a time.
    const narrowed = narrowedTo(bounds as TimeBounds, whole);
    const ids = idsIn(others);
    if (ids !== undefined) {
      return rows.part(model, { ...partInTime(column, {}, narrowed), ids }, without(others, { id: true }), columns);
    }
    const equal = foundInTime(column, others, indexedByTime?.toString());
    const rest = without(others, equal);
    if (Object.keys(rest).length === 0) return rows.part(model, partInTime(column, equal, narrowed), {}, columns);
    const list: SlicedList<ListPart, Position> = {
      endOf: (left, most) => rows.endOfPart(model, partInTime(column, equal, { ...left, take: most })),
      read: (left, until, wanted) =>
        rows.part(model, partInTime(column, equal, { ...left, until, take: wanted }), rest, columns),
      beyond: (left, until) => ({ ...left, [backward ? 'before' : 'after']: until }),
    };
    return readInSlices((look) => rows.slices(rowSlices, look, pace), narrowed, take, list);
  };

  /** Makes a page of rows of which one more than requested was read, if there are more. */
  const pageOf = ({ take, backward }: Pick<PageRequest, 'take' | 'backward'>, found: object[]): Page<Row<M>> => {
    const rows = found.slice(0, take).map(row);
    if (backward) rows.reverse();
    return { rows, more: found.length > take };
  };

  const reads: ObjectReads<M> = {
    model,

    async get(scope, id) {
      if (!isIdOf(model, id)) throw notFound();
      const found = await find(scope, { id });
      if (found === undefined) throw notFound();
      return row(found);
    },

    async page(scope, request, where, pace, columns) {
      // One row more than requested shows whether there are more.
      const range = rangeOf({ ...request, take: request.take + 1 });
      if (range.column !== undefined && !isPlain(where)) throw notByVersion();
      return pageOf(request, await readRange(scope, range, where, pace, columns));
    },

    async pageByTime(scope, column, part, where, pace, columns) {
      const more = { ...part, take: part.take + 1 };
      return pageOf(part, await readPart(scope, column, more, where, pace, columns));
    },

    count: (scope, where, within, pace) => scope.rows.count({ model, where, within, indexedByTime }, pace),

    async countByVersion(scope, where, within, pace) {
      if (!isPlain(where)) throw notByVersion();
      return scope.rows.count({ model, where, within, column: versionColumn }, pace);
    },

    async getMany(scope, ids) {
      // Each id once: a long list takes several queries, and repetitions would make it longer.
      const wellFormed = [...new Set(ids.filter((id) => isIdOf(model, id)))];
      const found = await scope.rows.byIds(model, wellFormed);
      const byId = new Map(found.map((value) => [row(value).id, row(value)]));
      return ids.map((id) => byId.get(id) ?? null);
    },

    async firstUnknown(scope, ids) {
      const wellFormed = [...new Set(ids.filter((id) => isIdOf(model, id)))];
      const found = await scope.rows.pick<ResourceModel, 'id'>(model, ['id'], 'id', wellFormed);
      const known = new Set(found.map(({ id }) => id));
      return ids.findIndex((id) => !known.has(id));
    },
  };
  return { reads, find };
}

/** Creates the error for a page that cannot be in version order. */
function notByVersion(): Error {
  return new Error('Only rows that are found by the values of columns can be in the order of versions.');
}
