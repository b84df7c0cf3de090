// Creating, reading, changing and deleting objects, and paging through them: the same for every kind of object.

import { notFound } from '../../domain/errors.ts';
import { isIdOf } from '../../domain/values/ids.ts';
import { notesForUpdate } from '../../domain/values/text.ts';
import { isMissingRow } from '../errors.ts';
import { holdsSecrets } from '../keys/reseal.ts';
import type { ChangeAction } from '../trail/audit-actions.ts';
import type { AccountScope } from './account-scope.ts';
import { type Write as AnyWrite, writerOf } from './changes.ts';
import type { Collection } from './collection-type.ts';
import type { ResourceModel, Row } from './columns.ts';
import { writesOfList } from './list-writes.ts';
import type { ObjectWrite as Write } from './object-changes.ts';
import { createObjectReads } from './object-reads.ts';
import type { RowDelta } from './row-deltas.ts';
import { type ExpectedVersion, whyMissing } from './version-conflict.ts';
import { type Addressed, makingRoom, type NewObject, type Removal, type WriteOptions } from './write-options.ts';

export type { PageRequest } from '../sql/list-parts.ts';
export type { Collection } from './collection-type.ts';
export type { Columns, Conditions, NewColumns, ResourceModel, Row } from './columns.ts';
export type { ObjectWrite as Write } from './object-changes.ts';
export type { ObjectReads, Page } from './object-reads.ts';
export type { ExpectedVersion } from './version-conflict.ts';
export type { Addressed, NewObject, NotesChange, Removal, WriteOptions } from './write-options.ts';

/** Increments the version of an object whose answer shows data that is changed elsewhere. */
export const countedUp = { version: { increment: 1 } } as const;

/** Objects that `removeAll` deletes in one batch, with one event each. */
const removedAtOnce = 100;

/**
 * Creates the collection of a model; `collections.ts` has those of all models.
 *
 * @param indexedByTime as in `createObjectReads`
 */
