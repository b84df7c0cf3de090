// The request that a form is about to send, as a program would send it over REST or GraphQL.

import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { type AnyVariables, stringifyDocument } from 'urql';
import { graphqlUrl, serverUrl } from '../client/server.ts';
import styles from './call.module.css';
import { CopyField } from './copy.tsx';
import { useIsCallShown } from './shown-calls.tsx';

/** A REST call. */
export interface RestCall {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** The path, such as `/ip_policies`. */
  readonly path: string;
  readonly body?: unknown;
  /** The version that the change is based on: `expectedVersion` in GraphQL. */
  readonly ifMatch?: number;
}

/** Quotes a text for a shell, in single quotes. */
export const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/** A request to be sent by `curl`. */
interface CurlRequest {
  readonly method: string;
  readonly url: string;
  /** Headers other than `Authorization` and `Content-Type`. */
  readonly headers: readonly string[];
  readonly body: unknown;
}

/** Returns a `curl` command. `$SALLYPORT_API_KEY` stands for the key. */
function curlOf({ method, url, headers, body }: CurlRequest): string {
  return [
    `curl -X ${method} ${quoted(url)}`,
    '-H "Authorization: Bearer $SALLYPORT_API_KEY"',
    ...headers.map((header) => `-H ${quoted(header)}`),
    ...(body === undefined ? [] : ["-H 'Content-Type: application/json'", `-d ${quoted(JSON.stringify(body))}`]),
  ].join(' \\\n  ');
}

/** Returns the request of a REST call. */
function restRequest({ method, path, body, ifMatch }: RestCall): CurlRequest {
  const headers = ['Service-Version: 2', ...(ifMatch === undefined ? [] : [`If-Match: "${ifMatch}"`])];
  return { method, url: serverUrl + path, headers, body };
}

/** Shows a call as `curl` and as GraphQL. Without `rest`, `curl` posts to the GraphQL endpoint. */
export function Call<V extends AnyVariables>({
  title = 'The call',
  rest,
  document,
  variables,
}: {
  title?: string;
  rest?: RestCall;
  document: TypedDocumentNode<unknown, V>;
  variables: V;
}) {
  if (!useIsCallShown()) return null;
  const query = stringifyDocument(document).trim();
  const request =
    rest === undefined
      ? { method: 'POST', url: graphqlUrl, headers: [], body: { query, variables } }
      : restRequest(rest);
  return (
    <section className={styles.call} aria-label={title}>
      <h3>{title}</h3>
      <CopyField label="curl" text={curlOf(request)} />
      <CopyField label="GraphQL" text={query} />
      <CopyField label="Variables" text={JSON.stringify(variables, null, 2)} />
    </section>
  );
}
