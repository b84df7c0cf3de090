// Loads what the objects of a list refer to in one statement for all of them, and counts it while it is read.

import DataLoader from 'dataloader';
import type { GraphQLResolveInfo } from 'graphql';
import { keptOnce } from '../../domain/concurrency/kept-with.ts';
import { createSequences } from '../../domain/concurrency/sequences.ts';
import { SallyportError } from '../../domain/errors.ts';
import { getOrInsertComputed } from '../../domain/values/maps.ts';
import { breathe } from '../../load/answer-slices.ts';
import { rowCost } from '../../load/limits.ts';
import type { ObjectReads, ResourceModel, Row } from '../../storage/objects/collection.ts';
import type { RecordModel } from '../../storage/objects/columns.ts';
import type { Context } from './context.ts';
import { selectsAny } from './selection.ts';
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

/** Forgets what was loaded for a request, so that it is read anew. */
export function forgetLoaded(context: Context): void {
  loadersOf(context).clear();
}

/** An object that a row names was deleted after the row was read. A query is then executed again, which finds neither. */
export class DeletedMeanwhile extends SallyportError {
  constructor() {
    super('UNAVAILABLE', 'An object was deleted while it was read. Retry in a few seconds.');
  }
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
  const loader = batched(context, fieldPathOf(info), (keys) => readRows(collection, keys, context));
  const rows = await Promise.all(ids.map((id) => loader.load(id)));
  return rows.filter((row) => row !== null);
}

/** The fields that the id of an object answers. */
const ofId: ReadonlySet<string> = new Set(['id', 'uri', '__typename']);

/**
 * Loads the object that a row names, in one batch with those for the rest of the list. The price of its field covers it. If only its
 * id and URL are selected, nothing is read, so that the answer to a change shows them even if the object is deleted meanwhile.
 *
 * @throws DeletedMeanwhile if it was deleted after the row was read
 */
export async function loadNamed<M extends ResourceModel>(
  collection: ObjectReads<M>,
  id: string,
  context: Context,
  info: GraphQLResolveInfo,
): Promise<Row<M>> {
  // Safe cast: no selected field shows another column.
  if (!selectsAny(info, (name) => !ofId.has(name))) return { id } as Row<M>;
  const [row] = await loadNamedOnes(collection, [id], context, info);
  if (row !== undefined) return row;
  throw new DeletedMeanwhile();
}

/** Loads the objects that a row names, as `loadNamed`. Leaves out objects that no longer exist. */
export async function loadNamedOnes<M extends ResourceModel>(
  collection: ObjectReads<M>,
  ids: readonly string[],
  context: Context,
  info: GraphQLResolveInfo,
): Promise<Row<M>[]> {
  const loader = batched(context, fieldPathOf(info), (keys) => readPricedRows(collection, keys, context));
  const rows = await Promise.all(ids.map((id) => loader.load(id)));
  return rows.filter((row) => row !== null);
}

/** A module of an object, which has at most one: where it is stored, and what to read of it. */
export interface Module<M extends RecordModel> {
  readonly model: M;
  /** Its name in the object, under which a change of the module returns it. */
  readonly name: string;
  /** The column that holds the id of the object. */
  readonly key: keyof Row<M> & string;
  /** The columns that are always read. */
  readonly columns: readonly (keyof Row<M> & string)[];
  /** The columns with large texts, and the fields that show them, of which one must be selected. */
  readonly large: readonly { readonly column: keyof Row<M> & string; readonly shownBy: readonly string[] }[];
}

/**
 * Loads a module of an object, in one batch with those of the rest of the list; null if it is not set. An object is at its first
 * version until a module is set; null if its version is unknown.
 */
export async function loadModule<M extends RecordModel>(
  { model, name, key, columns, large }: Module<M>,
  whole: { readonly id: string; readonly version: number | null },
  context: Context,
  info: GraphQLResolveInfo,
): Promise<Row<M> | null> {
  // What a change has just written, rather than later writes of others. Safe cast: a row has no column with the name of a module.
  const written = (whole as { readonly [name: string]: unknown })[name] as Row<M> | null | undefined;
  if (written !== undefined) return written;
  if (whole.version === 1) return null;
  const read = (ids: readonly string[]) =>
    readInSlices(ids, context, async (some) => {
      const shown = large.filter(({ shownBy }) => selectsAny(info, (field) => shownBy.includes(field)));
      const wanted = [...columns, ...shown.map(({ column }) => column)];
      // Safe cast: no selected field shows a column that is left out.
      const found = (await context.scope.rows.pick(model, wanted, key, some)) as Row<M>[];
      const byId = new Map(found.map((row) => [String(row[key]), row]));
      return some.map((each) => byId.get(each) ?? null);
    });
  return batched(context, fieldPathOf(info), read).load(whole.id);
}

/** Reads rows by their ids, counting them before and while they are read; null for an unknown id. Throws QUERY_TOO_COMPLEX. */
export async function readRows<M extends ResourceModel>(
  collection: ObjectReads<M>,
  ids: readonly string[],
  context: Context,
): Promise<(Row<M> | null)[]> {
  // All of them up front: if there are too many, none is read.
  context.budget.charge(ids.length * rowCost);
  return readPricedRows(collection, ids, context);
}

/** The same for rows that were charged before. */
function readPricedRows<M extends ResourceModel>(
  collection: ObjectReads<M>,
  ids: readonly string[],
  context: Context,
): Promise<(Row<M> | null)[]> {
  return readInSlices(ids, context, (some) => collection.getMany(context.scope, some));
}

/** Rows read in one statement. Their text is counted before the next rows are read. */
const rowsAtOnce = 250;

async function readInSlices<R>(
  keys: readonly string[],
  context: Context,
  read: (keys: readonly string[]) => Promise<R[]>,
): Promise<R[]> {
  const rows: R[] = [];
  for (const some of slices(keys, rowsAtOnce)) {
    await breathe(context);
    // Our own documents have few fields, which are counted in any case.
    const found = await (context.untrustedDocument ? inSequence(context.requestId, () => read(some)) : read(some));
    context.budget.countRead(textLengthOf(found));
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
 * Returns the path of a field in the answer, the same for all objects of one type in a list. It includes the
 * type, because objects of different types may have different fields, or arguments, under the same response name.
 */
export function fieldPathOf({ path, parentType }: GraphQLResolveInfo): string {
  const names: string[] = [parentType.name];
  for (let step: typeof path | undefined = path; step !== undefined; step = step.prev) {
    if (typeof step.key === 'string') names.push(step.key);
  }
  return names.join(' ');
}
