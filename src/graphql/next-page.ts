// The address of the next page of a list on the REST surface.

import type { ConnectionArgs, PageSize } from './connection.ts';

/** Gives the URL of the page that follows on the REST surface; null where there is none. */
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

/** Writes the filters of a list as the query of its REST route, whose names are those of the arguments in snake case. */
export function restQuery(filters: object): Record<string, string> {
  const given = Object.entries(filters).filter(([, value]) => value != null);
  return Object.fromEntries(
    given.map(([name, value]) => [name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), String(value)]),
  );
}
