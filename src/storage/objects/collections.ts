// The collections: one for each kind of object that clients address by id. Areas share them.

import { areaOf, type Kind, kinds } from '../../domain/values/ids.ts';
import { getOrInsertComputed } from '../../domain/values/maps.ts';
import { type Collection, collection, type ObjectReads, type ResourceModel } from './collection.ts';
import type { InnerList } from './inner-lists.ts';

/** By model, whose types the map forgets. */
const made = new Map<ResourceModel, object>();

/** Returns the collection of a kind. The trail has none: its events are written with the changes that they record. */
export function collectionOf<M extends Exclude<ResourceModel, 'AuditEvent'>>(model: M): Collection<M> {
  return collectionOfAny(model);
}

/** Returns the reads of a kind. */
export function readsOf<M extends ResourceModel>(model: M): ObjectReads<M> {
  return collectionOfAny(model);
}

function collectionOfAny<M extends ResourceModel>(model: M): Collection<M> {
  const declared = kinds[model];
  const listedBy = 'listedBy' in declared ? declared.listedBy : undefined;
  return getOrInsertComputed(made, model, () => collection(model, listedBy)) as Collection<M>;
}

/** Returns whether the objects of a kind are rows of an account. */
export function hasRows(kind: Kind): kind is ResourceModel {
  return areaOf(kind) !== null;
}

/** The events of an object, newest first, in the order of its versions because the clocks of several servers may differ. */
export const historyOfObject = {
  model: 'AuditEvent',
  parent: 'objectId',
  value: 'id',
  order: 'version',
  direction: 'DESC',
  indexedByAccount: true,
} as const satisfies InnerList;
