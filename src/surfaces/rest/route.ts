// A row of the route table: a method, a path and a GraphQL document. The document is the whole mapping.

import type { DocumentNode } from 'graphql';

export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';

export interface Route {
  readonly method: Method;
  /** Path with its parameters in braces, as in the documentation: `/ip_policies/{id}`. */
  readonly path: string;
  /**
   * The operation that answers the route. Its variables are the accepted fields. Those named in the path come from there, and the
   * others from the query of a GET or DELETE, or from the body of a POST, PATCH or PUT. `$if_match` is the `If-Match` header, and
   * `$force` is the `Sallyport-Force` header. The field with the alias `body` is the answer; within it, the alias `etag` is the
   * `ETag` header.
   */
  readonly document: DocumentNode;
  /**
   * Fields in the path or body, one of which tells on whose behalf a request without an API key acts, such as the certificate whose
   * key it proves to have. Absent if every request needs a key. The resolver must check the proof: nothing else does.
   */
  readonly withoutKey?: readonly string[];
  /** Other spellings of values that clients of the API family send, by the field of the body. */
  readonly spellings?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** Creates a row in one line: `route('GET /ip_policies/{id}', GetIpPolicyDocument)`. */
export function route(
  methodAndPath: `${Method} /${string}`,
  document: DocumentNode,
  options: Pick<Route, 'withoutKey' | 'spellings'> = {},
): Route {
  const space = methodAndPath.indexOf(' ');
  // Safe cast: by the type of the argument, a method precedes the first space.
  return {
    method: methodAndPath.slice(0, space) as Method,
    path: methodAndPath.slice(space + 1),
    document,
    ...options,
  };
}

/** The status of a success. It depends only on the method, on every documented route (spec, "Endpoints"). */
export const successStatus: Record<Method, number> = { GET: 200, POST: 201, PATCH: 200, PUT: 200, DELETE: 204 };

/** Returns whether requests with a method have their fields in a body rather than in the query. */
export function hasBody(method: Method): boolean {
  return method !== 'GET' && method !== 'DELETE';
}
