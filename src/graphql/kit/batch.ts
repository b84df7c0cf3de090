// Loads relations in one query for all objects of a list, and counts them before they are read.

import DataLoader from 'dataloader';
import type { GraphQLResolveInfo } from 'graphql';
import { getOrInsertComputed } from '../../domain/concurrency/get-or-insert.ts';
import { keptOnce } from '../../domain/concurrency/kept-with.ts';
import { createSequences } from '../../domain/values/sequences.ts';
import { breathe } from '../../load/answer-slices.ts';
import { rowCost } from '../../load/limits.ts';
import type { ObjectReads, ResourceModel, Row, Selection } from '../../storage/objects/collection.ts';
import type { Context } from './context.ts';
import { selectionOf } from './selection.ts';
import { textLengthOf } from './text-length.ts';

type Load<V> = (keys: readonly string[]) => Promise<V[]>;

const loadersOf = keptOnce((_context: Context) => new Map<string, DataLoader<string, unknown>>());

/**
 * Returns the loader with the given name. It reads all keys that are requested at the same time together.
 *
 * @param name identifies the loader within this request; the same name always comes with the same `load`
 * @param load reads the values of many keys in one query, in the order of the keys
 */
export function batched<V>(context: Context, name: string, load: Load<V>): DataLoader<string, V> {
  const loader = getOrInsertComputed(loadersOf(context), name, () => new DataLoader(load));
  // Safe cast: see `name` above.
  return loader as DataLoader<string, V>;
}

/** Runs the statements of one request one after the other, so that the rows of one are counted before the next one runs. */
export const inSequence = createSequences();

/** Loads objects by their ids, in one batch with those for the rest of the list. Leaves out objects that no longer exist. */
export async function loadByIds<M extends ResourceModel>(
  collection: ObjectReads<M>,
  ids: readonly string[],
  context: Context,
  info: GraphQLResolveInfo,
): Promise<Row<M>[]> {
  const selection = selectionOf(context, info);
  const loader = batched(context, placeOf(info), (keys) => readRows(collection, keys, selection, context));
  const rows = await Promise.all(ids.map((id) => loader.load(id)));
  return rows.filter((row) => row !== null);
}

/** Rows read in one statement. Their text is counted before the next rows are read. */
const rowsAtOnce = 250;

/** Reads rows by their ids, counting them before and while they are read; null for an unknown id. Throws QUERY_TOO_COMPLEX. */
export async function readRows<M extends ResourceModel>(
  collection: ObjectReads<M>,
  ids: readonly string[],
  selection: Selection,
  context: Context,
): Promise<(Row<M> | null)[]> {
  const { scope, budget, requestId } = context;
  const rows: (Row<M> | null)[] = [];
  // All of them up front: if there are too many, none is read.
  budget.charge(ids.length * rowCost);
  for (const some of slices(ids, rowsAtOnce)) {
    await breathe(context);
    const found = await inSequence(requestId, () => collection.getMany(scope, some, selection));
    budget.countRead(textLengthOf(found));
    rows.push(...found);
  }
  return rows;
}

/** Cuts a list into slices of at most `size` items. */
export function slices<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}

/**
 * Returns a name for the place of a field in the answer, the same for all objects of one type in a list. The name includes the
 * type, because objects of different types may have different fields, or arguments, under the same response name.
 */
export function placeOf({ path, parentType }: GraphQLResolveInfo): string {
  const names: string[] = [parentType.name];
  for (let step: typeof path | undefined = path; step !== undefined; step = step.prev) {
    if (typeof step.key === 'string') names.push(step.key);
  }
  return names.join(' ');
}
