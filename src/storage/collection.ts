// Making, reading, changing and deleting objects, and paging through them: the same for every kind of object.

import { notFound } from '../domain/errors.ts';
import { isIdOf } from '../domain/ids.ts';
import { type Notes, notesForUpdate } from '../domain/text.ts';
import type { AccountScope } from './account-scope.ts';
import { type Write as AnyWrite, plainly, writerOf } from './changes.ts';
import type { Columns, Conditions, ModuleOf, ModuleValues, NewColumns, Only, ResourceModel, Row } from './columns.ts';
import { isMissingRow } from './errors.ts';
import type { Prisma } from './generated/client/client.ts';
import type { ObjectWrite as Write } from './object-changes.ts';
import { createObjectReads, type ObjectReads, type Selection, selectsRelations } from './object-reads.ts';
import { relationsOfNewRow } from './relations.ts';
import { holdsSecrets } from './reseal.ts';
import type { ChangeAction } from './trail.ts';
import { type ExpectedVersion, versionConflict } from './version-conflict.ts';
import type { RemoveAllOptions, WriteOptions } from './write-options.ts';

export type { Columns, Conditions, ModuleOf, NewColumns, ResourceModel, Row } from './columns.ts';
export type { ObjectWrite as Write } from './object-changes.ts';
export type { ObjectReads, Page, PageRequest, Selection } from './object-reads.ts';
export type { ExpectedVersion } from './version-conflict.ts';
export type { WriteOptions } from './write-options.ts';

/** A change to the notes of an object. */
export type NotesChange = Notes & { id: string; expectedVersion?: ExpectedVersion };

/** Counts up the version of an object whose answer shows what is changed elsewhere. */
export const countedUp = { version: { increment: 1 } } as const;

/** Objects that `removeAll` deletes by one batch, with an event each. */
const removedAtOnce = 100;

/** An object that is about to be made. */
export interface NewObject {
  readonly id: string;
  readonly createdAt: Date;
  /** Of one that comes back after its deletion: versions go on from there. Otherwise it is the first. */
  readonly version?: number;
}

/** The part of a Prisma delegate that writes, the same for every model. */
interface WritingDelegate {
  create(args: object): Prisma.PrismaPromise<object>;
  update(args: object): Prisma.PrismaPromise<object>;
  delete(args: object): Prisma.PrismaPromise<object>;
  updateMany(args: object): Prisma.PrismaPromise<object>;
  deleteMany(args: object): Prisma.PrismaPromise<{ count: number }>;
}

/** What every kind of object can do. Each call is one statement or batch; only explaining a failure takes more. */
export interface Collection<M extends ResourceModel> extends ObjectReads<M> {
  /** Gives what an object to be made will have, where its columns depend on it. */
  newObject(scope: AccountScope): NewObject;
  /**
   * Makes one object: its id, account, version and times come by themselves.
   *
   * @param options.object what `newObject` gave, or an object that comes back
   */
  create<C extends NewColumns<M>>(
    scope: AccountScope,
    columns: C & Only<C, NewColumns<M>>,
    options?: WriteOptions & { readonly object?: NewObject },
  ): Promise<Row<M>>;
  /**
   * Changes the columns named, and counts the version up; an empty change only reads. Throws NOT_FOUND, and VERSION_CONFLICT
   * when a version is expected that the object does not have: checked and written in one statement. Where it is something
   * else that a write refers to and is missing, the error is that of `isMissingRow`.
   */
  update<C extends Columns<M>>(
    scope: AccountScope,
    id: string,
    columns: C & Only<C, Columns<M>>,
    expectedVersion: ExpectedVersion,
    options?: WriteOptions,
  ): Promise<Row<M>>;
  /** Changes only the notes of an object, which is all that some kinds let be changed. Throws as `update`, INVALID_INPUT. */
  updateNotes(scope: AccountScope, change: NotesChange, selection?: Selection): Promise<Row<M>>;
  /** Deletes one object. Throws as `update`. */
  remove(scope: AccountScope, id: string, expectedVersion: ExpectedVersion, options?: WriteOptions): Promise<void>;
  /** Deletes all objects that meet the conditions, some at a time, and gives their number. */
  removeAll(scope: AccountScope, where: Conditions<M>, options?: RemoveAllOptions<M>): Promise<number>;
  /**
   * Sets a module of an object, a part that the object shows: so the version of the object counts up. Throws as `update`.
   *
   * @param values `create` for a module that is not set, `update` for one that is; both where that is not known
   */
  setModule<K extends ModuleOf<M>>(
    scope: AccountScope,
    id: string,
    module: K,
    values: ModuleValues<M, K>,
    expectedVersion: ExpectedVersion,
    options?: WriteOptions,
  ): Promise<Row<M>>;
  /** Deletes a module of an object. One that is not set is as good as deleted, and changes nothing. Throws as `update`. */
  unsetModule(
    scope: AccountScope,
    id: string,
    module: ModuleOf<M>,
    expectedVersion: ExpectedVersion,
    options?: WriteOptions,
  ): Promise<Row<M>>;
  /** Prepares a change to write alongside another; it fails as `isMissingRow` tells where no object meets the conditions. */
  prepareUpdate<C extends Columns<M>>(
    scope: AccountScope,
    where: Conditions<M> & { id: string },
    columns: C & Only<C, Columns<M>>,
  ): Write;
  /** Prepares an object to be made alongside another. */
  prepareCreate<C extends NewColumns<M>>(
    scope: AccountScope,
    object: NewObject,
    columns: C & Only<C, NewColumns<M>>,
  ): Write;
}

