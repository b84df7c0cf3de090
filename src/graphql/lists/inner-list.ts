// Lists inside objects, as Relay connections. One statement reads those of all objects in an outer list, and another counts them.

import type DataLoader from 'dataloader';
import type { GraphQLResolveInfo } from 'graphql';
import type { Kind } from '../../domain/values/ids.ts';
import { breathe, paceOf } from '../../load/answer-slices.ts';
import { innerListCost, innerListSizeDefault, pageSizeMax } from '../../load/limits.ts';
import type { ObjectReads, ResourceModel, Row } from '../../storage/objects/collection.ts';
import type { InnerEntry, InnerList, InnerPart } from '../../storage/objects/inner-lists.ts';
import { batched, fieldPathOf, inSequence, readRows, slices } from '../kit/batch.ts';
import type { builder } from '../kit/builder.ts';
import type { Context } from '../kit/context.ts';
import { noCursor } from './list-order.ts';
import { type ConnectionArgs, cursor, pageInfo, pageSize } from './page.ts';

/** A list inside objects, as a connection. */
export interface InnerConnection<M extends ResourceModel> {
  readonly collection: ObjectReads<M>;
  readonly list: InnerList | FoundList;
  /** The type of its cursors: ids of objects of a kind, or numbers. */
  readonly cursors: Kind | 'numbers';
  /** URL of the REST list that its objects are a part of. */
  readonly uri: string;
}

/** A short list that is found by other means than a statement, for many objects at once. */
export interface FoundList {
  /** Names it within a request; the same name always comes with the same `find`. */
  readonly name: string;
  /** Finds for each of some objects the ids in its list, newest first. */
  readonly find: (parents: readonly string[]) => Promise<(readonly string[])[]>;
}

export type ArgBuilder = Parameters<Parameters<typeof builder.queryFields>[0]>[0]['arg'];

/** Creates the arguments of a list inside objects: those of every connection. */
export function innerListArgs(arg: ArgBuilder) {
  const size = `1 to ${pageSizeMax}`;
  return {
    first: arg.int({
      description: `How many objects to return, from the beginning of the list; ${size}, defaults to ${innerListSizeDefault}.`,
    }),
    after: arg.id({ description: 'Only objects after this cursor.' }),
    last: arg.int({
      description: `How many objects to return, from the end of the list; ${size}. Cannot be combined with \`first\`.`,
    }),
    before: arg.id({ description: 'Only objects before this cursor.' }),
  };
}

/** Estimates the cost of a list inside an object. */
export function innerListPrice({ first, last }: ConnectionArgs) {
  return { field: innerListCost, multiplier: first ?? last ?? innerListSizeDefault };
}

/**
 * Resolves a list inside an object, in one batch with those of the other objects in the outer list. Reads only what the document
 * selects.
 *
 * @throws INVALID_INPUT for a page size outside 1 to 100, both `first` and `last`, or a malformed cursor
 */
export function resolveInnerList<M extends ResourceModel>(
  { collection, list, cursors, uri }: InnerConnection<M>,
  parentId: string,
  args: ConnectionArgs,
  context: Context,
  info: GraphQLResolveInfo,
) {
  const size = pageSize(args, innerListSizeDefault);
  const part = {
    ...size,
    after: readInnerCursor(cursors, 'after', args.after),
    before: readInnerCursor(cursors, 'before', args.before),
  };
  const path = fieldPathOf(info);
  return {
    get edges() {
      return loadEdges(collection, list, part, path, context).load(parentId);
    },
    get pageInfo() {
      return pagesOf(list, part, context)
        .load(parentId)
        .then(({ entries, more }) => pageInfo(args, size, entries.map(toEdge), more));
    },
    totalCount: () => countsOf(list, context).load(parentId),
    uri,
    nextPageUri: null,
  };
}

function readInnerCursor(cursors: Kind | 'numbers', field: string, text: string | null | undefined) {
  if (cursors !== 'numbers') return cursor(cursors, field, text);
  if (text == null) return undefined;
  // Number columns are signed 32-bit integers, which nine digits cannot exceed.
  if (!/^\d{1,9}$/.test(text)) throw noCursor(field);
  return Number(text);
}

function toEdge({ position }: InnerEntry): { readonly cursor: string } {
  return { cursor: String(position) };
}

interface InnerPage {
  readonly entries: readonly InnerEntry[];
  /** Whether the list goes on beyond the part in the direction of reading. */
  readonly more: boolean;
}

/** Loads the objects of lists with their cursors. Leaves out objects deleted meanwhile. */
function loadEdges<M extends ResourceModel>(
  collection: ObjectReads<M>,
  list: InnerList | FoundList,
  part: InnerPart,
  path: string,
  context: Context,
) {
  return batched(context, path, async (parents) => {
    const pages = await Promise.all(parents.map((id) => pagesOf(list, part, context).load(id)));
    const ids = [...new Set(pages.flatMap(({ entries }) => entries.map(({ id }) => id)))];
    const rows = await readRows(collection, ids, context);
    const byId = new Map(rows.map((row, index) => [ids[index] ?? '', row] as const));
    return pages.map(({ entries }) =>
      entries.flatMap((entry) => {
        const node: Row<M> | null = byId.get(entry.id) ?? null;
        return node === null ? [] : [{ ...toEdge(entry), node }];
      }),
    );
  });
}

