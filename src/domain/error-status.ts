// The HTTP status of every error code, which all surfaces share. Pure.

import type { ErrorCode } from './error-catalogue.ts';

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
  EXPECT_UNSUPPORTED: 417,
  REQUEST_TIMEOUT: 408,
  UNAUTHENTICATED: 401,
  PROOF_INVALID: 401,
  FORBIDDEN: 403,
  ENROLLMENT_TOKEN_UNUSABLE: 403,
  IP_RESTRICTED: 403,
  // As a refusal for want of rights: it may pass later although nothing else has changed.
  APPROVAL_REQUIRED: 403,
  NOT_FOUND: 404,
  EVENT_GONE: 410,
  UNKNOWN_ROUTE: 404,
  METHOD_NOT_ALLOWED: 405,
  NOT_ACCEPTABLE: 406,
  IN_USE: 409,
  NOT_RENEWABLE: 409,
  OUT_OF_ORDER: 409,
  NOT_RESTORABLE: 409,
  PLAN_OUTDATED: 409,
  CHANGED_SINCE: 409,
  LOCKOUT: 409,
  EXPECTATION_FAILED: 409,
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
