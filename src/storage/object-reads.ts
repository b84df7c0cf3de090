// Reading objects by id and paging through them: the same for every kind of object. Part of `collection.ts`.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { notFound } from '../domain/errors.ts';
import { isIdOf } from '../domain/ids.ts';
import type { AccountView } from './account-scope.ts';
import type { Conditions, ResourceModel, Row } from './columns.ts';
import type { RowRange } from './range.ts';

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
}

/** Bounds of ids, none of which is an id itself. */
export type IdBounds = Partial<Pick<PageRequest, 'olderThan' | 'newerThan'>>;

/** What a list is in the order of. Objects of the same time are in the order of their ids. */
export interface RowOrder {
  /** The column with the time; undefined for the time of creation, which ids begin with. */
  readonly column: string | undefined;
  readonly ascending: boolean;
}

/** A place in the order of a time and, of the same time, of ids. */
export interface Place {
  readonly time: Date;
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

/** Reads objects of one kind. Each call is one query, but for `getMany` with a long list. */
export interface ObjectReads<M extends ResourceModel> {
  readonly model: M;
  /** Reads one object. Throws NOT_FOUND. */
  get(scope: AccountView, id: string, selection?: Selection): Promise<Row<M>>;
  /** Reads a page, keyset on the id: an id that has been deleted meanwhile still pages on exactly. */
  page(scope: AccountView, request: PageRequest, where: Conditions<M>, selection?: Selection): Promise<Page<Row<M>>>;
  /**
   * Reads a page in the order of a time, the earliest first, keyset on that and the id: as exact as `page`, but for rows whose time
   * changes meanwhile.
   */
  pageByTime(
    scope: AccountView,
    column: string,
    part: ListPart,
    where: Conditions<M>,
    selection?: Selection,
  ): Promise<Page<Row<M>>>;
  /** Counts the objects that meet a condition. */
  count(scope: AccountView, where: Conditions<M>): Promise<number>;
  /** Reads objects by their ids, in one query; null where an id names none. */
  getMany(scope: AccountView, ids: readonly string[], selection?: Selection): Promise<(Row<M> | null)[]>;
  /** Finds the first of some ids that names no object of this kind in this account; -1 when each names one. */
  firstUnknown(scope: AccountView, ids: readonly string[]): Promise<number>;
}

/** Rows that an index finds and that are looked at in one turn of the event loop: that takes 4 ms on SQLite (measured). */
const indexedAtOnce = 5_000;

/** Makes the reads of a model, and what its writes read. */
export function createObjectReads<M extends ResourceModel>(model: M) {
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

  /** Reads rows. Where many of those that an index finds may not meet the whole condition, all else has its turn in between. */
  const readRange = async ({ rows }: AccountView, range: RowRange): Promise<object[]> => {
    const [first, ...others] = Object.entries(range.equal);
    if (first === undefined || others.length === 0 || !rows.turnIsMoment) return rows.range(model, range);
    const found: object[] = [];
    for (let rest = range; ; ) {
      const until = await rows.endOf(model, { ...rest, equal: Object.fromEntries([first]), take: indexedAtOnce });
      found.push(...(await rows.range(model, { ...rest, until, take: range.take - found.length })));
      if (until === undefined || found.length === range.take) return found;
      await nextTurn();
      rest = { ...rest, ...(range.ascending ? { greaterThan: until } : { lessThan: until }) };
    }
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

    async page(scope, request, where, selection = {}) {
      const { take, backward } = request;
      const found =
        selectsRelations(selection) || !isPlain(where)
          ? await reading(scope).findMany({ ...pageArguments(request, where), ...selection })
          : await readRange(scope, {
              equal: where,
              lessThan: request.olderThan,
              greaterThan: request.newerThan,
              ascending: backward,
              take: take + 1,
            });
      const rows = found.slice(0, take).map(row);
      return { rows: backward ? rows.reverse() : rows, more: found.length > take };
    },

    async pageByTime(scope, column, part, where, selection = {}) {
      const { take, backward } = part;
      const found = await reading(scope).findMany({ ...timePageArguments(column, part, where), ...selection });
      const rows = found.slice(0, take).map(row);
      return { rows: backward ? rows.reverse() : rows, more: found.length > take };
    },

    count: (scope, where) => reading(scope).count({ where }),

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

/** Writes a page in Prisma's terms. */
function pageArguments({ take, olderThan, newerThan, backward }: PageRequest, where: object): object {
  const id = {
    ...(olderThan === undefined ? {} : { lt: olderThan }),
    ...(newerThan === undefined ? {} : { gt: newerThan }),
  };
  return { where: { AND: [where, { id }] }, orderBy: { id: backward ? 'asc' : 'desc' }, take: take + 1 };
}

/** Writes a page in the order of a time in Prisma's terms. */
function timePageArguments(column: string, { take, after, before, backward }: ListPart, where: object): object {
  const beyond = ({ time, id }: Place, comparison: 'gt' | 'lt') => [
    // By the first alone, a planner finds the place in an index.
    { [column]: { [`${comparison}e`]: time } },
    { OR: [{ [column]: { [comparison]: time } }, { [column]: time, id: { [comparison]: id } }] },
  ];
  const bounds = [
    ...(after === undefined ? [] : beyond(after, 'gt')),
    ...(before === undefined ? [] : beyond(before, 'lt')),
  ];
  const direction = backward ? 'desc' : 'asc';
  return { where: { AND: [where, ...bounds] }, orderBy: [{ [column]: direction }, { id: direction }], take: take + 1 };
}
