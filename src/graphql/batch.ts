// Relations that are loaded in one query for all the objects of a list, counted before they are read.

import DataLoader from 'dataloader';
import type { GraphQLResolveInfo } from 'graphql';
import { createSequences } from '../domain/sequences.ts';
import type { ObjectReads, ResourceModel, Row, Selection } from '../storage/collection.ts';
import type { InnerList } from '../storage/plain-reads.ts';
import type { Context } from './context.ts';
import { rowCost } from './limits.ts';
import { selectionOf } from './selection.ts';
import { breathe } from './slices.ts';
import { textLengthOf } from './text-length.ts';

type Load<V> = (keys: readonly string[]) => Promise<V[]>;

const loadersOf = new WeakMap<Context, Map<string, DataLoader<string, unknown>>>();

/**
 * Loads a value by its key, together with those that are asked for at the same time under the same name.
 *
 * @param name of what is loaded in this request; the same name always comes with the same `load`
 * @param load reads the values of many keys in one query, in the order of the keys
 */
export function batched<V>(context: Context, name: string, load: Load<V>): DataLoader<string, V> {
  const loaders = loadersOf.get(context) ?? new Map<string, DataLoader<string, unknown>>();
  loadersOf.set(context, loaders);
  let loader = loaders.get(name);
  if (loader === undefined) {
    loader = new DataLoader(load);
    loaders.set(name, loader);
  }
  // The same name always comes with the same `load`.
  return loader as DataLoader<string, V>;
}

/** Runs the statements of one request one after the other, so that what one has read is counted before the next is. */
export const inSequence = createSequences();

/** Loads the objects that ids name, together with those of the other objects of the list; leaves out what is gone. */
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

/** Loads a list inside of an object, together with those of the other objects of the list that the object stands in. */
export function loadInnerList<M extends ResourceModel>(
  collection: ObjectReads<M>,
  list: InnerList,
  parentId: string,
  take: number,
  context: Context,
  info: GraphQLResolveInfo,
): Promise<Row<M>[]> {
  // Asked for by each object, because Pothos notes by the place in the answer what was loaded with it.
  const selection = selectionOf(context, info);
  const load: Load<Row<M>[]> = async (parents) => {
    const lists = await Promise.all(parents.map((id) => loadInnerIds(list, id, take, context)));
    const ids = [...new Set(lists.flat())];
    const rows = await readRows(collection, ids, selection, context);
    const byId = new Map(rows.map((row, place) => [ids[place] ?? '', row] as const));
    return lists.map((listIds) => listIds.flatMap((id) => byId.get(id) ?? []));
  };
  return batched(context, placeOf(info), load).load(parentId);
}

/** Loads only the ids of a list inside of an object, once for all the names that a document asks for them under. */
export function loadInnerIds(list: InnerList, parentId: string, take: number, context: Context): Promise<string[]> {
  return innerIds(list, take, context).load(parentId);
}

/**
 * Takes the ids of a list inside of an object from the change that has just written them: its answer shows what it wrote, and
 * neither what others have written since nor what was read before.
 */
export function noteInnerIds(
  list: InnerList,
  parentId: string,
  take: number,
  ids: readonly string[],
  context: Context,
): void {
  innerIds(list, take, context)
    .clear(parentId)
    .prime(parentId, [...ids]);
}

function innerIds(list: InnerList, take: number, context: Context): DataLoader<string, string[]> {
  const { model, value, before } = list;
  const name = `${model}.${value} ${take} ${before?.moment.toISOString() ?? ''}`;
  return batched(context, name, (parents) => readInnerIds(list, parents, take, context));
}

/** Objects whose lists are read in one statement: lists of a hundred then are as many ids as can be counted afterwards. */
const parentsAtOnce = 100;

async function readInnerIds(list: InnerList, parents: readonly string[], take: number, context: Context) {
  const { scope, budget, requestId } = context;
  const lists: string[][] = [];
  for (const some of slices(parents, parentsAtOnce)) {
    await breathe(context);
    const found = await inSequence(requestId, async () => {
      budget.charge(some.length);
      return scope.rows.innerLists(list, some, take);
    });
    for (const id of some) {
      const ids = found.get(id) ?? [];
      budget.charge(ids.length);
      lists.push(ids);
    }
  }
  return lists;
}

/** Rows read in one statement. What they hold is counted before the next are read. */
const rowsAtOnce = 250;

/** Reads rows by their ids, counted before and while they are read; null where an id names none. Throws QUERY_TOO_COMPLEX. */
export async function readRows<M extends ResourceModel>(
  collection: ObjectReads<M>,
  ids: readonly string[],
  selection: Selection,
  context: Context,
): Promise<(Row<M> | null)[]> {
  const { scope, budget, requestId } = context;
  const rows: (Row<M> | null)[] = [];
  // All of them at first: of rows that are too many, none is read.
  budget.charge(ids.length * rowCost);
  for (const some of slices(ids, rowsAtOnce)) {
    await breathe(context);
    const found = await inSequence(requestId, () => collection.getMany(scope, some, selection));
    budget.countRead(textLengthOf(found));
    rows.push(...found);
  }
  return rows;
}

function slices<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, place) =>
    items.slice(place * size, (place + 1) * size),
  );
}

/** Names the place of a field in the answer, the same for all objects of a list. Each place belongs to one field. */
function placeOf({ path }: GraphQLResolveInfo): string {
  const names: string[] = [];
  for (let step: typeof path | undefined = path; step !== undefined; step = step.prev) {
    if (typeof step.key === 'string') names.push(step.key);
  }
  return names.join(' ');
}