export function collection<M extends ResourceModel>(model: M, indexedByTime?: string): Collection<M> {
  const { reads, find } = createObjectReads(model, indexedByTime);
  const changing = (scope: AccountScope) => writerOf(scope).rowChanges;
  const changedNow = ({ now }: AccountScope) => ({ updatedAt: now() });
  // Rows of `M`.
  const row = (value: unknown) => value as Row<M>;

  const touching = <T>(
    id: string,
    action: ChangeAction | null,
    write: AnyWrite<T>,
    delta: RowDelta,
    columns = {},
  ): Write<T> => ({
    write,
    touched: action === null ? [] : [{ model, id, action }],
    turns: [{ model, id, made: action === 'create' ? columns : null }],
    deltas: [delta],
    seals: holdsSecrets(columns),
  });

  const updating = (scope: AccountScope, where: { id: string }, data: object) =>
    changing(scope).update(model, where, data, ['id']);

  const newRow = (scope: AccountScope, columns: object, object: NewObject) => {
    // A restored object was created long ago.
    const changed = object.version === undefined ? { updatedAt: object.createdAt } : changedNow(scope);
    return { ...columns, ...object, ...changed };
  };

  const creating = (scope: AccountScope, columns: object, object: NewObject) => {
    const data = newRow(scope, columns, object);
    return touching(
      data.id,
      'create',
      changing(scope).create(model, data),
      { model, kind: 'create', rows: [data] },
      data,
    );
  };

  const creatingAll = (scope: AccountScope, objects: readonly { object: NewObject; columns: object }[]): Write => {
    const rows = objects.map(({ object, columns }) => newRow(scope, columns, object));
    return {
      write: changing(scope).createAll(model, rows),
      touched: rows.map(({ id }) => ({ model, id, action: 'create' })),
      turns: rows.map((row) => ({ model, id: row.id, made: row })),
      deltas: [{ model, kind: 'create', rows }],
      seals: rows.some(holdsSecrets),
    };
  };

  const addressed = (id: string, expectedVersion: ExpectedVersion) => {
    if (!isIdOf(model, id)) throw notFound();
    return { id, ...(expectedVersion == null ? {} : { version: expectedVersion }) };
  };

  /** Awaits a write to objects, and others with it. If it fails because of a missing row, explains why. */
  const explained = async <T>(
    write: Promise<T>,
    scope: AccountScope,
    objects: readonly Addressed[],
    { alongside = [], following = [] }: WriteOptions,
  ) => {
    try {
      return await write;
    } catch (error) {
      if (!isMissingRow(error)) throw error;
      for (const { id, expectedVersion } of objects) {
        const reason = await whyMissing(scope, model, id, expectedVersion);
        if (reason !== null) throw reason;
      }
      // Objects that are there although nothing else can have been missing were restored in between.
      throw alongside.length + following.length === 0 ? notFound() : error;
    }
  };

  const change = async (
    scope: AccountScope,
    id: string,
    columns: object,
    expectedVersion: ExpectedVersion,
    { alongside, following = [], replacing, acknowledged, remembered }: WriteOptions = {},
  ) => {
    const where = addressed(id, expectedVersion);
    if (Object.keys(columns).length === 0) {
      const found = await find(scope, where);
      if (found === undefined) throw (await whyMissing(scope, model, id, expectedVersion)) ?? notFound();
      return row(found);
    }
    const data = { ...columns, ...countedUp, ...changedNow(scope) };
    const write = touching(
      id,
      'update',
      changing(scope).update(model, where, data),
      { model, kind: 'update', where, columns: data },
      columns,
    );
    const { before, removals } = makingRoom(replacing, alongside);
    const stored = writerOf(scope).apply({ write, before, removals, after: following, acknowledged, remembered });
    return row(await explained(stored, scope, [{ id, expectedVersion }], { alongside: before, following }));
  };

  const removing = (scope: AccountScope, id: string, expectedVersion: ExpectedVersion): Removal => {
    return {
      // Locked first, so that the trail records the object and its parts as they are deleted. Its version is incremented once more.
      lock: touching(id, null, updating(scope, addressed(id, expectedVersion), countedUp), {
        model,
        kind: 'update',
        where: { id },
        columns: countedUp,
      }),
      removal: touching(id, 'delete', changing(scope).remove(model, { id }), { model, kind: 'remove', where: { id } }),
    };
  };

  const removeTogether = async (scope: AccountScope, objects: readonly Addressed[], options: WriteOptions = {}) => {
    const { alongside, following = [], acknowledged, remembered } = options;
    const { before, removals } = makingRoom(
      objects.map(({ id, expectedVersion }) => removing(scope, id, expectedVersion)),
      alongside,
    );
    const [write, ...others] = removals;
    if (write === undefined) return;
    const after = [...others, ...following];
    const removed = writerOf(scope).apply({ write, before, after, acknowledged, remembered });
    await explained(removed, scope, objects, options);
  };

  const newObject = ({ newId, now }: AccountScope): NewObject => ({ id: newId(model), createdAt: now() });

  return {
    ...reads,

    newObject,

    async create(scope, columns, options = {}) {
      const { alongside, following, replacing, object = newObject(scope), ...others } = options;
      const write = creating(scope, columns, object);
      const room = makingRoom(replacing, alongside);
      return row(await writerOf(scope).apply({ write, ...room, after: following, ...others }));
    },

    update: change,

    async updateNotes(scope, { id, expectedVersion, ...notes }) {
      return change(scope, id, notesForUpdate(notes), expectedVersion);
    },

    remove: (scope, id, expectedVersion, options) => removeTogether(scope, [{ id, expectedVersion }], options),
    removeTogether,

    async removeAll(scope, where, { alongside, isPart = false } = {}) {
      let count = 0;
      for (let olderThan: string | undefined; ; ) {
        const request = { take: removedAtOnce, backward: false, newerThan: undefined, olderThan };
        const { rows, more } = await reads.page(scope, request, where);
        const ids = rows.map(({ id }) => id);
        if (ids.length === 0) return count;
        const chosen = { id: { in: ids } };
        // Locked first, as in `remove`: a concurrent deletion of the same object is either done or waits, so there is only one
        // event.
        const turns = ids.map((id) => ({ model, id, made: null }));
        const lock = {
          write: changing(scope).changeAll(model, chosen, countedUp),
          touched: [],
          turns,
          deltas: [],
        };
        const touched = ids.map((id) => ({ model, id, action: 'delete' as const }));
        const deltas = [{ model, kind: 'remove' as const, where: chosen }];
        const write = { write: changing(scope).removeAll(model, chosen), touched, deltas };
        // Only the last batch completes the request: one that is cut short continues when it is repeated.
        const remembered = { count: count + ids.length };
        const before = [...(alongside?.(rows) ?? []), lock];
        count += (await writerOf(scope).apply({ write, before, remembered, isPart: isPart || more })).count;
        if (!more) return count;
        olderThan = ids.at(-1);
      }
    },

    prepareUpdate(scope, where, data) {
      // A change that does not increment the version changes nothing that an answer shows.
      const delta = { model, kind: 'update', where, columns: data } as const;
      if (!Object.hasOwn(data, 'version')) return touching(where.id, null, updating(scope, where, data), delta);
      return touching(where.id, 'update', updating(scope, where, { ...data, ...changedNow(scope) }), delta);
    },

    prepareRemove: removing,
    prepareRemoveAlong: (scope, where) => ({
      write: changing(scope).removeAll(model, where),
      touched: [],
      deltas: [{ model, kind: 'remove', where }],
    }),

    prepareCreate: (scope, object, columns) => creating(scope, columns, object),

    prepareCreateAll: (scope, objects) =>
      writesOfList(
        objects,
        ({ object, columns }) => creating(scope, columns, object),
        (some) => creatingAll(scope, some),
      ),
  };
}
