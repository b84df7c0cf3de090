// Reading, changing and deleting objects by id, and paging through them: the same for every kind of object.

import { notFound, SallyportError } from '../domain/errors.ts';
import { isIdOf, type Kind } from '../domain/ids.ts';
import { type Notes, notesForUpdate } from '../domain/text.ts';
import type { AccountScope } from './account-scope.ts';
import { isMissingRow } from './errors.ts';
import type { Prisma } from './generated/client/client.ts';

type Models = Prisma.TypeMap['model'];

/** The columns of a model. */
export type Row<M extends keyof Models> = Models[M]['payload']['scalars'];

/** Names of the models whose rows clients address by id. */
export type ResourceModel = {
  [M in keyof Models]: Row<M> extends { id: string; accountId: string; version: number } ? M : never;
}[keyof Models] &
  Kind;

/** What of a row and its relations to load, in Prisma's terms. Pothos makes it from the GraphQL selection. */
export interface Selection {
  select?: unknown;
  include?: unknown;
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

/** Rows of a page, newest first. `more` tells whether rows of the range were left out. */
export interface Page<R> {
  rows: R[];
  more: boolean;
}

/** A change to an object: only the columns named change. */
export type Change<M extends ResourceModel> = Partial<Omit<Row<M>, 'id' | 'accountId' | 'version' | 'createdAt'>>;

/** The version that a change is made for; null and undefined for whatever there is. */
export type ExpectedVersion = number | null | undefined;

/** A change to the notes of an object. */
export type NotesChange = Notes & { id: string; expectedVersion?: ExpectedVersion };

/** The part of a Prisma delegate that this file uses, the same for every model. */
interface Delegate {
  findFirst(args: object): Promise<unknown>;
  findMany(args: object): Promise<unknown[]>;
  update(args: object): Promise<unknown>;
  delete(args: object): Prisma.PrismaPromise<unknown>;
  count(args: object): Promise<number>;
}

/** The operations that every kind of object has. Each is one database call, but for the reason of a failure. */
export interface Collection<M extends ResourceModel> {
  /** Reads one object. Throws NOT_FOUND. */
  get(scope: AccountScope, id: string, selection?: Selection): Promise<Row<M>>;
  /** Reads a page, keyset on the id: an id that has been deleted meanwhile still pages on exactly. */
  page(scope: AccountScope, request: PageRequest, where: object, selection?: Selection): Promise<Page<Row<M>>>;
  /** Counts the objects that meet a condition. */
  count(scope: AccountScope, where: object): Promise<number>;
  /**
   * Changes one object and counts its version up; an empty change only reads. Throws NOT_FOUND, and VERSION_CONFLICT
   * when a version is expected that the object does not have: checked and written in one statement.
   */
  update(
    scope: AccountScope,
    id: string,
    change: Change<M> & Record<string, unknown>,
    expectedVersion: ExpectedVersion,
    selection?: Selection,
  ): Promise<Row<M>>;
  /** Changes only the notes of an object, which is all that some kinds let be changed. Throws as `update`, INVALID_INPUT. */
  updateNotes(scope: AccountScope, change: NotesChange, selection?: Selection): Promise<Row<M>>;
  /** Reads objects by their ids, in one query; null where an id names none. */
  getMany(scope: AccountScope, ids: readonly string[], selection?: Selection): Promise<(Row<M> | null)[]>;
  /** Finds the first of some ids that names no object of this kind in this account; -1 when each names one. */
  firstUnknown(scope: AccountScope, ids: readonly string[]): Promise<number>;
  /** Deletes one object, together with other writes that succeed or fail with it. Throws as `update`. */
  remove(
    scope: AccountScope,
    id: string,
    expectedVersion: ExpectedVersion,
    alongside?: readonly Prisma.PrismaPromise<unknown>[],
  ): Promise<void>;
}

/** Makes the operations of a model. */
export function collection<M extends ResourceModel>(model: M): Collection<M> {
  // The delegates of different models have unrelated types, and the relations of each model another selection; what is
  // used of them here is the same for all. `Row<M>` is what a delegate of `M` gives, plus relations for Pothos.
  const property = `${model.charAt(0).toLowerCase()}${model.slice(1)}` as keyof AccountScope['db'];
  const delegate = (scope: AccountScope) => scope.db[property] as unknown as Delegate;
  const row = (value: unknown) => value as Row<M>;

  const addressed = (id: string, expectedVersion: ExpectedVersion) => {
    if (!isIdOf(model, id)) throw notFound();
    return { id, ...(expectedVersion == null ? {} : { version: expectedVersion }) };
  };

  const whyMissing = async (scope: AccountScope, id: string) => {
    const found = await delegate(scope).findFirst({ where: { id }, select: { version: true } });
    if (found === null) return notFound();
    return new SallyportError(
      'VERSION_CONFLICT',
      `The object has changed; it is at version ${row(found).version}. Read it again and repeat the change.`,
    );
  };

  const change = async (
    scope: AccountScope,
    id: string,
    columns: object,
    expectedVersion: ExpectedVersion,
    selection?: Selection,
  ) => {
    const where = addressed(id, expectedVersion);
    if (Object.keys(columns).length === 0) {
      const found = await delegate(scope).findFirst({ where, ...selection });
      if (found === null) throw await whyMissing(scope, id);
      return row(found);
    }
    const data = { ...columns, version: { increment: 1 } };
    try {
      return row(await delegate(scope).update({ where, data, ...selection }));
    } catch (error) {
      throw isMissingRow(error) ? await whyMissing(scope, id) : error;
    }
  };

  /** Reads one row, with what is selected beside it; undefined when there is none. */
  const find = async (scope: AccountScope, id: string, selection: Selection = {}) => {
    const where = addressed(id, null);
    if (selectsRelations(selection)) return (await delegate(scope).findFirst({ where, ...selection })) ?? undefined;
    const [found] = await scope.rows.byIds(model, [id]);
    return found;
  };

  return {
    async get(scope, id, selection) {
      const found = await find(scope, id, selection);
      if (found === undefined) throw notFound();
      return row(found);
    },

    async page(scope, request, where, selection = {}) {
      const { take, backward } = request;
      const found =
        selectsRelations(selection) || !isPlain(where)
          ? await delegate(scope).findMany({ ...pageArguments(request, where), ...selection })
          : await scope.rows.range(model, {
              equal: where,
              lessThan: request.olderThan,
              greaterThan: request.newerThan,
              ascending: backward,
              take: take + 1,
            });
      const rows = found.slice(0, take).map(row);
      return { rows: backward ? rows.reverse() : rows, more: found.length > take };
    },

    count: (scope, where) => delegate(scope).count({ where }),

    async getMany(scope, ids, selection = {}) {
      // Each id once: a long list takes several queries, repetitions and all.
      const wellFormed = [...new Set(ids.filter((id) => isIdOf(model, id)))];
      const found = selectsRelations(selection)
        ? await delegate(scope).findMany({ where: { id: { in: wellFormed } }, ...selection })
        : await scope.rows.byIds(model, wellFormed);
      const byId = new Map(found.map((value) => [row(value).id, row(value)]));
      return ids.map((id) => byId.get(id) ?? null);
    },

    async updateNotes(scope, { id, expectedVersion, ...notes }, selection) {
      return change(scope, id, notesForUpdate(notes), expectedVersion, selection);
    },

    async firstUnknown(scope, ids) {
      return (await this.getMany(scope, ids)).indexOf(null);
    },

    update: change,

    async remove(scope, id, expectedVersion, alongside = []) {
      const where = addressed(id, expectedVersion);
      try {
        const removal = delegate(scope).delete({ where, select: { id: true } });
        await (alongside.length === 0 ? removal : scope.db.$transaction([removal, ...alongside]));
      } catch (error) {
        throw isMissingRow(error) ? await whyMissing(scope, id) : error;
      }
    },
  };
}

/** Tells whether more than the row itself is selected: `include` holds relations alone, and `select` columns as well. */
function selectsRelations({ select, include }: Selection): boolean {
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
