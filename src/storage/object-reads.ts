// Reading objects by id and paging through them: the same for every kind of object. Part of `collection.ts`.

import { notFound } from '../domain/errors.ts';
import { isIdOf } from '../domain/ids.ts';
import type { AccountView } from './account-scope.ts';
import type { Conditions, ResourceModel, Row } from './columns.ts';
import { equalIn, isPlain } from './conditions.ts';
import { delegateName, type ReadingDelegate } from './delegates.ts';
import { foundByIndex } from './filter-indexes.ts';
import { pageArguments, timePageArguments } from './page-arguments.ts';
import { type Bound, type RowRange, rangeOf, versionColumn } from './range.ts';
import { type Pace, readInSlices, rowSlices, type SlicedList } from './slices.ts';

declare const ofDocument: unique symbol;

/**
 * Which columns and relations of a row to load, in Prisma's terms. Created only by Pothos, from the GraphQL selection: a row with
 * fewer columns would not match the type of an answer.
 */
export interface Selection {
  readonly select?: { readonly [ofDocument]: true };
  readonly include?: { readonly [ofDocument]: true };
}

/** A page to read: `take` rows with ids between the two bounds, the newest or, backward, the oldest of them. */
export interface PageRequest {
  take: number;
  /** Only ids less than this one, that is, older objects. */
  olderThan: string | undefined;
  /** Only ids greater than this one, that is, newer objects. */
  newerThan: string | undefined;
  /** Takes the rows at the old end of the range instead of the new one. */
  backward: boolean;
  /**
   * If given, the page is in version order, between these two versions and without them: for events of one object. Ids only narrow
   * it then.
   */
  versions?: { readonly olderThan: number | undefined; readonly newerThan: number | undefined } | undefined;
}

/** Bounds on ids, which are not ids themselves. */
export type IdBounds = Partial<Pick<PageRequest, 'olderThan' | 'newerThan'>>;

/** The order of a list. Objects with the same time are in id order. */
export interface RowOrder {
  /** The column with the time, or the version; undefined for the time of creation, with which ids begin. */
  readonly column: string | undefined;
  readonly ascending: boolean;
}

/** A place in a list ordered by a time and then by id, or by version. */
export interface Place {
  readonly value: Date | number;
  readonly id: string;
}

/** A part of a list: the first `take` of its objects between two places or, backward, the last. */
export interface ListPart<P = Place> {
  readonly take: number;
  readonly backward: boolean;
  readonly after: P | undefined;
  readonly before: P | undefined;
}

/** Rows of a page, newest first or in the requested order. `more`: whether rows of the range were left out. */
export interface Page<R> {
  rows: R[];
  more: boolean;
}

/**
 * Reads objects of one kind. Each call is one query, except `getMany` with a long list, and pages with conditions that few rows
 * meet.
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

  /** Reads a range. If many of the rows that an index finds may not meet the whole condition, reads in slices. */
  const sift = (
    { rows }: AccountView,
    range: RowRange,
    read: (part: RowRange) => Promise<object[]>,
    pace?: Pace,
  ): Promise<object[]> => {
    const equal = foundByIndex(range.equal);
    const isCompared = Object.keys(range.equal).length > Object.keys(equal).length;
    const isSifted = isCompared || Object.values(range.ids ?? {}).some((bound) => bound !== undefined);
    if (!isSifted) return read(range);
    const list: SlicedList<RowRange, Bound> = {
      endOf: (rest, take) => rows.endOf(model, { ...rest, equal, ids: {}, take }),
      read: (rest, until, take) => read({ ...rest, until, take }),
      beyond: (rest, until) => ({ ...rest, [range.ascending ? 'greaterThan' : 'lessThan']: until }),
    };
    return readInSlices((look) => rows.slices(rowSlices, look, pace), range, range.take, list);
  };

  /** The same through Prisma. */
  const readPage = async (
    scope: AccountView,
    range: Omit<RowRange, 'equal'>,
    where: object,
    selection: Selection,
    pace?: Pace,
  ) => {
    const { rows } = scope;
    const all = { ...range, equal: equalIn(where) };
    const read = (rest: RowRange, until: Bound | undefined, take: number) =>
      reading(scope).findMany({ ...pageArguments({ ...rest, until, take }, where), ...selection });
    if (!asksOfEach(where, all.equal)) return read(all, undefined, all.take);
    const list: SlicedList<RowRange, Bound> = {
      endOf: (rest, take) => rows.endOf(model, { ...rest, take }),
      read,
      beyond: (rest, until) => ({ ...rest, [range.ascending ? 'greaterThan' : 'lessThan']: until }),
    };
    return readInSlices((look) => rows.slices(rowSlices, look, pace), all, all.take, list);
  };

  /** The same in the order of a time. */
  const readPart = async (
    scope: AccountView,
    column: string,
    whole: ListPart,
    where: object,
    selection: Selection,
    pace?: Pace,
  ) => {
    const { rows } = scope;
    const { take, backward } = whole;
    const equal = equalIn(where, (name) => name === indexedByTime);
    // A condition on the time itself bounds the rows that are examined.
    if (column in where || !asksOfEach(where, equal)) {
      return reading(scope).findMany({ ...timePageArguments(column, whole, where), ...selection });
    }
    const list: SlicedList<ListPart, Place> = {
      endOf: (rest, most) => rows.endOfPart(model, column, equal, { ...rest, take: most }),
      async read(rest, until, wanted) {
        const slice = { column, equal, part: { ...rest, take: wanted }, until };
        const found = await reads.getMany(scope, await rows.sift(model, slice, where), selection);
        // Rows may be deleted meanwhile.
        return found.filter((each) => each !== null);
      },
      beyond: (rest, until) => ({ ...rest, [backward ? 'before' : 'after']: until }),
    };
    return readInSlices((look) => rows.slices(rowSlices, look, pace), whole, take, list);
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
      const { take, backward } = request;
      // One row more than requested shows whether there are more.
      const range = rangeOf({ ...request, take: take + 1 });
      const isByPrisma = selectsRelations(selection) || !isPlain(where);
      if (isByPrisma && range.column !== undefined) throw notByVersion();
      const found = isByPrisma
        ? await readPage(scope, range, where, selection, pace)
        : await sift(scope, { ...range, equal: where }, (part) => scope.rows.range(model, part), pace);
      const rows = found.slice(0, take).map(row);
      return { rows: backward ? rows.reverse() : rows, more: found.length > take };
    },

    async pageByTime(scope, column, part, where, selection = {}, pace) {
      const { take, backward } = part;
      const found = await readPart(scope, column, { ...part, take: take + 1 }, where, selection, pace);
      const rows = found.slice(0, take).map(row);
      return { rows: backward ? rows.reverse() : rows, more: found.length > take };
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

/**
 * Returns whether a condition asks more of each row than an index finds: anything except the text by which the index is read, and
 * null, which indexes hold as well. A condition on ids leaves only a few rows.
 */
function asksOfEach(where: object, indexed: object): boolean {
  if ('id' in where) return false;
  return Object.entries(where).some(([name, wanted]) => !(name in indexed) && wanted !== undefined && wanted !== null);
}

/** Creates the error for a page that cannot be in version order. */
function notByVersion(): Error {
  return new Error(
    'Only rows without relations that are found by the values of columns can be in the order of versions.',
  );
}
