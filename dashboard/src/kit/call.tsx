// The request that a form is about to send, as a program would send it over REST or GraphQL.

import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { type AnyVariables, stringifyDocument } from 'urql';
import { graphqlUrl, serverUrl } from '../client/server.ts';
import styles from './call.module.css';
import { CopyField } from './copy.tsx';
import { useIsCallShown } from './shown-calls.tsx';
import { sayNumber } from './words.ts';

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
  /** The body as a shell word; null for none. */
  readonly body: string | null;
}

/** Returns the lines of a `curl` command. `$SALLYPORT_API_KEY` stands for the key. */
function curlLines({ method, url, headers, body }: CurlRequest): string[] {
  return [
    `curl -X ${method} ${quoted(url)}`,
    '-H "Authorization: Bearer $SALLYPORT_API_KEY"',
    ...headers.map((header) => `-H ${quoted(header)}`),
    ...(body === null ? [] : ["-H 'Content-Type: application/json'", `-d ${body}`]),
  ];
}

const quotedJson = (body: unknown) => quoted(JSON.stringify(body));

/** Returns the request of a REST call. `body` is a shell word. */
function restRequest({ method, path, ifMatch }: Omit<RestCall, 'body'>, body: string | null): CurlRequest {
  const headers = ['Service-Version: 2', ...(ifMatch === undefined ? [] : [`If-Match: "${ifMatch}"`])];
  return { method, url: serverUrl + path, headers, body };
}

/** Returns a `curl` command. */
const curlOf = (request: CurlRequest): string => curlLines(request).join(' \\\n  ');

/**
 * Returns a shell loop that sends the same call with one body after another. A key may send a burst of calls; for the rest, curl
 * waits as long as the `Retry-After` header says, and retries.
 */
function curlLoop(call: Omit<RestCall, 'body'>, bodies: readonly unknown[]): string {
  const lines = [...curlLines(restRequest(call, '"$body"')), '--retry 5'];
  return [
    'while IFS= read -r body; do',
    `  ${lines.join(' \\\n    ')}`,
    "done <<'END'",
    ...bodies.map((body) => JSON.stringify(body)),
    'END',
  ].join('\n');
}

function Shown({ title, curl, document, label, variables }: ShownProps) {
  if (!useIsCallShown()) return null;
  return (
    <section className={styles.call} aria-label={title}>
      <h3>{title}</h3>
      <CopyField label="curl" text={curl()} />
      <CopyField label="GraphQL" text={stringifyDocument(document).trim()} />
      <CopyField label={label} text={variables()} />
    </section>
  );
}

interface ShownProps {
  readonly title: string;
  readonly curl: () => string;
  readonly document: TypedDocumentNode<unknown, never>;
  /** Label of the variables. */
  readonly label: string;
  readonly variables: () => string;
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
  const request = () =>
    rest === undefined
      ? {
          method: 'POST',
          url: graphqlUrl,
          headers: [],
          body: quotedJson({ query: stringifyDocument(document).trim(), variables }),
        }
      : restRequest(rest, rest.body === undefined ? null : quotedJson(rest.body));
  return (
    <Shown
      title={title}
      curl={() => curlOf(request())}
      document={document}
      label="Variables"
      variables={() => JSON.stringify(variables, null, 2)}
    />
  );
}

/** Shows a call that is sent with one input after another: as a shell loop, and as GraphQL with the variables of each request. */
export function CallSeries<V extends AnyVariables>({
  rest,
  bodies,
  document,
  variables,
}: {
  rest: Omit<RestCall, 'body'>;
  bodies: readonly unknown[];
  document: TypedDocumentNode<unknown, V>;
  variables: readonly V[];
}) {
  return (
    <Shown
      title={`The ${sayNumber(variables.length)} calls`}
      curl={() => curlLoop(rest, bodies)}
      document={document}
      label="Variables, a line for each request"
      variables={() => variables.map((each) => JSON.stringify(each)).join('\n')}
    />
  );
}
