// "Show the call": what a form is about to send, as a program would send it, over either surface.

import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { type AnyVariables, stringifyDocument } from 'urql';
import { serverUrl } from '../client/place.ts';
import styles from './call.module.css';
import { CopyField } from './copy.tsx';

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

/** Writes a call of the REST surface for a shell. `$SALLYPORT_API_KEY` stands for the key. */
export function curlOf({ method, path, body, ifMatch }: RestCall): string {
  const lines = [
    `curl -X ${method} ${quoted(serverUrl + path)}`,
    '-H "Authorization: Bearer $SALLYPORT_API_KEY"',
    "-H 'Service-Version: 2'",
  ];
  if (ifMatch !== undefined) lines.push(`-H 'If-Match: "${ifMatch}"'`);
  if (body !== undefined) lines.push("-H 'Content-Type: application/json'", `-d ${quoted(JSON.stringify(body))}`);
  return lines.join(' \\\n  ');
}

/** Shows the same call as `curl` and as GraphQL. */
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
  return (
    <details className={styles.call}>
      <summary>{title}</summary>
      <div className={styles.calls}>
        {rest && <CopyField label="curl" text={curlOf(rest)} />}
        <CopyField label="GraphQL" text={stringifyDocument(document).trim()} />
        <CopyField label="Variables" text={JSON.stringify(variables, null, 2)} />
      </div>
    </details>
  );
}
