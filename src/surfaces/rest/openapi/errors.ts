// Errors in the description: the statuses and codes that each route can answer with.

import { STATUS_CODES } from 'node:http';
import { type ErrorCode, errorCatalogue } from '../../../domain/error-catalogue.ts';
import { statusOf } from '../../../domain/error-status.ts';
import { isErrorCode } from '../../../graphql/kit/public-errors.ts';
import { rateLimitHeader, rateLimitPolicyHeader } from '../../../load/rate-limits.ts';
import { keyExpiresHeader } from '../../../pipeline/request.ts';
import { wouldRefuseHeader } from '../../../pipeline/restrictions.ts';
import type { PreparedRoute } from '../prepared-route.ts';
import { hasBody } from '../route.ts';
import { type JsonSchema, jsonContent } from './json-schema.ts';
import type { Examples } from './types.ts';

/** Body of every answer outside 2xx: see `ErrorBody` in `wire/error-body.ts`. */
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
        command: {
          type: 'string',
          description: 'The command in the message, with which whoever runs the server gets out of it.',
        },
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
  const codes = restCodes.filter((code) => statusOf[code] === status && routes.some(routesOf[code]));
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

type RouteTest = (prepared: PreparedRoute) => boolean;

const anyRoute: RouteTest = () => true;
const noRoute: RouteTest = () => false;
const withBody: RouteTest = ({ route }) => hasBody(route.method);
const change: RouteTest = ({ changes }) => changes;
const stream: RouteTest = ({ streams }) => streams;
const withoutKey: RouteTest = ({ route }) => route.withoutKey !== undefined;

const undoes: RouteTest = ({ route }) => route.path.endsWith('/undo');

const readsOthers: RouteTest = ({ route: { method, path } }) =>
  hasBody(method) && (path.startsWith('/ip_policy_sources') || path.endsWith('/saml'));

/** Which routes can answer with each code. A new code that is not listed does not compile. */
const routesOf: Record<ErrorCode, RouteTest> = {
  INVALID_INPUT: anyRoute,
  UNKNOWN_FIELD: anyRoute,
  READ_ONLY_FIELD: withBody,
  UNKNOWN_REFERENCE: withBody,
  DUPLICATE: withBody,
  MALFORMED_BODY: withBody,
  BODY_TOO_DEEP: withBody,
  BODY_TOO_LARGE: withBody,
  UNSUPPORTED_MEDIA_TYPE: withBody,
  UNSUPPORTED_VERSION: anyRoute,
  BAD_REQUEST: anyRoute,
  UNAUTHENTICATED: anyRoute,
  PROOF_INVALID: withoutKey,
  FORBIDDEN: anyRoute,
  ENROLLMENT_TOKEN_UNUSABLE: ({ route }) => route.path === '/ssh_enrollments',
  IP_RESTRICTED: anyRoute,
  NOT_FOUND: (prepared) => prepared.pathFields.length > 0 || withoutKey(prepared),
  EVENT_GONE: stream,
  IN_USE: ({ route }) => route.method === 'DELETE',
  NOT_RENEWABLE: ({ route }) => route.path.endsWith('/renew'),
  PLAN_OUTDATED: ({ route }) => route.path === '/configuration/apply',
  LOCKOUT: ({ takesForce }) => takesForce,
  APPROVAL_REQUIRED: ({ takesForce, changes, route: { method, path } }) =>
    takesForce ||
    (changes && /^\/(roles|sign_in_providers|people)\b/.test(path)) ||
    (method === 'DELETE' && path.startsWith('/ssh_certificate_authorities')),
  EXPECTATION_FAILED: ({ takesForce }) => takesForce,
  VERSION_CONFLICT: ({ takesIfMatch }) => takesIfMatch,
  IDEMPOTENCY_ANSWER_LOST: change,
  IDEMPOTENCY_KEY_INVALID: change,
  IDEMPOTENCY_KEY_IN_USE: change,
  IDEMPOTENCY_KEY_REUSED: change,
  // The documents of routes are our own, so they are within the limits, but the answer may have too many bytes, and the configuration
  // too many objects.
  QUERY_TOO_COMPLEX: ({ inputFields, route }) => inputFields.has('limit') || route.path.startsWith('/configuration'),
  OUTGOING_REFUSED: readsOthers,
  OUTGOING_FAILED: readsOthers,
  TOO_MANY_REQUESTS: anyRoute,
  UNAVAILABLE: anyRoute,
  TOO_MANY_STREAMS: stream,
  INTERNAL: anyRoute,
  OUT_OF_ORDER: ({ changes, route }) => changes && /\/(keys|ping|deliveries)$/.test(route.path),
  NOT_RESTORABLE: undoes,
  CHANGED_SINCE: undoes,
  // The documents of routes are our own, so they are valid.
  GRAPHQL_SYNTAX: noRoute,
  GRAPHQL_INVALID: noRoute,
  // These errors occur before the route is known.
  HEADERS_TOO_LARGE: noRoute,
  EXPECT_UNSUPPORTED: noRoute,
  REQUEST_TIMEOUT: noRoute,
  // The description contains only existing paths and methods.
  UNKNOWN_ROUTE: noRoute,
  METHOD_NOT_ALLOWED: noRoute,
  // Routes have one media type each, which is sent whatever is accepted.
  NOT_ACCEPTABLE: noRoute,
};

const restCodes = Object.keys(errorCatalogue).filter(isErrorCode);

/** Returns the error statuses that at least one of the routes can answer with, in ascending order. */
export function errorStatuses(routes: readonly PreparedRoute[]): number[] {
  const codes = restCodes.filter((code) => routes.some(routesOf[code]));
  return [...new Set(codes.map((code) => statusOf[code]))].sort((a, b) => a - b);
}
