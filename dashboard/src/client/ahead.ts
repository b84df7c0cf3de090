// What is asked before the page that shows it is there to be drawn. The page takes the answer, and does not ask the same again.

import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { type AnyVariables, type Client, createRequest } from 'urql';

/** The keys of the questions, until a page has taken them. */
const asked = new Set<number>();

/** Asks. The answer is kept by the client. */
export function askAhead<D, V extends AnyVariables>(
  client: Client,
  document: TypedDocumentNode<D, V>,
  variables: V,
): void {
  const request = createRequest(document, variables);
  asked.add(request.key);
  void client.executeQuery(request).toPromise();
}

/** Tells, once, whether a question was asked ahead: its answer is here, or on its way. */
export function takeAhead<D, V extends AnyVariables>(document: TypedDocumentNode<D, V>, variables: V): boolean {
  return asked.size > 0 && asked.delete(createRequest(document, variables).key);
}

/** Forgets what no page has taken: the answers may not be true any more. */
export function forgetAhead(): void {
  asked.clear();
}
