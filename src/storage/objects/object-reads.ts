// Reading objects by id and paging through them: the same for every kind of object. Part of `collection.ts`.

import { notFound } from '../../domain/errors.ts';
import { isIdOf } from '../../domain/values/ids.ts';
import { idsIn, isPlain, plainIn, without } from '../sql/conditions.ts';
import { foundByIndex, foundInTime } from '../sql/filter-indexes.ts';
import type { IdBounds, ListPart, PageRequest, Place } from '../sql/list-parts.ts';
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
import { delegateName, type ReadingDelegate } from './delegates.ts';

declare const ofDocument: unique symbol;

/**
 * Which columns and relations of a row to load, in Prisma's terms. Created only by Pothos, from the GraphQL selection: a row with
 * fewer columns would not match the type of an answer.
 */
export interface Selection {
  readonly select?: { readonly [ofDocument]: true };
  readonly include?: { readonly [ofDocument]: true };
}

/** A page, newest first or in the requested order. */
export interface Page<R> {
  readonly rows: readonly R[];
  /**
   * Where its rows were found, in the same order. With relations, the rows are read after that: one may have another place then, or
   * be missing.
   */
  readonly places: readonly Place[];
  /** Whether rows of the range were left out. */
  readonly more: boolean;
}

/**
 * Reads objects of one kind. Each call is one query, except `getMany` with a long list, pages with conditions that few rows meet,
 * and pages with relations, which are read by the ids of their rows.
 */
export interface ObjectReads<M extends ResourceModel> {
  readonly model: M;
  /** Reads one object. Throws NOT_FOUND. */
  get(scope: AccountView, id: string, selection?: Selection): Promise<Row<M>>;
  /**
   * Reads a page, keyset on the id: paging continues exactly even after an id that has been deleted meanwhile.
   *
   * @param pace how the caller follows a read that takes several slices
   */
  page(
    scope: AccountView,
    request: PageRequest,
    where: Conditions<M>,
    selection?: Selection,
    pace?: Pace,
  ): Promise<Page<Row<M>>>;
  /**
   * Reads a page in the order of a time, the earliest first, keyset on the time and the id: as exact as `page`, except for rows
   * whose time changes meanwhile.
   *
   * @param pace as in `page`
   */
  pageByTime(
    scope: AccountView,
    column: string,
    part: ListPart,
    where: Conditions<M>,
    selection?: Selection,
    pace?: Pace,
  ): Promise<Page<Row<M>>>;
  /** Counts the objects that meet a condition, as `Count`. */
  count(scope: AccountView, where: Conditions<M>, within?: IdBounds, pace?: Pace): Promise<number>;
  /**
   * Counts the events of one object, along the index of its versions: with bounds on ids, SQLite would look at the events of all
   * objects.
   */
  countByVersion(scope: AccountView, where: Conditions<M>, within: IdBounds, pace?: Pace): Promise<number>;
  /** Reads objects by their ids; null for an id that names none. */
  getMany(scope: AccountView, ids: readonly string[], selection?: Selection): Promise<(Row<M> | null)[]>;
  /** Returns the index of the first id that names no object of this kind in this account; -1 if each names one. */
  firstUnknown(scope: AccountView, ids: readonly string[]): Promise<number>;
}

/**
 * Creates the reads of a model, and those that its writes need.
 *
 * @param indexedByTime the column, besides the account, of an index that finds rows in the order of their times, if there is one
 */
