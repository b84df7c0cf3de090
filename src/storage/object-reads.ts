// Reading objects by id and paging through them: the same for every kind of object. Part of `collection.ts`.

import { notFound } from '../domain/errors.ts';
import { isIdOf } from '../domain/ids.ts';
import type { AccountView } from './account-scope.ts';
import type { Conditions, ResourceModel, Row } from './columns.ts';
import { pageArguments, timePageArguments } from './page-arguments.ts';
import { type Bound, type RowRange, rangeOf, versionColumn } from './range.ts';
import { inSlices, type Slices } from './slices.ts';

declare const ofDocument: unique symbol;

/**
 * What of a row and its relations to load, in Prisma's terms. Only Pothos makes it, from the GraphQL selection: a row with
 * fewer columns would not be what the type of an answer says.
 */
export interface Selection {
  readonly select?: { readonly [ofDocument]: true };
  readonly include?: { readonly [ofDocument]: true };
}

/** A page to read: `take` rows with ids between the two, the newest or, backward, the oldest of them. */
export interface PageRequest {
  take: number;
  /** Only ids less than this one, that is, older objects. */
  olderThan: string | undefined;
  /** Only ids greater than this one, that is, newer objects. */
  newerThan: string | undefined;
  /** Takes the rows at the old end of the range instead of the new one. */
  backward: boolean;
  /**
   * Has the page in the order of versions, between these two, which are none of its own: for events of one object. Ids only narrow it
   * then.
   */
  versions?: { readonly olderThan: number | undefined; readonly newerThan: number | undefined } | undefined;
}

/** Bounds of ids, none of which is an id itself. */
export type IdBounds = Partial<Pick<PageRequest, 'olderThan' | 'newerThan'>>;

/** What a list is in the order of. Objects of the same time are in the order of their ids. */
export interface RowOrder {
  /** The column with the time, or the version; undefined for the time of creation, which ids begin with. */
  readonly column: string | undefined;
  readonly ascending: boolean;
}

/** A place in the order of a time and, of the same time, of ids; or in that of versions. */
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

/** Rows of a page, newest first or in the order that was asked for. `more` tells whether rows of the range were left out. */
export interface Page<R> {
  rows: R[];
  more: boolean;
}

/** The part of a Prisma delegate that reads, the same for every model. */
interface Delegate {
  findFirst(args: object): Promise<object | null>;
  findMany(args: object): Promise<object[]>;
  count(args: object): Promise<number>;
}

/** Reads objects of one kind. Each call is one query, but for `getMany` with a long list, and for pages of which few rows are left. */
export interface ObjectReads<M extends ResourceModel> {
  readonly model: M;
  /** Reads one object. Throws NOT_FOUND. */
  get(scope: AccountView, id: string, selection?: Selection): Promise<Row<M>>;
  /**
   * Reads a page, keyset on the id: an id that has been deleted meanwhile still pages on exactly.
   *
   * @param signal gives what fires when nobody waits for the page any more: what takes several turns ends with its reason
   */
  page(
    scope: AccountView,
    request: PageRequest,
    where: Conditions<M>,
    selection?: Selection,
    signal?: () => AbortSignal,
  ): Promise<Page<Row<M>>>;
  /**
   * Reads a page in the order of a time, the earliest first, keyset on that and the id: as exact as `page`, but for rows whose time
   * changes meanwhile.
   *
   * @param signal as of `page`
   */
  pageByTime(
    scope: AccountView,
    column: string,
    part: ListPart,
    where: Conditions<M>,
    selection?: Selection,
    signal?: () => AbortSignal,
  ): Promise<Page<Row<M>>>;
  /** Counts the objects that meet a condition. */
  count(scope: AccountView, where: Conditions<M>): Promise<number>;
  /** Counts the events of one object, along the index of its versions: given ids as bounds, SQLite would look at those of all objects. */
  countByVersion(scope: AccountView, where: Conditions<M>, ids: IdBounds): Promise<number>;
  /** Reads objects by their ids, in one query; null where an id names none. */
  getMany(scope: AccountView, ids: readonly string[], selection?: Selection): Promise<(Row<M> | null)[]>;
  /** Finds the first of some ids that names no object of this kind in this account; -1 when each names one. */
  firstUnknown(scope: AccountView, ids: readonly string[]): Promise<number>;
}

