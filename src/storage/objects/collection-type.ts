// The type of collections. Part of `collection.ts`.

import type { AccountScope } from './account-scope.ts';
import type { Columns, Conditions, NewColumns, Only, ResourceModel, Row } from './columns.ts';
import type { ObjectWrite as Write } from './object-changes.ts';
import type { ObjectReads } from './object-reads.ts';
import type { ExpectedVersion } from './version-conflict.ts';
import type { Addressed, NewObject, NotesChange, Removal, RemoveAllOptions, WriteOptions } from './write-options.ts';

/**
 * The operations of every kind of object. Each call is one statement or batch, except `removeAll`; explaining a failure takes more.
 */
export interface Collection<M extends ResourceModel> extends ObjectReads<M> {
  /** Returns the id and time of an object to be created, for columns that depend on them. */
  newObject(scope: AccountScope): NewObject;
  /**
   * Creates one object. Its id, account, version and times are filled in.
   *
   * @param options.object what `newObject` returned, or an object to restore
   */
  create<C extends NewColumns<M>>(
    scope: AccountScope,
    columns: C & Only<C, NewColumns<M>>,
    options?: WriteOptions & { readonly object?: NewObject },
  ): Promise<Row<M>>;
  /**
   * Changes the named columns and increments the version; an empty change only reads. Throws NOT_FOUND, or VERSION_CONFLICT if the
   * object does not have the expected version: the check and the write are one statement. If another row that a write refers to is
   * missing, throws an error that `isMissingRow` recognizes.
   */
  update<C extends Columns<M>>(
    scope: AccountScope,
    id: string,
    columns: C & Only<C, Columns<M>>,
    expectedVersion: ExpectedVersion,
    options?: WriteOptions,
  ): Promise<Row<M>>;
  /**
   * Changes only the notes of an object: for some kinds, nothing else can be changed. Throws as `update` does, and INVALID_INPUT.
   */
  updateNotes(scope: AccountScope, change: NotesChange): Promise<Row<M>>;
  /** Deletes one object. Throws as `update` does. */
  remove(scope: AccountScope, id: string, expectedVersion: ExpectedVersion, options?: WriteOptions): Promise<void>;
  /** Deletes some objects in one batch, all or none, with one event each. Throws as `update` does, for the first that it explains. */
  removeTogether(scope: AccountScope, objects: readonly Addressed[], options?: WriteOptions): Promise<void>;
  /** Deletes all objects that meet the conditions, in batches, and returns their number. */
  removeAll(scope: AccountScope, where: Conditions<M>, options?: RemoveAllOptions<M>): Promise<number>;
  /**
   * Prepares a change to be stored alongside another. It fails with an error that `isMissingRow` recognizes if no object meets the
   * conditions.
   */
  prepareUpdate<C extends Columns<M>>(
    scope: AccountScope,
    where: Conditions<M> & { id: string },
    columns: C & Only<C, Columns<M>>,
  ): Write;
  /** Prepares the deletion of an object in favour of another (`WriteOptions.replacing`). */
  prepareRemove(scope: AccountScope, id: string, expectedVersion: ExpectedVersion): Removal;
  /** Prepares the deletion of objects along with what they depend on: without events of their own. */
  prepareRemoveAlong(scope: AccountScope, where: Conditions<M>): Write;
  /** Prepares the creation of an object alongside another change. */
  prepareCreate<C extends NewColumns<M>>(
    scope: AccountScope,
    object: NewObject,
    columns: C & Only<C, NewColumns<M>>,
  ): Write;
  /** Prepares the creation of objects alongside another change, many with each of the writes. All name the same columns. */
  prepareCreateAll<C extends NewColumns<M>>(
    scope: AccountScope,
    objects: readonly { readonly object: NewObject; readonly columns: C & Only<C, NewColumns<M>> }[],
  ): Write[];
}