export function createObjectReads<M extends ResourceModel>(model: M, indexedByTime?: string) {
  const property = delegateName<ResourceModel>(model);
  const reading = (scope: AccountView): ReadingDelegate => scope.db[property];
  // The delegate of `M` returns rows of `M`, plus relations for Pothos.
  const row = (value: unknown) => value as Row<M>;

  /** Reads one row and the selected relations; undefined if there is none, or none of that version. */
  const find = async (scope: AccountView, where: { id: string; version?: number }, selection: Selection = {}) => {
    if (selectsRelations(selection)) return (await reading(scope).findFirst({ where, ...selection })) ?? undefined;
    const [found] = await scope.rows.byIds(model, [where.id]);
    return found !== undefined && (where.version ?? row(found).version) === row(found).version ? found : undefined;
  };

  /**
   * Reads a range of rows that meet a condition. If an index does not decide all of it, reads in slices.
   *
   * @param columns as in `AccountRows.range`
   */
  const readRange = async (
    { rows }: AccountView,
    bounds: Omit<RowRange, 'equal'>,
    where: object,
    columns: readonly string[] | undefined,
    pace?: Pace,
  ): Promise<object[]> => {
    const { lessThan, greaterThan, ascending, take } = bounds;
    const ids = idsIn(where);
    if (ids !== undefined) {
      const at = (bound: Bound | undefined) => (bound === undefined ? undefined : [bound]);
      const part = { take, backward: !ascending, after: at(greaterThan), before: at(lessThan) };
      return rows.part(model, { ...part, columns: ['id'], equal: {}, ids }, without(where, { id: true }), columns);
    }
    const equal = plainIn(where);
    const found = foundByIndex(equal);
    const others = without(where, equal);
    const all: RowRange = { ...bounds, equal };
    const isSifted =
      Object.keys(others).length > 0 ||
      Object.keys(equal).length > Object.keys(found).length ||
      Object.values(bounds.ids ?? {}).some((bound) => bound !== undefined);
    if (!isSifted) return rows.range(model, all, {}, columns);
    const list: SlicedList<RowRange, Bound> = {
      endOf: (rest, most) => rows.endOf(model, { ...rest, equal: found, ids: {}, take: most }),
      read: (rest, until, wanted) => rows.range(model, { ...rest, until, take: wanted }, others, columns),
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
    columns: readonly string[] | undefined,
    pace?: Pace,
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
    const list: SlicedList<ListPart, Place> = {
      endOf: (left, most) => rows.endOfPart(model, partInTime(column, equal, { ...left, take: most })),
      read: (left, until, wanted) =>
        rows.part(model, partInTime(column, equal, { ...left, until, take: wanted }), rest, columns),
      beyond: (left, until) => ({ ...left, [backward ? 'before' : 'after']: until }),
    };
    return readInSlices((look) => rows.slices(rowSlices, look, pace), narrowed, take, list);
  };

  /**
   * Makes a page of rows of which one more than requested was read, if there are more.
   *
   * @param column the column of the order; undefined for the id
   */
  const pageOf = async (
    scope: AccountView,
    { take, backward }: Pick<PageRequest, 'take' | 'backward'>,
    column: string | undefined,
    selection: Selection,
    read: (columns: readonly string[] | undefined) => Promise<object[]>,
  ): Promise<Page<Row<M>>> => {
    const isWhole = !selectsRelations(selection);
    const found = await read(isWhole ? undefined : ['id', ...(column === undefined ? [] : [column])]);
    const some = found.slice(0, take).map(row);
    if (backward) some.reverse();
    const places = some.map((each) => placeOf(column, each));
    const ids = isWhole ? [] : places.map(({ id }) => id);
    const selected = isWhole ? some : await reads.getMany(scope, ids, selection);
    // Rows may be deleted meanwhile.
    return { rows: selected.filter((each) => each !== null), places, more: found.length > take };
  };

  /** Returns whether an object meets a condition. */
  const has = async (scope: AccountView, where: object) => (await reading(scope).count({ where })) > 0;

  const reads: ObjectReads<M> = {
    model,

    async get(scope, id, selection) {
      if (!isIdOf(model, id)) throw notFound();
      const found = await find(scope, { id }, selection);
      if (found === undefined) throw notFound();
      return row(found);
    },

    async page(scope, request, where, selection = {}, pace) {
      // One row more than requested shows whether there are more.
      const range = rangeOf({ ...request, take: request.take + 1 });
      if (range.column !== undefined && !isPlain(where)) throw notByVersion();
      return pageOf(scope, request, range.column, selection, (columns) =>
        readRange(scope, range, where, columns, pace),
      );
    },

    async pageByTime(scope, column, part, where, selection = {}, pace) {
      const more = { ...part, take: part.take + 1 };
      return pageOf(scope, part, column, selection, (columns) => readPart(scope, column, more, where, columns, pace));
    },

    count: (scope, where, within, pace) => scope.rows.count({ model, where, within, indexedByTime }, pace),

    async countByVersion(scope, where, within, pace) {
      if (!isPlain(where)) throw notByVersion();
      return scope.rows.count({ model, where, within, column: versionColumn }, pace);
    },

    async getMany(scope, ids, selection = {}) {
      // Each id once: a long list takes several queries, and repetitions would make it longer.
      const wellFormed = [...new Set(ids.filter((id) => isIdOf(model, id)))];
      const found = selectsRelations(selection)
        ? await reading(scope).findMany({ where: { id: { in: wellFormed } }, ...selection })
        : await scope.rows.byIds(model, wellFormed);
      const byId = new Map(found.map((value) => [row(value).id, row(value)]));
      return ids.map((id) => byId.get(id) ?? null);
    },

    async firstUnknown(scope, ids) {
      return (await this.getMany(scope, ids)).indexOf(null);
    },
  };
  return { reads, find, has };
}

/** Returns whether more than the row itself is selected: `include` holds only relations, `select` columns as well. */
export function selectsRelations({ select, include }: Selection): boolean {
  return Object.keys(include ?? {}).length > 0 || Object.keys(select ?? {}).length > 0;
}

/** Returns the place of a row in the order of a column; undefined for the id. */
function placeOf(column: string | undefined, row: { readonly id: string }): Place {
  // Safe cast: a row is an object of columns.
  const value = column === undefined ? 0 : (row as { readonly [column: string]: unknown })[column];
  if (!(value instanceof Date) && typeof value !== 'number') throw new Error(`${column} is no time, and no version.`);
  return { id: row.id, value };
}

/** Creates the error for a page that cannot be in version order. */
function notByVersion(): Error {
  return new Error('Only rows that are found by the values of columns can be in the order of versions.');
}
