// Errors as REST clients get them.

import type { GraphQLError } from 'graphql';
import { type ErrorCode, SallyportError } from '../domain/errors.ts';
import { isErrorCode, statusOf } from '../graphql/kit/public-errors.ts';

/** Body of every answer outside 2xx. Clients of the API family need all four, and only strings in `details`. */
export interface ErrorBody {
  error_code: ErrorCode;
  status_code: number;
  msg: string;
  details: { operation_id: string; field?: string; command?: string };
}

/** Codes of errors after which the same request may succeed a little later. */
export const codesForLater: ReadonlySet<ErrorCode> = new Set([
  'UNAVAILABLE',
  'TOO_MANY_REQUESTS',
  'TOO_MANY_STREAMS',
  'IDEMPOTENCY_KEY_IN_USE',
]);

/** Seconds after which a client may repeat a request that could not be served. */
export const retryAfterSeconds = 2;

/** Returns the body for an error. */
export function errorBody({ code, field, command, message }: SallyportError, requestId: string): ErrorBody {
  return {
    error_code: code,
    status_code: statusOf[code],
    msg: field === undefined ? message : `${field}: ${message}`,
    details: {
      operation_id: requestId,
      ...(field !== undefined && { field }),
      ...(command !== undefined && { command }),
    },
  };
}

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