/** Loads only the ids of a list inside an object, once for all aliases in a document. */
export async function loadInnerIds(
  list: InnerList,
  parentId: string,
  take: number,
  context: Context,
): Promise<string[]> {
  const { entries } = await entriesOf(list, fromStart(take), context).load(parentId);
  return entries.map(({ id }) => id);
}

/**
 * Notes the ids of a list inside an object that a change has just written. The answer then shows what the change wrote, rather than
 * later writes of others or what was read before.
 */
export function noteInnerIds(
  list: InnerList,
  parentId: string,
  take: number,
  ids: readonly string[],
  context: Context,
): void {
  const entries = ids.map((id, index) => ({ id, position: index }));
  entriesOf(list, fromStart(take), context).clear(parentId).prime(parentId, { entries, more: false });
}

function fromStart(take: number): InnerPart {
  return { take, backward: false, after: undefined, before: undefined };
}

/** Loads something of the lists of many objects together. */
type Loading<T> = Pick<DataLoader<string, T>, 'load'>;

function pagesOf(list: InnerList | FoundList, part: InnerPart, context: Context): Loading<InnerPage> {
  if (!('find' in list)) return entriesOf(list, part, context);
  return { load: async (id) => pageOf(await foundIn(list, context).load(id), part, context) };
}

function entriesOf(list: InnerList, part: InnerPart, context: Context): DataLoader<string, InnerPage> {
  return batched(context, nameOf(list, part), (parents) => readEntries(list, part, parents, context));
}

function countsOf(list: InnerList | FoundList, context: Context): Loading<number> {
  if ('find' in list) return { load: async (id) => (await foundIn(list, context).load(id)).length };
  return batched(context, nameOf(list, 'count'), (parents) => readCounts(list, parents, context));
}

function foundIn({ name, find }: FoundList, context: Context): DataLoader<string, readonly string[]> {
  return batched(context, name, (parents) => find(parents).then((lists) => [...lists]));
}

/** Cuts a part out of the ids of a list, newest first. */
function pageOf(ids: readonly string[], { take, backward, after, before }: InnerPart, { budget }: Context): InnerPage {
  const within = ids.filter((id) => (after === undefined || id < after) && (before === undefined || id > before));
  const cut = backward ? within.slice(-take) : within.slice(0, take);
  budget.charge(cut.length);
  return { entries: cut.map((id) => ({ id, position: id })), more: within.length > take };
}

function nameOf({ model, parent, value, where }: InnerList, what: InnerPart | 'count'): string {
  return JSON.stringify([model, parent, value, where, what]);
}

/** Parents whose lists are read in one statement: with pages of a hundred, few enough ids to count after they were read. */
const parentsAtOnce = 100;

async function readEntries(list: InnerList, part: InnerPart, parents: readonly string[], context: Context) {
  const { scope, budget, requestId } = context;
  const { take } = part;
  const pages: InnerPage[] = [];
  for (const some of slices(parents, parentsAtOnce)) {
    await breathe(context);
    const found = await inSequence(requestId, async () => {
      budget.charge(some.length);
      // One extra entry tells whether the list goes on.
      return scope.rows.innerLists(list, some, { ...part, take: take + 1 });
    });
    for (const id of some) {
      const all = found.get(id) ?? [];
      budget.charge(Math.min(all.length, take));
      const entries = part.backward ? all.slice(-take) : all.slice(0, take);
      pages.push({ entries, more: all.length > take });
    }
  }
  return pages;
}

/** Parents whose lists are counted in one statement, in one turn of the event loop. */
const countedAtOnce = 20;

async function readCounts(list: InnerList, parents: readonly string[], context: Context): Promise<number[]> {
  const counts: number[] = [];
  for (const some of slices(parents, countedAtOnce)) {
    await breathe(context);
    const found = await inSequence(context.requestId, () => countSome(list, some, context));
    counts.push(...some.map((id) => found.get(id) ?? 0));
  }
  return counts;
}

/** Counts the short lists together, and each long one in slices. */
async function countSome(list: InnerList, parents: readonly string[], context: Context): Promise<Map<string, number>> {
  const { scope, budget } = context;
  const { model, parent, order, where = {} } = list;
  budget.charge(parents.length);
  const [counts, long] = [new Map<string, number>(), [] as string[]];
  for (const [id, size] of await scope.rows.innerSizes(list, parents)) {
    if (size === null) long.push(id);
    else counts.set(id, size);
  }
  const pace = paceOf(context);
  await pace.looked?.([...counts.values()].reduce((sum, size) => sum + size, 0));
  if (Object.keys(where).length > 0 && counts.size > 0) {
    for (const [id, count] of await scope.rows.innerCounts(list, [...counts.keys()])) counts.set(id, count);
  }
  for (const id of long) {
    const whole = { model, where: { [parent]: id, ...where }, indexedByTime: parent };
    counts.set(id, await scope.rows.count(order === 'id' ? whole : { ...whole, column: order }, pace));
  }
  return counts;
}