/** Rows of an index that are looked at in one turn of the event loop, which takes 4 ms on SQLite (measured). */
const indexedAtOnce = 5_000;
/** The same in the order of another time, where the rows are scattered: 9 ms. */
const scatteredAtOnce = 2_000;
/** More rows than an object has versions. */
const countMax = 2 ** 31 - 1;

/**
 * Makes the reads of a model, and what its writes read.
 *
 * @param indexedByTime the column besides the account by which an index finds rows in the order of their times, if there is one
 */
export function createObjectReads<M extends ResourceModel>(model: M, indexedByTime?: keyof Row<M>) {
  // Prisma names the delegate of a model so.
  const property = `${model.charAt(0).toLowerCase()}${model.slice(1)}` as Uncapitalize<ResourceModel>;
  const reading = (scope: AccountView): Delegate => scope.db[property];
  // The delegate of `M` gives rows of `M`, plus relations for Pothos.
  const row = (value: unknown) => value as Row<M>;

  /** Reads one row, with what is selected beside it; undefined when there is none, or none of that version. */
  const find = async (scope: AccountView, where: { id: string; version?: number }, selection: Selection = {}) => {
    if (selectsRelations(selection)) return (await reading(scope).findFirst({ where, ...selection })) ?? undefined;
    const [found] = await scope.rows.byIds(model, [where.id]);
    return found !== undefined && (where.version ?? row(found).version) === row(found).version ? found : undefined;
  };

  /** Reads what there is of a range. Where many of the rows that an index finds may not meet the whole condition, it reads in slices. */
  const sift = (
    { rows }: AccountView,
    range: RowRange,
    read: (part: RowRange) => Promise<object[]>,
    signal?: () => AbortSignal,
  ): Promise<object[]> => {
    const [first, ...others] = Object.entries(range.equal);
    const isSifted = others.length > 0 || Object.values(range.ids ?? {}).some((bound) => bound !== undefined);
    if (first === undefined || !isSifted || !rows.turnIsMoment) return read(range);
    const slices: Slices<RowRange, Bound> = {
      endOf: (rest) => rows.endOf(model, { ...rest, equal: Object.fromEntries([first]), ids: {}, take: indexedAtOnce }),
      read: (rest, until, take) => read({ ...rest, until, take }),
      beyond: (rest, until) => ({ ...rest, [range.ascending ? 'greaterThan' : 'lessThan']: until }),
    };
    return inSlices(range, range.take, slices, signal);
  };

  /** The same by Prisma. */
  const readPage = async (
    scope: AccountView,
    range: Omit<RowRange, 'equal'>,
    where: object,
    selection: Selection,
    signal?: () => AbortSignal,
  ) => {
    const indexed = Object.entries(where).find(isEqualText);
    const equal = indexed === undefined ? {} : Object.fromEntries([indexed]);
    const isSifted = scope.rows.turnIsMoment && asksOfEach(where, indexed?.[0]);
    const slices: Slices<RowRange, Bound> = {
      endOf: async (rest) => (isSifted ? scope.rows.endOf(model, { ...rest, take: indexedAtOnce }) : undefined),
      read: async (rest, until, wanted) =>
        reading(scope).findMany({ ...pageArguments({ ...rest, until, take: wanted }, where), ...selection }),
      beyond: (rest, until) => ({ ...rest, [range.ascending ? 'greaterThan' : 'lessThan']: until }),
    };
    return inSlices({ ...range, equal }, range.take, slices, signal);
  };

  /** The same in the order of a time. */
  const readPart = async (
    scope: AccountView,
    column: string,
    whole: ListPart,
    where: object,
    selection: Selection,
    signal?: () => AbortSignal,
  ) => {
    const { take, backward } = whole;
    const indexed = Object.entries(where).find((entry) => isEqualText(entry) && entry[0] === indexedByTime);
    const equal = indexed === undefined ? {} : Object.fromEntries([indexed]);
    // A condition on the time itself bounds what is looked at.
    const isSifted = scope.rows.turnIsMoment && !(column in where) && asksOfEach(where, indexed?.[0]);
    const slices: Slices<ListPart, Place> = {
      endOf: async (rest) =>
        isSifted ? scope.rows.endOfPart(model, column, equal, { ...rest, take: scatteredAtOnce }) : undefined,
      read: async (rest, until, wanted) =>
        reading(scope).findMany({
          ...timePageArguments(column, { ...rest, take: wanted }, until, where),
          ...selection,
        }),
      beyond: (rest, until) => ({ ...rest, [backward ? 'before' : 'after']: until }),
    };
    return inSlices(whole, take, slices, signal);
  };

  /** Tells whether an object meets a condition. */
  const has = async (scope: AccountView, where: object) => (await reading(scope).count({ where })) > 0;

  const reads: ObjectReads<M> = {
    model,

    async get(scope, id, selection) {
      if (!isIdOf(model, id)) throw notFound();
      const found = await find(scope, { id }, selection);
      if (found === undefined) throw notFound();
      return row(found);
    },

    async page(scope, request, where, selection = {}, signal) {
      const { take, backward } = request;
      // One more than is asked for tells whether there is one.
      const range = rangeOf({ ...request, take: take + 1 });
      const isByPrisma = selectsRelations(selection) || !isPlain(where);
      if (isByPrisma && range.column !== undefined) throw notByVersion();
      const found = isByPrisma
        ? await readPage(scope, range, where, selection, signal)
        : await sift(scope, { ...range, equal: where }, (part) => scope.rows.range(model, part), signal);
      const rows = found.slice(0, take).map(row);
      return { rows: backward ? rows.reverse() : rows, more: found.length > take };
    },

    async pageByTime(scope, column, part, where, selection = {}, signal) {
      const { take, backward } = part;
      const found = await readPart(scope, column, { ...part, take: take + 1 }, where, selection, signal);
      const rows = found.slice(0, take).map(row);
      return { rows: backward ? rows.reverse() : rows, more: found.length > take };
    },

    count: (scope, where) => reading(scope).count({ where }),

    async countByVersion(scope, where, ids) {
      if (!isPlain(where)) throw notByVersion();
      const bounds = { column: versionColumn, lessThan: undefined, greaterThan: undefined, ids } as const;
      const all = { ...bounds, equal: where, ascending: true, take: countMax };
      const countPart = async (part: RowRange) => [{ count: await scope.rows.countRange(model, part) }];
      const counted = await sift(scope, all, countPart);
      // Safe cast: they are what `countPart` gives.
      return (counted as { count: number }[]).reduce((sum, { count }) => sum + count, 0);
    },

    async getMany(scope, ids, selection = {}) {
      // Each id once: a long list takes several queries, repetitions and all.
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

/** Tells whether more than the row itself is selected: `include` holds relations alone, and `select` columns as well. */
export function selectsRelations({ select, include }: Selection): boolean {
  return Object.keys(include ?? {}).length > 0 || Object.keys(select ?? {}).length > 0;
}

/** Tells whether a condition asks only which values columns have. */
function isPlain(where: object): where is Record<string, string> {
  return Object.values(where).every((value) => typeof value === 'string');
}

/** Tells whether part of a condition is that a column has a text. */
function isEqualText(entry: [string, unknown]): entry is [string, string] {
  return typeof entry[1] === 'string';
}

/**
 * Tells whether a condition asks more of each row than an index finds: all that is not a text that one is read by, or null, which
 * indexes hold as well. What names the objects themselves leaves few.
 */
function asksOfEach(where: object, indexed: string | undefined): boolean {
  if ('id' in where) return false;
  return Object.entries(where).some(([name, wanted]) => name !== indexed && wanted !== undefined && wanted !== null);
}

/** Makes the error for what cannot be in the order of versions. */
function notByVersion(): Error {
  return new Error(
    'Only rows without relations that are found by the values of columns can be in the order of versions.',
  );
}
