// "Show the call": what a form is about to send, as a program would send it, over either surface.

import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { type AnyVariables, stringifyDocument } from 'urql';
import { graphqlUrl, serverUrl } from '../client/place.ts';
import styles from './call.module.css';
import { CopyField } from './copy.tsx';
import { Fold } from './fold.tsx';
import { sayNumber } from './words.ts';

/** A call of the REST surface. */
export interface RestCall {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** Such as `/ip_policies`. */
  readonly path: string;
  readonly body?: unknown;
  /** The version that the change is based on: `expectedVersion` of GraphQL. */
  readonly ifMatch?: number;
}

/** Puts a text into single quotes of a shell. */
export const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/** A request as `curl` sends it. */
interface CurlRequest {
  readonly method: string;
  readonly url: string;
  /** Headers besides those of the key and of the body. */
  readonly headers: readonly string[];
  /** As the shell is to take it; null for none. */
  readonly body: string | null;
}

/** Writes the lines of a request for a shell. `$SALLYPORT_API_KEY` stands for the key. */
function curlLines({ method, url, headers, body }: CurlRequest): string[] {
  return [
    `curl -X ${method} ${quoted(url)}`,
    '-H "Authorization: Bearer $SALLYPORT_API_KEY"',
    ...headers.map((header) => `-H ${quoted(header)}`),
    ...(body === null ? [] : ["-H 'Content-Type: application/json'", `-d ${body}`]),
  ];
}

const quotedJson = (body: unknown) => quoted(JSON.stringify(body));

/** Gives the request of a call of the REST surface, with the body as the shell is to take it. */
function restRequest({ method, path, ifMatch }: Omit<RestCall, 'body'>, body: string | null): CurlRequest {
  const headers = ['Service-Version: 2', ...(ifMatch === undefined ? [] : [`If-Match: "${ifMatch}"`])];
  return { method, url: serverUrl + path, headers, body };
}

/** Writes a request for a shell. */
const curlOf = (request: CurlRequest): string => curlLines(request).join(' \\\n  ');

/**
 * Writes the same call with one body after another for a shell. A key may send a few at once; the others wait as long as the answer
 * says (`Retry-After`), which curl obeys.
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
  return (
    <div className={styles.call}>
      <Fold title={title}>
        <div className={styles.calls}>
          <CopyField label="curl" text={curl} />
          <CopyField label="GraphQL" text={stringifyDocument(document).trim()} />
          <CopyField label={label} text={variables} />
        </div>
      </Fold>
    </div>
  );
}

interface ShownProps {
  readonly title: string;
  readonly curl: string;
  readonly document: TypedDocumentNode<unknown, never>;
  /** What the variables are called. */
  readonly label: string;
  readonly variables: string;
}

/** Shows the same call as `curl` and as GraphQL. Without `rest`, `curl` posts to GraphQL. */
export function Call<V extends AnyVariables>({
  title = 'Show the call',
  rest,
  document,
  variables,
}: {
  title?: string;
  rest?: RestCall;
  document: TypedDocumentNode<unknown, V>;
  variables: V;
}) {
  const query = stringifyDocument(document).trim();
  const request =
    rest === undefined
      ? { method: 'POST', url: graphqlUrl, headers: [], body: quotedJson({ query, variables }) }
      : restRequest(rest, rest.body === undefined ? null : quotedJson(rest.body));
  return (
    <Shown
      title={title}
      curl={curlOf(request)}
      document={document}
      label="Variables"
      variables={JSON.stringify(variables, null, 2)}
    />
  );
}

/** Shows the same call with one input after another: as a loop of a shell, and as GraphQL with the variables of each request. */
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
      title={`Show the ${sayNumber(variables.length)} calls`}
      curl={curlLoop(rest, bodies)}
      document={document}
      label="Variables, a line for each request"
      variables={variables.map((each) => JSON.stringify(each)).join('\n')}
    />
  );
}
