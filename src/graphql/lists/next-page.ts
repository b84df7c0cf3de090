// The REST URL of the next page of a list.

import { snakeCase } from '../../domain/values/snake-case.ts';
import type { ConnectionArgs, PageSize } from './connection.ts';

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
