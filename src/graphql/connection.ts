// Lists as Relay connections over the keyset pages of the storage.

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { GraphQLResolveInfo } from 'graphql';
import { invalid, type SallyportError } from '../domain/errors.ts';
import { isIdOf, type Kind, kinds } from '../domain/ids.ts';
import { lastMs } from '../domain/time.ts';
import type { ObjectReads, Page, PageRequest, ResourceModel, Row, Selection } from '../storage/collection.ts';
import type { TimePlace } from '../storage/object-reads.ts';
import { inSequence } from './batch.ts';
import type { ConnectionExtras } from './builder.ts';
import type { Context } from './context.ts';
import { pageSizeMax } from './limits.ts';
import { nextPageUri } from './next-page.ts';
import { selectionOf, selectsMoreThan } from './selection.ts';
import { breathe } from './slices.ts';
import { textLengthOf } from './text-length.ts';

/** The arguments of a connection field. */
export interface ConnectionArgs {
  first?: number | null | undefined;
  last?: number | null | undefined;
  after?: string | null | undefined;
  before?: string | null | undefined;
}

/** What a connection field resolves to. */
export interface Connection<R> extends ConnectionExtras {
  edges: { cursor: string; node: R }[];
  pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; startCursor: string | null; endCursor: string | null };
}

/** The condition of a list, or what looks it up when the list is read. */
export type Where = object | (() => Promise<object>);

/** A list to page through. */
export interface List<M extends ResourceModel> {
  readonly kind: M;
  readonly collection: ObjectReads<M>;
  /** What its objects have in common, in Prisma's terms, or what looks that up; `{}` for all of the account. */
  readonly where: Where;
  /** Bounds of the ids of its objects, which are in the order of their creation. */
  readonly within?: IdBounds;
  /** The column with the time that the list is in the order of, where that is not the one of creation. */
  readonly timeColumn?: string | undefined;
  /** URL of the list on the REST surface. */
  readonly uri: string;
  /** The filters and the order as the REST surface has them; null where it has no such list, and so no URL for the next page. */
  readonly query: Readonly<Record<string, string>> | null;
}

/** What a connection shows of the whole list: for these no page is read. */
const ofWholeList: ReadonlySet<string> = new Set(['totalCount', 'uri', '__typename']);

/** How a page is read, and what marks a place in its order. */
interface Reading<R> {
  readonly read: (where: object) => Promise<Page<R>>;
  readonly cursorOf: (row: R) => string;
}

/** Bounds of ids, none of which is an id itself. */
export type IdBounds = Partial<Pick<PageRequest, 'olderThan' | 'newerThan'>>;

/**
 * Resolves a list field: one database call for the page, with the relations that the document selects; none where it selects nothing
 * of the page.
 *
 * @throws INVALID_INPUT for a page size outside 1 to 100, both `first` and `last`, or a malformed cursor
 */
export async function resolveList<M extends ResourceModel>(
  list: List<M>,
  args: ConnectionArgs,
  context: Context,
  info: GraphQLResolveInfo,
): Promise<Connection<Row<M>>> {
  const { kind, collection, where, within = {}, timeColumn, uri, query } = list;
  const size = pageSize(args);
  const { budget } = context;
  const selection = selectionOf(context, info, ['nodes'], ['edges', 'node']);
  const wantsPage = selectsMoreThan(info, ofWholeList);
  const { read, cursorOf } =
    timeColumn === undefined
      ? readById(list, args, size, context, selection)
      : readByTime(list, timeColumn, args, size, context, selection);
  // The lists of a document are resolved before the first is read: of lists that ask for too much, none is.
  if (wantsPage) budget.expectObjects(size.take);
  let found: Promise<object> | undefined;
  const lookUp = (): Promise<object> => {
    found ??= isLookedUp(where) ? where() : Promise.resolve(where);
    return found;
  };
  const { olderThan: lt, newerThan: gt } = within;
  const ofAll = (all: object) => (lt === undefined && gt === undefined ? all : { ...all, id: { lt, gt } });
  const readPage = async () => {
    const all = await lookUp();
    return wantsPage ? read(all) : { rows: [], more: false };
  };
  // A document of ours has one list. Those of a client wait for each other, so that what one has read is counted first.
  const page = context.untrustedDocument
    ? await inSequence(context.requestId, () => paced(context, readPage))
    : await readPage();
  const edges = page.rows.map((node) => ({ cursor: cursorOf(node), node }));
  const place = pageInfo(args, size, edges, page.more);
  return {
    edges,
    pageInfo: place,
    totalCount: async () => countOnce(kind, collection, ofAll(await lookUp()), context),
    uri,
    nextPageUri: query === null ? null : nextPageUri(uri, args, size, place, query),
  };
}

/** Reads a page of the newest first. Throws INVALID_INPUT for a malformed cursor. */
function readById<M extends ResourceModel>(
  { kind, collection, within = {} }: List<M>,
  { after, before }: ConnectionArgs,
  size: PageSize,
  { scope }: Context,
  selection: Selection,
): Reading<Row<M>> {
  const request = { ...size, olderThan: cursor(kind, 'after', after), newerThan: cursor(kind, 'before', before) };
  return {
    read: (where) => collection.page(scope, narrowed(request, within), where, selection),
    cursorOf: ({ id }) => id,
  };
}