/**
 * Makes the collection of a model. Each is made once, in `collections.ts`.
 *
 * @param indexedByTime as `createObjectReads` takes it
 */
export function collection<M extends ResourceModel>(model: M, indexedByTime?: keyof Row<M>): Collection<M> {
  // Prisma names the delegate of a model so.
  const property = `${model.charAt(0).toLowerCase()}${model.slice(1)}` as Uncapitalize<ResourceModel>;
  const { reads, find, has } = createObjectReads(model, indexedByTime);
  const writing = (scope: AccountScope): WritingDelegate => writerOf(scope).db[property];
  const changing = (scope: AccountScope) => writerOf(scope).rowChanges;
  const changedNow = ({ now }: AccountScope) => ({ updatedAt: now() });
  // The delegate of `M` gives rows of `M`, plus relations for Pothos.
  const row = (value: unknown) => value as Row<M>;

  const touching = <T>(id: string, action: ChangeAction | null, write: AnyWrite<T>, columns = {}): Write<T> => ({
    write,
    touched: action === null ? [] : [{ model, id, action }],
    turns: [{ model, id, made: action === 'create' ? columns : null }],
    seals: holdsSecrets(model, columns),
  });

  const updating = (scope: AccountScope, where: { id: string }, data: object) => {
    const select = { id: true };
    const changed = changing(scope).update(model, where, data, Object.keys(select));
    return plainly(changed, () => writing(scope).update({ where, data, select }));
  };

  const creating = (scope: AccountScope, columns: object, object: NewObject, toRead: Selection) => {
    // One that comes back was made long ago.
    const changed = object.version === undefined ? { updatedAt: object.createdAt } : changedNow(scope);
    const data = { ...columns, ...object, ...changed };
    const made = selectsRelations(toRead) ? null : changing(scope).create(model, data);
    return touching(
      data.id,
      'create',
      plainly(made, () => writing(scope).create({ data, ...toRead })),
      data,
    );
  };

  const addressed = (id: string, expectedVersion: ExpectedVersion) => {
    if (!isIdOf(model, id)) throw notFound();
    return { id, ...(expectedVersion == null ? {} : { version: expectedVersion }) };
  };

  /** Tells why a write found a row missing; null when it is not because of this one. */
  const whyMissing = async (scope: AccountScope, id: string, expectedVersion: ExpectedVersion) => {
    const [found] = await scope.rows.byIds(model, [id]);
    if (found === undefined) return notFound();
    const { version } = row(found);
    if (expectedVersion == null || expectedVersion === version) return null;
    return versionConflict(version);
  };

  /** Awaits a write to an object. */
  const explained = async <T>(write: Promise<T>, scope: AccountScope, id: string, expectedVersion: ExpectedVersion) => {
    try {
      return await write;
    } catch (error) {
      throw isMissingRow(error) ? ((await whyMissing(scope, id, expectedVersion)) ?? error) : error;
    }
  };

  const change = async (
    scope: AccountScope,
    id: string,
    columns: object,
    expectedVersion: ExpectedVersion,
    { selection = {}, alongside, acknowledged }: WriteOptions = {},
  ) => {
    const where = addressed(id, expectedVersion);
    if (Object.keys(columns).length === 0) {
      const found = await find(scope, where, selection);
      if (found === undefined) throw (await whyMissing(scope, id, expectedVersion)) ?? notFound();
      return row(found);
    }
    const data = { ...columns, ...countedUp, ...changedNow(scope) };
    const changed = selectsRelations(selection) ? null : changing(scope).update(model, where, data);
    const write = touching(
      id,
      'update',
      plainly(changed, () => writing(scope).update({ where, data, ...selection })),
      columns,
    );
    const stored = writerOf(scope).apply({ write, before: alongside, acknowledged });
    return row(await explained(stored, scope, id, expectedVersion));
  };

  // To read relations would take a transaction of its own; without, a new object is one statement.
  const newRelations = (columns: object, { select, include }: Selection) =>
    select === undefined ? relationsOfNewRow(model, columns, Object.keys(include ?? {})) : null;

  const newObject = ({ newId, now }: AccountScope): NewObject => ({ id: newId(model), createdAt: now() });

  /** Tells whether an object has a module; false also when there is no object. */
  const hasModule = (scope: AccountScope, id: string, module: string) => has(scope, { id, [module]: { isNot: null } });

  return {
    ...reads,

    newObject,

    async create(scope, columns, options = {}) {
      const { selection = {}, alongside, following, acknowledged, remembered, object = newObject(scope) } = options;
      const relations = newRelations(columns, selection);
      const write = creating(scope, columns, object, relations === null ? selection : {});
      const stored = writerOf(scope).apply({ write, before: alongside, after: following, acknowledged, remembered });
      return row({ ...(await stored), ...relations });
    },

    update: change,

    async updateNotes(scope, { id, expectedVersion, ...notes }, selection) {
      return change(scope, id, notesForUpdate(notes), expectedVersion, { selection });
    },

    async remove(scope, id, expectedVersion, { alongside, following, acknowledged } = {}) {
      // Locked first, so that what the trail records of it and of its parts is what is deleted. Its version counts up once more.
      const lock = touching(id, null, updating(scope, addressed(id, expectedVersion), countedUp));
      const select = { id: true };
      const write = touching(
        id,
        'delete',
        plainly(changing(scope).remove(model, { id }), () => writing(scope).delete({ where: { id }, select })),
      );
      const before = [...(alongside ?? []), lock];
      const removed = writerOf(scope).apply({ write, before, after: following, acknowledged });
      await explained(removed, scope, id, expectedVersion);
    },

    async removeAll(scope, where, { alongside, isPart = false } = {}) {
      let count = 0;
      for (let olderThan: string | undefined; ; ) {
        const request = { take: removedAtOnce, backward: false, newerThan: undefined, olderThan };
        const { rows, more } = await reads.page(scope, request, where);
        const ids = rows.map(({ id }) => id);
        if (ids.length === 0) return count;
        const chosen = { id: { in: ids } };
        // Locked first, as by `remove`: what others delete at the same time is gone, or waits, and has one event.
        const turns = ids.map((id) => ({ model, id, made: null }));
        const lock = { write: writing(scope).updateMany({ where: chosen, data: countedUp }), touched: [], turns };
        const touched = ids.map((id) => ({ model, id, action: 'delete' as const }));
        const write = { write: writing(scope).deleteMany({ where: chosen }), touched };
        // With the last batch the request is done: one that is cut short goes on when it is repeated.
        const remembered = { count: count + ids.length };
        const before = [...(alongside?.(rows) ?? []), lock];
        count += (await writerOf(scope).apply({ write, before, remembered, isPart: isPart || more })).count;
        if (!more) return count;
        olderThan = ids.at(-1);
      }
    },

    setModule(scope, id, module, { create, update }, expectedVersion, options) {
      const write = create && update ? { upsert: { create, update } } : create ? { create } : { update };
      return change(scope, id, { [module]: write }, expectedVersion, options);
    },

    async unsetModule(scope, id, module, expectedVersion, options) {
      try {
        return await change(scope, id, { [module]: { delete: true } }, expectedVersion, options);
      } catch (error) {
        if (!isMissingRow(error)) throw error;
        // It is not the object that was missing, nor its version. Is it the module, or what stands alongside? Where nothing does, it was the
        // module, also if another request has set it again by now.
        if (options?.alongside !== undefined && (await hasModule(scope, id, module))) throw error;
        return change(scope, id, {}, expectedVersion, options);
      }
    },

    prepareUpdate(scope, where, data) {
      // What counts up no version changes nothing that an answer shows.
      if (!Object.hasOwn(data, 'version')) return touching(where.id, null, updating(scope, where, data));
      return touching(where.id, 'update', updating(scope, where, { ...data, ...changedNow(scope) }));
    },

    prepareCreate: (scope, object, columns) => creating(scope, columns, object, {}),
  };
}
