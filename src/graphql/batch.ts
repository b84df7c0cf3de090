// Relations that the database does not declare, loaded in one query for all the objects of a list.

import DataLoader from 'dataloader';
import type { GraphQLResolveInfo } from 'graphql';
import { SallyportError } from '../domain/errors.ts';
import type { Collection, ResourceModel, Row, Selection } from '../storage/collection.ts';
import type { Context } from './context.ts';
import { loadedObjectsMax } from './limits.ts';
import { selectionOf } from './selection.ts';

type Load<V> = (keys: readonly string[], selection: Selection) => Promise<V[]>;

// One loader for each place of a document in each request. What a loader gives is known only to the field that made it,
// and each place belongs to one field.
const loadersOf = new WeakMap<Context, Map<string, DataLoader<string, unknown>>>();

/**
 * Loads a value by its key, together with those that other objects of the same list ask for.
 *
 * @param load reads the values of many keys in one query, in the order of the keys; it gets what the document selects
 *   beneath the field
 */
export function batched<V>(context: Context, info: GraphQLResolveInfo, load: Load<V>): DataLoader<string, V> {
  const loaders = loadersOf.get(context) ?? new Map<string, DataLoader<string, unknown>>();
  loadersOf.set(context, loaders);
  const place = placeOf(info);
  let loader = loaders.get(place);
  if (loader === undefined) {
    const selection = selectionOf(context, info);
    loader = new DataLoader((keys) => load(keys, selection));
    loaders.set(place, loader);
  }
  // The same place is always asked for with the same `load`.
  return loader as DataLoader<string, V>;
}

const loadedBy = new WeakMap<Context, number>();

/**
 * Counts objects of a list whose length was not known before: what a document costs could only be guessed.
 *
 * @throws QUERY_TOO_COMPLEX when the answer gets too large
 */
export function countLoaded(context: Context, count: number): void {
  const loaded = (loadedBy.get(context) ?? 0) + count;
  loadedBy.set(context, loaded);
  if (loaded > loadedObjectsMax && context.untrustedDocument) {
    throw new SallyportError(
      'QUERY_TOO_COMPLEX',
      `The answer would have more than ${loadedObjectsMax} objects. Ask for less.`,
    );
  }
}

/** Loads the objects that ids name, together with those of the other objects of the list; leaves out what is gone. */
export async function loadByIds<M extends ResourceModel>(
  collection: Collection<M>,
  ids: readonly string[],
  context: Context,
  info: GraphQLResolveInfo,
): Promise<Row<M>[]> {
  countLoaded(context, ids.length);
  const loader = batched(context, info, (keys, selection) => collection.getMany(context.scope, keys, selection));
  const rows = await Promise.all(ids.map((id) => loader.load(id)));
  return rows.filter((row) => row !== null);
}

/** Names the place of a field in the answer, the same for all objects of a list. */
function placeOf({ path }: GraphQLResolveInfo): string {
  const names: string[] = [];
  for (let step: typeof path | undefined = path; step !== undefined; step = step.prev) {
    if (typeof step.key === 'string') names.push(step.key);
  }
  return names.join(' ');
}
