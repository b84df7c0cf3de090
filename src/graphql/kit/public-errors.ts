// Errors as clients get them: the HTTP status of every code, and the GraphQL form. Unexpected errors are masked here.

import { GraphQLError } from 'graphql';
import { type ErrorCode, errorCatalogue } from '../../domain/error-catalogue.ts';
import { SallyportError, withoutTrace } from '../../domain/errors.ts';
import { messageCharactersMax } from '../../load/limits.ts';

/** The HTTP status of every code. A new code without a status does not compile. */
export const statusOf: Record<ErrorCode, number> = {
  INVALID_INPUT: 400,
  UNKNOWN_FIELD: 400,
  READ_ONLY_FIELD: 400,
  UNKNOWN_REFERENCE: 400,
  DUPLICATE: 400,
  MALFORMED_BODY: 400,
  BODY_TOO_DEEP: 400,
  BODY_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  UNSUPPORTED_VERSION: 400,
  BAD_REQUEST: 400,
  HEADERS_TOO_LARGE: 431,
  EXPECTATION_FAILED: 417,
  REQUEST_TIMEOUT: 408,
  UNAUTHENTICATED: 401,
  PROOF_INVALID: 401,
  FORBIDDEN: 403,
  ENROLLMENT_TOKEN_UNUSABLE: 403,
  IP_RESTRICTED: 403,
  NOT_FOUND: 404,
  EVENT_GONE: 410,
  UNKNOWN_ROUTE: 404,
  METHOD_NOT_ALLOWED: 405,
  NOT_ACCEPTABLE: 406,
  IN_USE: 409,
  NOT_RENEWABLE: 409,
  OUT_OF_ORDER: 409,
  NOT_RESTORABLE: 409,
  LOCKOUT: 409,
  VERSION_CONFLICT: 412,
  IDEMPOTENCY_ANSWER_LOST: 409,
  IDEMPOTENCY_KEY_INVALID: 400,
  IDEMPOTENCY_KEY_IN_USE: 409,
  IDEMPOTENCY_KEY_REUSED: 422,
  GRAPHQL_SYNTAX: 400,
  GRAPHQL_INVALID: 400,
  QUERY_TOO_COMPLEX: 400,
  TOO_MANY_REQUESTS: 429,
  UNAVAILABLE: 503,
  OUTGOING_REFUSED: 400,
  OUTGOING_FAILED: 422,
  TOO_MANY_STREAMS: 429,
  INTERNAL: 500,
};

/** Returns whether the same request may succeed later, or with another API key, although nothing else has changed. */
export function isPassing(code: ErrorCode): boolean {
  return statusOf[code] >= 500 || statusOf[code] === 429 || statusOf[code] === 403;
}

/** Reports the cause of a masked error. */
export type ReportCause = (error: unknown) => void;

/** Returns whether a value is a code of the catalogue. */
export function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(errorCatalogue, code);
}

/**
 * Converts an error to the form that clients may see. An expected error keeps its code; any other becomes INTERNAL without a word
 * about its cause, which is reported instead.
 */
export function toPublicError(error: unknown, report: ReportCause): GraphQLError {
  const located = error instanceof GraphQLError ? error : undefined;
  if (located !== undefined && isErrorCode(located.extensions.code)) return located;

  // Execution wraps whatever a resolver throws. An error without an original error or a path is about the request itself.
  if (located !== undefined && located.originalError === undefined && located.path === undefined) {
    return coded('GRAPHQL_INVALID', located.message, located);
  }
  const original = located?.originalError ?? error;
  if (original instanceof SallyportError) {
    // Only failures of the server itself have a cause; mistakes of clients are not logged.
    if (original.cause !== undefined) report(original);
    const message = original.field === undefined ? original.message : `${original.field}: ${original.message}`;
    return coded(original.code, message, located, original);
  }
  report(original);
  return coded('INTERNAL', "Internal error. The server's log has the cause under this request ID.", located);
}

/** Truncates an error message, which may repeat names that the client chose. */
export function shortened(message: string, charactersMax = messageCharactersMax): string {
  return message.length <= charactersMax ? message : `${message.slice(0, charactersMax)}...`;
}

/** Creates an error with a code, at the location of another error. */
export function coded(
  code: ErrorCode,
  message: string,
  located?: GraphQLError,
  original?: SallyportError,
): GraphQLError {
  return withoutTrace(
    () =>
      new GraphQLError(shortened(message), {
        nodes: located?.nodes ?? null,
        source: located?.source ?? null,
        positions: located?.positions ?? null,
        path: located?.path ?? null,
        // For the REST surface, which spells field names differently. Not part of the GraphQL answer.
        originalError: original ?? null,
        extensions: {
          code,
          ...(original?.field !== undefined && { field: original.field }),
          ...(original?.command !== undefined && { command: original.command }),
        },
      }),
  );
}
