// Lists as Relay connections, on top of the keyset pages of the storage.

import type { GraphQLResolveInfo } from 'graphql';
import { keptOnce } from '../../domain/concurrency/kept-with.ts';
import { invalid } from '../../domain/errors.ts';
import { isIdOf, type Kind, kinds } from '../../domain/values/ids.ts';
import { getOrInsertComputed } from '../../domain/values/maps.ts';
import { breathe, paceOf } from '../../load/answer-slices.ts';
import { objectsOfLookup } from '../../load/limits.ts';
import type { ObjectReads, ResourceModel, Row } from '../../storage/objects/collection.ts';
import type { IdBounds } from '../../storage/sql/list-parts.ts';
import { versionColumn } from '../../storage/sql/range.ts';
import { inSequence } from '../kit/batch.ts';
import type { ConnectionExtras } from '../kit/builder.ts';
import type { Context } from '../kit/context.ts';
import { selectsAny } from '../kit/selection.ts';
import { textLengthOf } from '../kit/text-length.ts';
import { type Entries, newestFirst, type Order, readCursor, readInOrder } from './list-order.ts';
import { type FoundWhole, lookThrough, readFound } from './list-search.ts';
import { type ConnectionArgs, nextPageUri, pageInfo, pageSize } from './page.ts';
import { columnsOfPage } from './page-columns.ts';

/** What a connection field resolves to. */
export interface Connection<R> extends ConnectionExtras {
  edges: { readonly cursor: string; readonly node: R }[];
  pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; startCursor: string | null; endCursor: string | null };
}

/** The condition of a list, or a function that looks it up when the list is read. */
export type Where = object | (() => Promise<object>);

/** A list to page through. */
export interface List<M extends ResourceModel> {
  readonly kind: M;
  readonly collection: ObjectReads<M>;
  /** The condition that its objects meet, in Prisma's terms; `{}` for all objects of the account. */
  readonly where: Where;
  /** Bounds of the ids of its objects. Ids sort by creation time. */
  readonly within?: IdBounds;
  /** Its order; newest first by default. */
  readonly order?: Order | undefined;
  /** The text to search for, if the kind can be searched. */
  readonly search?: string | null | undefined;
  /** URL of the list on the REST surface. */
  readonly uri: string;
  /** The filters and the order as REST query parameters; null if REST has no such list, so there is no URL of the next page. */
  readonly query: Readonly<Record<string, string>> | null;
}

/** A page, and the facts about the whole list if reading it required a search through all of it. */
interface Read<R> extends Entries<R> {
  readonly whole?: FoundWhole;
}

/** The fields of a connection that concern the whole list. They do not need a page. */
const ofWholeList: ReadonlySet<string> = new Set(['totalCount', 'searchedInPart', 'uri', '__typename']);

/**
 * Resolves a list field with one database call for the page, or none if the document selects nothing of it. A search runs once, for the page and for the facts about the whole list.
 *
 * @throws INVALID_INPUT for a page size outside 1 to 100, both `first` and `last`, or a cursor that is malformed or of another order
 */
export async function resolveList<M extends ResourceModel>(
  list: List<M>,
  args: ConnectionArgs,
  context: Context,
  info: GraphQLResolveInfo,
): Promise<Connection<Row<M>>> {
  const { kind, collection, where, within = {}, order = newestFirst, search, uri, query } = list;
  const size = pageSize(args);
  const { budget, scope } = context;
  const wantsPage = selectsAny(info, (name) => !ofWholeList.has(name));
  const after = readCursor(kind, order, 'after', args.after);
  const part = { ...size, after, before: readCursor(kind, order, 'before', args.before) };
  // All lists of a document get here before the first one is read: if together they ask for too much, none is read.
  budget.expectObjects((wantsPage ? size.take : 0) + (search == null ? 0 : objectsOfLookup));
  let found: Promise<object> | undefined;
  const lookUp = (): Promise<object> => {
    found ??= isLookedUp(where) ? where() : Promise.resolve(where);
    return found;
  };
  const readPage = async (): Promise<Read<Row<M>>> => {
    const all = { collection, where: await lookUp(), within };
    if (!wantsPage) return { entries: [], more: false };
    if (search != null) return readFound({ ...all, text: search }, order, part, context);
    return readInOrder(all, order, part, context, columnsOfPage(kind, order.column, info, context));
  };
  const readWhole = async (): Promise<FoundWhole> => {
    const all = { collection, where: await lookUp(), within };
    if (search != null) return lookThrough({ ...all, text: search }, order, context);
    const count =
      order.column === versionColumn
        ? await collection.countByVersion(scope, all.where, within, paceOf(context))
        : await collection.count(scope, all.where, within, paceOf(context));
    return { count, isPartial: false };
  };
  // Our own documents have one list each. The lists of a client document run in sequence, so that each is counted before the next.
  const { entries, more, whole } = context.untrustedDocument
    ? await inSequence(context.requestId, () => paced(context, readPage))
    : await readPage();
  const page = pageInfo(args, size, entries, more);
  const wholeOnce = async () =>
    whole ?? readOnce(JSON.stringify([kind, await lookUp(), within, search]), readWhole, context);
  return {
    edges: entries.filter(hasNode),
    pageInfo: page,
    totalCount: async () => (await wholeOnce()).count,
    searchedInPart: async () => search != null && (await wholeOnce()).isPartial,
    uri,
    nextPageUri: query === null ? null : nextPageUri(uri, args, size, page, query),
  };
}

type Entry<R> = Entries<R>['entries'][number];

function hasNode<R>(entry: Entry<R>): entry is Entry<R> & { readonly node: R } {
  return entry.node !== null;
}

function isLookedUp(where: Where): where is () => Promise<object> {
  return typeof where === 'function';
}

/** Reads a page, in a later turn of the event loop if the answer is large, and counts the text in its rows. */
async function paced<R extends object>(context: Context, read: () => Promise<Read<R>>): Promise<Read<R>> {
  await breathe(context);
  const page = await read();
  context.budget.countRead(textLengthOf(page.entries));
  return page;
}

const wholesOf = keptOnce((_context: Context) => new Map<string, Promise<FoundWhole>>());

/** Reads the facts about a whole list, once for all aliases in a document. */
function readOnce(name: string, read: () => Promise<FoundWhole>, context: Context): Promise<FoundWhole> {
  const wholes = wholesOf(context);
  return getOrInsertComputed(wholes, name, () =>
    inSequence(context.requestId, async () => {
      await breathe(context);
      return read();
    }),
  );
}

/**
 * Returns the condition that narrows a list to the objects that refer to another object; an empty one if no id is given.
 *
 * @throws INVALID_INPUT for text that is not an id of that kind
 */
export function referenceFilter<F extends string>(field: F, kind: Kind, id: string | null | undefined) {
  if (id == null) return {};
  if (!isIdOf(kind, id)) throw invalid(field, `must be an identifier with the prefix "${kinds[kind].prefix}_".`);
  return { [field]: id };
}
