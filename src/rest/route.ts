// A row of the route table: a method, a path and a GraphQL document. The document is the whole mapping.

import type { DocumentNode } from 'graphql';

export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';

/** One documented REST route. */
export interface Route {
  readonly method: Method;
  /** Path with its parameters in braces, as the documentation writes it: `/ip_policies/{id}`. */
  readonly path: string;
  /**
   * The operation that answers the route. Its variables are the accepted fields: those named in the path, and all
   * others from the query of a GET or DELETE and from the body of a POST, PATCH or PUT; `$if_match` is the `If-Match` header,
   * and `$force` is `Sallyport-Force`.
   * The field with the alias `body` is the answer; in it, the alias `etag` is the `ETag` header.
   */
  readonly document: DocumentNode;
  /**
   * The fields by one of which a request without an API key says what it speaks for, in the path or the body: such as the certificate
   * whose key it proves to have. Absent where every request needs a key. The resolver must look at the proof: nothing else does.
   */
  readonly withoutKey?: readonly string[];
}

/** Makes a row from one line, such as `route('GET /ip_policies/{id}', GetIpPolicyDocument)`. */
export function route(
  methodAndPath: `${Method} /${string}`,
  document: DocumentNode,
  options: Pick<Route, 'withoutKey'> = {},
): Route {
  const space = methodAndPath.indexOf(' ');
  // The type of the argument says that what stands before the first space is a method.
  return {
    method: methodAndPath.slice(0, space) as Method,
    path: methodAndPath.slice(space + 1),
    document,
    ...options,
  };
}

/** The status of a success: it follows from the method on every documented route (spec, "Endpoints"). */
export const successStatus: Record<Method, number> = { GET: 200, POST: 201, PATCH: 200, PUT: 200, DELETE: 204 };

/** Tells whether the fields of a request with a method are in its query, not in a body. */
export function takesQuery(method: Method): boolean {
  return method === 'GET' || method === 'DELETE';
}
