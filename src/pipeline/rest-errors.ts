// Which error a request is answered with.

import type { GraphQLError } from 'graphql';
import type { ErrorCode } from '../domain/error-catalogue.ts';
import { SallyportError } from '../domain/errors.ts';
import { isErrorCode } from '../graphql/kit/public-errors.ts';

/** Codes of errors after which the same request may succeed a little later. */
export const codesForLater: ReadonlySet<ErrorCode> = new Set([
  'UNAVAILABLE',
  'TOO_MANY_REQUESTS',
  'TOO_MANY_STREAMS',
  'IDEMPOTENCY_KEY_IN_USE',
]);

/** Returns the error to answer with. Anything unexpected is masked, and becomes the cause. */
export function toSallyportError(thrown: unknown): SallyportError {
  if (thrown instanceof SallyportError) return thrown;
  // Express refuses paths that cannot be decoded, such as `/%ff`.
  if (thrown instanceof URIError)
    return new SallyportError('UNKNOWN_ROUTE', 'The path is not correctly percent-encoded.');
  return new SallyportError('INTERNAL', "Internal error. The server's log has the cause under this request ID.", {
    cause: thrown,
  });
}

/** Returns the error behind a GraphQL error. One without a code of ours would be a broken invariant. */
export function fromGraphQLError(error: GraphQLError): SallyportError {
  if (error.originalError instanceof SallyportError) return error.originalError;
  const { code } = error.extensions;
  return new SallyportError(isErrorCode(code) ? code : 'INTERNAL', error.message);
}
