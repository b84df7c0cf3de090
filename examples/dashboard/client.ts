// A GraphQL client in one function: what a document selects is what the answer is typed as.

import type { TypedDocumentString } from './generated/graphql.js';

/** A field of the query is null only if it failed. Without an error, just `node` can be: with an id that does not exist. */
type Complete<Result> = { [Field in keyof Result]: NonNullable<Result[Field]> };

/** Executes a document. Throws Error with the message and the code of the first error. */
export async function execute<Result, Variables>(
  { url, apiKey }: { url: string; apiKey: string },
  document: TypedDocumentString<Result, Variables>,
  variables: Variables,
): Promise<Complete<Result>> {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ query: document.toString(), variables }),
  });
  // The form of every answer of the GraphQL surface; the document says what is in `data`.
  const answer = (await response.json()) as {
    data?: Complete<Result>;
    errors?: { message: string; extensions: { code: string } }[];
  };
  const [error] = answer.errors ?? [];
  if (error !== undefined) throw new Error(`${error.extensions.code}: ${error.message}`);
  if (answer.data === undefined) throw new Error(`The server answered with ${response.status} and without data.`);
  return answer.data;
}