/** Reads a page in the order of a time. Throws as `readById`. */
function readByTime<M extends ResourceModel>(
  { kind, collection }: List<M>,
  column: string,
  { after, before }: ConnectionArgs,
  size: PageSize,
  { scope }: Context,
  selection: Selection,
): Reading<Row<M>> {
  const request = {
    ...size,
    column,
    after: timeCursor(kind, 'after', after),
    before: timeCursor(kind, 'before', before),
  };
  return {
    read: (where) => collection.pageByTime(scope, request, where, selection),
    // With the time in it, so that it marks the same place once its object is gone.
    cursorOf: (row) => `${row.id}.${momentOf(row, column).getTime()}`,
  };
}

function isLookedUp(where: Where): where is () => Promise<object> {
  return typeof where === 'function';
}

/** Gives a time of a row. */
function momentOf(row: object, column: string): Date {
  const value: unknown = Object.entries(row).find(([name]) => name === column)?.[1];
  if (!(value instanceof Date)) throw new Error(`${column} is no time.`);
  return value;
}

/** Reads a page in a turn of its own if the answer is large, and counts the text in its rows. */
async function paced<R extends object>(context: Context, read: () => Promise<Page<R>>): Promise<Page<R>> {
  await breathe(context);
  const page = await read();
  context.budget.countRead(textLengthOf(page.rows));
  return page;
}

const countsOf = new WeakMap<Context, Map<string, Promise<number>>>();

/** Counts the objects of a list, once for all the names that a document asks for their number under. */
function countOnce<M extends ResourceModel>(
  kind: M,
  collection: ObjectReads<M>,
  where: object,
  context: Context,
): Promise<number> {
  const counts = countsOf.get(context) ?? new Map<string, Promise<number>>();
  countsOf.set(context, counts);
  const name = `${kind} ${JSON.stringify(where)}`;
  const count =
    counts.get(name) ??
    inSequence(context.requestId, async () => {
      // Each in a turn of its own: to count a long list takes milliseconds.
      if (counts.size > 1) await nextTurn();
      return collection.count(context.scope, where);
    });
  counts.set(name, count);
  return count;
}

/**
 * Makes the condition that narrows a list to the objects that refer to another one; none when no id is given.
 *
 * @throws INVALID_INPUT for text that is no id of that kind
 */
export function referenceFilter<F extends string>(field: F, kind: Kind, id: string | null | undefined) {
  if (id == null) return {};
  if (!isIdOf(kind, id)) throw invalid(field, `must be an identifier with the prefix "${kinds[kind].prefix}_".`);
  return { [field]: id };
}

/** How many objects a page has, and whether they are those at the end of the list. */
export interface PageSize {
  readonly take: number;
  readonly backward: boolean;
}

/** Reads the size of a page, which is the usual one where none is given. Throws INVALID_INPUT. */
export function pageSize({ first, last }: ConnectionArgs, usual = pageSizeMax): PageSize {
  if (first != null && last != null) throw invalid('last', 'cannot be combined with `first`.');
  return { take: pageSizeOf('first', first) ?? pageSizeOf('last', last) ?? usual, backward: last != null };
}

/** Checks a page size; undefined when none is given. Throws INVALID_INPUT for one outside 1 to 100. */
export function pageSizeOf(field: string, size: number | null | undefined): number | undefined {
  if (size == null) return undefined;
  if (size < 1 || size > pageSizeMax) throw invalid(field, `must be from 1 to ${pageSizeMax}.`);
  return size;
}

/** Reads a cursor that is the id of an object. Throws INVALID_INPUT. */
export function cursor(kind: Kind, field: string, id: string | null | undefined): string | undefined {
  if (id == null) return undefined;
  if (!isIdOf(kind, id)) throw noCursor(field);
  return id;
}

function timeCursor(kind: Kind, field: string, text: string | null | undefined): TimePlace | undefined {
  if (text == null) return undefined;
  const [id = '', ms = '', ...rest] = text.split('.');
  if (rest.length > 0 || !isIdOf(kind, id) || !/^\d{1,15}$/.test(ms) || Number(ms) > lastMs) throw noCursor(field);
  return { id, time: new Date(Number(ms)) };
}

/** Makes the error for text that is no cursor of a list. */
export function noCursor(field: string): SallyportError {
  return invalid(field, 'must be a cursor from an earlier page of this list.');
}

/** Keeps a page within bounds, besides its cursors. */
function narrowed(request: PageRequest, { olderThan, newerThan }: IdBounds): PageRequest {
  const ids = (...bounds: (string | undefined)[]) => bounds.filter((bound) => bound !== undefined).sort();
  return {
    ...request,
    olderThan: ids(request.olderThan, olderThan)[0],
    newerThan: ids(request.newerThan, newerThan).at(-1),
  };
}

/** Tells where a page lies in its list. */
export function pageInfo(
  { after, before }: ConnectionArgs,
  { backward }: PageSize,
  edges: readonly { readonly cursor: string }[],
  more: boolean,
) {
  // On the side where reading began there are objects outside the page if a cursor marks one of them (Relay, 5.1).
  return {
    hasNextPage: backward ? before != null : more,
    hasPreviousPage: backward ? more : after != null,
    startCursor: edges[0]?.cursor ?? null,
    endCursor: edges.at(-1)?.cursor ?? null,
  };
}
