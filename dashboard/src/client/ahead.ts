// Prefetched queries: sent before the page that shows them has loaded. The page takes the answer instead of asking again.

import { type AnyVariables, type Client, createRequest, type DocumentInput } from 'urql';

/** The request keys of prefetched queries that no page has taken yet. */
const asked = new Set<number>();

/** Sends a query ahead of time. The client caches the answer. */
export function askAhead<D, V extends AnyVariables>(client: Client, document: DocumentInput<D, V>, variables: V): void {
  const request = createRequest(document, variables);
  asked.add(request.key);
  void client.executeQuery(request).toPromise();
}

/** Returns whether a query was prefetched, so that its answer is cached or in flight. True at most once per prefetch. */
export function takeAhead<D, V extends AnyVariables>(document: DocumentInput<D, V>, variables: V): boolean {
  return asked.size > 0 && asked.delete(createRequest(document, variables).key);
}

/** Forgets the prefetched queries that no page has taken, because their answers may be out of date. */
export function forgetAhead(): void {
  asked.clear();
}
