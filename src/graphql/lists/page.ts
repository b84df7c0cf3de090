// The pages of lists: which part is asked for, and what the answer tells about the rest.

import { invalid } from '../../domain/errors.ts';
import { isIdOf, type Kind } from '../../domain/values/ids.ts';
import { snakeCase } from '../../domain/values/snake-case.ts';
import { pageSizeMax } from '../../load/limits.ts';
import { noCursor } from './list-order.ts';

/** The arguments of a connection field. */
export interface ConnectionArgs {
  first?: number | null | undefined;
  last?: number | null | undefined;
  after?: string | null | undefined;
  before?: string | null | undefined;
}

/** The size of a page, and whether it is read from the end of the list. */
export interface PageSize {
  readonly take: number;
  readonly backward: boolean;
}

/** Reads the size of a page; `usual` if none is given. Throws INVALID_INPUT. */
export function pageSize({ first, last }: ConnectionArgs, usual = pageSizeMax): PageSize {
  if (first != null && last != null) throw invalid('last', 'cannot be combined with `first`.');
  return { take: pageSizeOf('first', first) ?? pageSizeOf('last', last) ?? usual, backward: last != null };
}

/** Checks a page size; undefined if none is given. Throws INVALID_INPUT for a size outside 1 to 100. */
export function pageSizeOf(field: string, size: number | null | undefined): number | undefined {
  if (size == null) return undefined;
  if (size < 1 || size > pageSizeMax) throw invalid(field, `must be from 1 to ${pageSizeMax}.`);
  return size;
}

/** Checks a cursor that must be the id of an object. Throws INVALID_INPUT. */
export function cursor(kind: Kind, field: string, id: string | null | undefined): string | undefined {
  if (id == null) return undefined;
  if (!isIdOf(kind, id)) throw noCursor(field);
  return id;
}

/** Returns the page info of a page, whose entries may include those of objects that are deleted meanwhile. */
export function pageInfo(
  { after, before }: ConnectionArgs,
  { backward }: PageSize,
  entries: readonly { readonly cursor: string }[],
  more: boolean,
) {
  // Beyond a cursor that the client gave, there are objects on either side (Relay, 5.1): at least the one of the cursor.
  return {
    hasNextPage: before != null || (!backward && more),
    hasPreviousPage: after != null || (backward && more),
    startCursor: entries[0]?.cursor ?? null,
    endCursor: entries.at(-1)?.cursor ?? null,
  };
}

/** Returns the REST URL of the next page; null if there is none. */
export function nextPageUri(
  uri: string,
  { before }: ConnectionArgs,
  { take, backward }: PageSize,
  { hasNextPage, endCursor }: { readonly hasNextPage: boolean; readonly endCursor: string | null },
  query: Readonly<Record<string, string>>,
): string | null {
  if (endCursor === null || backward || before != null || !hasNextPage) return null;
  return `${uri}?${new URLSearchParams({ limit: String(take), before_id: endCursor, ...query })}`;
}

/** Converts the filters of a list to the query of its REST route, which has the argument names in snake case. */
export function restQuery(filters: object): Record<string, string> {
  const given = Object.entries(filters).filter(([, value]) => value != null);
  return Object.fromEntries(given.map(([name, value]) => [snakeCase(name), String(value)]));
}
