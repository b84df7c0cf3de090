// Errors in the description: the statuses and codes that each route can answer with.

import { STATUS_CODES } from 'node:http';
import { type ErrorCode, errorCatalogue } from '../../domain/errors.ts';
import { isErrorCode, statusOf } from '../../graphql/errors.ts';
import { rateLimitHeader, rateLimitPolicyHeader } from '../../http/rate-limits.ts';
import { keyExpiresHeader } from '../../http/request.ts';
import { wouldRefuseHeader } from '../../http/restrictions.ts';
import type { PreparedRoute } from '../prepared-route.ts';
import type { Method } from '../route.ts';
import { type JsonSchema, jsonContent } from './json-schema.ts';
import type { Examples } from './types.ts';

/** Body of every answer outside 2xx: see `ErrorBody` in `http/errors.ts`. */
export const errorSchema: JsonSchema = {
  type: 'object',
  description: 'What went wrong, for a program and for a person.',
  required: ['error_code', 'status_code', 'msg', 'details'],
  properties: {
    error_code: { type: 'string', description: 'Stable code; the same on the GraphQL surface.' },
    status_code: { type: 'integer', description: 'The HTTP status.' },
    msg: { type: 'string', description: 'A sentence that says what is wrong and what to do.' },
    details: {
      type: 'object',
      required: ['operation_id'],
      properties: {
        operation_id: { type: 'string', description: 'Id of the request, equal to the header `X-Request-Id`.' },
        field: { type: 'string', description: 'The field or parameter to blame, where there is one.' },
      },
    },
  },
};

/** Headers of every answer to a request with a key. */
export const headersOfAll: JsonSchema = {
  'X-Request-Id': { $ref: '#/components/headers/RequestId' },
  [wouldRefuseHeader]: { $ref: '#/components/headers/WouldRefuse' },
  [keyExpiresHeader]: { $ref: '#/components/headers/KeyExpires' },
  [rateLimitHeader]: { $ref: '#/components/headers/RateLimit' },
  [rateLimitPolicyHeader]: { $ref: '#/components/headers/RateLimitPolicy' },
};

const retryAfter: JsonSchema = {
  'Retry-After': { description: 'Seconds to wait before the next try.', schema: { type: 'integer' } },
};

/** Headers that tell how to react to an error. */
const headersByStatus: Readonly<Record<number, JsonSchema>> = {
  401: { 'WWW-Authenticate': { description: 'The scheme to sign in with.', schema: { type: 'string' } } },
  405: { Allow: { description: 'The methods that the path has.', schema: { type: 'string' } } },
  409: {
    'Retry-After': { description: 'Seconds to wait, where the next try may succeed.', schema: { type: 'integer' } },
  },
  429: retryAfter,
  503: retryAfter,
};

/** Describes the errors with one status, as a named component. */
export function describeErrors(
  status: number,
  routes: readonly PreparedRoute[],
  { errors }: Examples,
): [name: string, response: JsonSchema] {
  const codes = restCodes.filter(
    (code) => statusOf[code] === status && routes.some((prepared) => canAnswer(code, prepared)),
  );
  const form = {
    allOf: [
      { $ref: '#/components/schemas/Error' },
      { properties: { error_code: { enum: codes }, status_code: { const: status } } },
    ],
  };
  const response = {
    description: codes.map((code) => `- \`${code}\`: ${errorCatalogue[code].meaning}`).join('\n'),
    headers: { ...headersOfAll, ...headersByStatus[status] },
    content: jsonContent(form, errors[status]),
  };
  return [responseNameOf(status), response];
}

/** Returns the component name of a status, derived from its reason phrase: `NotFound`. */
export function responseNameOf(status: number): string {
  return (STATUS_CODES[status] ?? `Status ${status}`).replace(/\W/g, '');
}

/** Codes that only some routes answer with. All codes not listed here are treated as possible on every route. */
const routesOf: Partial<Record<ErrorCode, (prepared: PreparedRoute) => boolean>> = {
  UNKNOWN_REFERENCE: ({ route }) => hasBody(route.method),
  DUPLICATE: ({ route }) => hasBody(route.method),
  READ_ONLY_FIELD: ({ route }) => hasBody(route.method),
  MALFORMED_BODY: ({ route }) => hasBody(route.method),
  BODY_TOO_DEEP: ({ route }) => hasBody(route.method),
  BODY_TOO_LARGE: ({ route }) => hasBody(route.method),
  UNSUPPORTED_MEDIA_TYPE: ({ route }) => hasBody(route.method),
  NOT_FOUND: ({ pathFields, route }) => pathFields.length > 0 || route.withoutKey !== undefined,
  PROOF_INVALID: ({ route }) => route.withoutKey !== undefined,
  NOT_RENEWABLE: ({ route }) => route.withoutKey !== undefined && route.path.endsWith('/renew'),
  VERSION_CONFLICT: ({ takesIfMatch }) => takesIfMatch,
  IDEMPOTENCY_ANSWER_LOST: ({ changes }) => changes,
  IDEMPOTENCY_KEY_INVALID: ({ changes }) => changes,
  IDEMPOTENCY_KEY_IN_USE: ({ changes }) => changes,
  IDEMPOTENCY_KEY_REUSED: ({ changes }) => changes,
  IN_USE: ({ route }) => route.method === 'DELETE',
  LOCKOUT: ({ takesForce }) => takesForce,
  EVENT_GONE: ({ streams }) => streams,
  TOO_MANY_STREAMS: ({ streams }) => streams,
  // Only thrown by a mutation without a route.
  NOT_RESTORABLE: () => false,
  // The documents of routes are our own, so they are valid and within the limits.
  GRAPHQL_SYNTAX: () => false,
  GRAPHQL_INVALID: () => false,
  QUERY_TOO_COMPLEX: () => false,
  // These errors occur before the route is known.
  HEADERS_TOO_LARGE: () => false,
  EXPECTATION_FAILED: () => false,
  REQUEST_TIMEOUT: () => false,
  // The description contains only existing paths and methods.
  UNKNOWN_ROUTE: () => false,
  METHOD_NOT_ALLOWED: () => false,
};

function canAnswer(code: ErrorCode, prepared: PreparedRoute): boolean {
  return routesOf[code]?.(prepared) ?? true;
}

const restCodes = Object.keys(errorCatalogue).filter(isErrorCode);

/** Returns the error statuses that at least one of the routes can answer with, in ascending order. */
export function errorStatuses(routes: readonly PreparedRoute[]): number[] {
  const codes = restCodes.filter((code) => routes.some((prepared) => canAnswer(code, prepared)));
  return [...new Set(codes.map((code) => statusOf[code]))].sort((a, b) => a - b);
}

/** Returns whether requests with a method have a body. */
export function hasBody(method: Method): boolean {
  return method === 'POST' || method === 'PATCH' || method === 'PUT';
}
