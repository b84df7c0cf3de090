// Lists as Relay connections over the keyset pages of the storage.

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { GraphQLResolveInfo } from 'graphql';
import { invalid } from '../domain/errors.ts';
import { isIdOf, type Kind, kinds } from '../domain/ids.ts';
import type { ObjectReads, Page, PageRequest, ResourceModel, Row } from '../storage/collection.ts';
import { inSequence } from './batch.ts';
import type { ConnectionExtras } from './builder.ts';
import type { Context } from './context.ts';
import { innerListCost, innerListSizeDefault, pageSizeMax } from './limits.ts';
import { needsTo } from './rights.ts';
import { selectionOf } from './selection.ts';
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

/**
 * Gives what a list inside of an object needs, so that no document can ask for more than it is counted for: the argument
 * `first`, its cost, and how many to take.
 */
export const bounded = {
  description: `How many objects to return; 1 to ${pageSizeMax}.`,
  defaultValue: innerListSizeDefault,
  complexity: ({ first }: { first?: number | null | undefined }) => ({
    field: innerListCost,
    multiplier: first ?? innerListSizeDefault,
  }),
  take: (first: number | null | undefined) => pageSizeOf('first', first) ?? innerListSizeDefault,
};

/** Names and describes the types of a list field: `IpPolicyConnection` and `IpPolicyEdge`. */
export function connectionTypes(kind: Kind) {
  return [
    { name: `${kind}Connection`, description: 'A page of a list.', extensions: needsTo('read', kind) },
    { name: `${kind}Edge`, description: 'An object of a list, with its cursor.', extensions: needsTo('read', kind) },
  ] as const;
}

/** A list to page through. */
export interface List<M extends ResourceModel> {
  readonly kind: M;
  readonly collection: ObjectReads<M>;
  /** What its objects have in common, in Prisma's terms; `{}` for all of the account. */
  readonly where: object;
  /** Bounds of the ids of its objects, which are in the order of their creation. */
  readonly within?: IdBounds;
  /** URL of the list on the REST surface. */
  readonly uri: string;
  /** Whether a filter leaves out objects that the list has on the REST surface, which then has no URL for the next page. */
  readonly isNarrowed: boolean;
}

/** Bounds of ids, none of which is an id itself. */
export type IdBounds = Partial<Pick<PageRequest, 'olderThan' | 'newerThan'>>;

/**
 * Resolves a list field: one database call for the page, with the relations that the document selects.
 *
 * @throws INVALID_INPUT for a page size outside 1 to 100, both `first` and `last`, or a malformed cursor
 */
export async function resolveList<M extends ResourceModel>(
  { kind, collection, where, within = {}, uri, isNarrowed }: List<M>,
  args: ConnectionArgs,
  context: Context,
  info: GraphQLResolveInfo,
): Promise<Connection<Row<M>>> {
  const request = pageRequest(kind, args);
  const { scope, budget } = context;
  // The lists of a document are resolved before the first is read: of lists that ask for too much, none is.
  budget.expectObjects(request.take);
  const selection = selectionOf(context, info, ['nodes'], ['edges', 'node']);
  const read = () => collection.page(scope, narrowed(request, within), where, selection);
  const { olderThan: lt, newerThan: gt } = within;
  const all = lt === undefined && gt === undefined ? where : { ...where, id: { lt, gt } };
  // A document of ours has one list. Those of a client wait for each other, so that what one has read is counted first.
  const page = context.untrustedDocument
    ? await inSequence(context.requestId, () => paced(context, read))
    : await read();
  return {
    edges: page.rows.map((node) => ({ cursor: node.id, node })),
    pageInfo: pageInfo(request, page),
    totalCount: () => countOnce(kind, collection, all, context),
    uri,
    nextPageUri: isNarrowed ? null : nextPageUri(uri, request, page),
  };
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

function pageRequest(kind: Kind, { first, last, after, before }: ConnectionArgs): PageRequest {
  if (first != null && last != null) throw invalid('last', 'cannot be combined with `first`.');
  return {
    take: pageSizeOf('first', first) ?? pageSizeOf('last', last) ?? pageSizeMax,
    backward: last != null,
    olderThan: cursor(kind, 'after', after),
    newerThan: cursor(kind, 'before', before),
  };
}

/** Checks a page size; undefined when none is given. Throws INVALID_INPUT for one outside 1 to 100. */
function pageSizeOf(field: string, size: number | null | undefined): number | undefined {
  if (size == null) return undefined;
  if (size < 1 || size > pageSizeMax) throw invalid(field, `must be from 1 to ${pageSizeMax}.`);
  return size;
}

function cursor(kind: Kind, field: string, id: string | null | undefined): string | undefined {
  if (id == null) return undefined;
  if (!isIdOf(kind, id)) throw invalid(field, 'must be a cursor from an earlier page of this list.');
  return id;
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

function pageInfo<R extends { id: string }>(request: PageRequest, { rows, more }: Page<R>) {
  // On the side where reading began there are objects outside the page if a cursor marks one of them (Relay, 5.1).
  const { backward, olderThan, newerThan } = request;
  return {
    hasNextPage: backward ? newerThan !== undefined : more,
    hasPreviousPage: backward ? more : olderThan !== undefined,
    startCursor: rows[0]?.id ?? null,
    endCursor: rows.at(-1)?.id ?? null,
  };
}

function nextPageUri<R extends { id: string }>(
  uri: string,
  request: PageRequest,
  { rows, more }: Page<R>,
): string | null {
  const lastId = rows.at(-1)?.id;
  if (lastId === undefined || request.backward || request.newerThan !== undefined || !more) return null;
  return `${uri}?limit=${request.take}&before_id=${lastId}`;
}
