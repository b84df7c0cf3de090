// What both opponents share, so that they do the same work as Sallyport: key check, field checks, ids, bodies, errors.

import { randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { canBeToken } from '../src/domain/access/api-token.ts';
import type { ErrorCode } from '../src/domain/error-catalogue.ts';
import { invalid, SallyportError } from '../src/domain/errors.ts';
import { hashOf } from '../src/domain/values/hash.ts';
import { createNewId, isIdOf } from '../src/domain/values/ids.ts';
import { isJsonObject } from '../src/domain/values/json.ts';
import type { Notes } from '../src/domain/values/text.ts';
import { trustMs } from '../src/storage/objects/freshness.ts';

/** Creates ids of requests and objects. */
export const newId = createNewId(Date.now, randomBytes);

/** Returns the headers of every answer. */
export function commonHeaders(requestId: string): Record<string, string> {
  return { 'X-Request-Id': requestId, 'X-Content-Type-Options': 'nosniff', 'Cache-Control': 'private, no-cache' };
}

/** Account ids by token hash, trusted for as long as Sallyport trusts them. */
export const trustedAccounts = new LRUCache<string, string>({ max: 1_000, ttl: trustMs });

/** Returns the hash of the token of a request. Throws UNAUTHENTICATED. */
export function readTokenHash(authorization: string | undefined): string {
  const token = /^Bearer +([\x21-\x7e]+) *$/i.exec(authorization ?? '')?.[1];
  if (token === undefined || token.length > 512 || !canBeToken(token)) throw unauthenticated();
  return hashOf(token);
}

/** Creates the error for a key that is missing or unknown. */
export function unauthenticated(): SallyportError {
  return new SallyportError('UNAUTHENTICATED', 'Send an API key as "Authorization: Bearer <API key>".');
}

/** Checks the version header. Throws UNSUPPORTED_VERSION. */
export function checkVersion(headers: NodeJS.Dict<string | string[]>): void {
  if ((headers['service-version'] ?? headers['ngrok-version']) !== '2') {
    throw new SallyportError('UNSUPPORTED_VERSION', 'Send "Service-Version: 2".');
  }
}

/** Returns the scheme and host that URLs in an answer begin with. Throws BAD_REQUEST if the Host header is not a host. */
export function baseUrlOf(host: string | undefined): string {
  if (host === undefined || !/^[\w.-]+(?::\d{1,5})?$/.test(host)) {
    throw new SallyportError('BAD_REQUEST', 'The Host header must name the host that the request is sent to.');
  }
  return `http://${host}`;
}

/** A page of a list: up to `limit` rows that are older than an object. */
export interface PageRequest {
  readonly limit: number;
  readonly beforeId: string | undefined;
}

/** Reads which page is requested. Throws INVALID_INPUT. */
export function readPage(limitText: unknown, beforeId: unknown): PageRequest {
  const limit = Number(limitText ?? 100);
  if (!Number.isInteger(limit) || limit < 1 || limit > 100) throw invalid('limit', 'must be from 1 to 100.');
  if (beforeId === undefined) return { limit, beforeId };
  if (typeof beforeId !== 'string' || !isIdOf('IpPolicy', beforeId)) {
    throw invalid('before_id', 'must be an identifier.');
  }
  return { limit, beforeId };
}

/** Reads the fields of a body; their lengths are checked by `notesForCreate`. Throws MALFORMED_BODY, INVALID_INPUT, UNKNOWN_FIELD. */
export function readNotes(body: unknown): Notes {
  if (!isJsonObject(body)) throw new SallyportError('MALFORMED_BODY', 'The body must be one JSON object, in braces.');
  const notes: Notes = {};
  for (const [name, value] of Object.entries(body)) {
    if (name !== 'description' && name !== 'metadata') {
      throw new SallyportError('UNKNOWN_FIELD', 'is no field of this route.', { field: name });
    }
    if (typeof value !== 'string') throw invalid(name, 'must be text.');
    notes[name] = value;
  }
  return notes;
}

/** An IP policy, with its time of creation as Sallyport writes it. */
export interface Policy {
  readonly id: string;
  readonly created_at: string;
  readonly description: string;
  readonly metadata: string;
}

/** Returns the body of one IP policy. */
export function policyBody({ id, created_at, description, metadata }: Policy, baseUrl: string) {
  return { id, uri: `${baseUrl}/ip_policies/${id}`, created_at, description, metadata };
}

/** Returns the body of a page. `policies` holds one more than the page if there are more. */
export function pageBody(policies: readonly Policy[], { limit }: PageRequest, baseUrl: string) {
  const shown = policies.slice(0, limit);
  const lastId = policies.length > limit ? shown.at(-1)?.id : undefined;
  const uri = `${baseUrl}/ip_policies`;
  return {
    ip_policies: shown.map((policy) => policyBody(policy, baseUrl)),
    uri,
    next_page_uri: lastId === undefined ? null : `${uri}?limit=${limit}&before_id=${lastId}`,
  };
}

const statusOf: Partial<Record<ErrorCode, number>> = {
  UNAUTHENTICATED: 401,
  NOT_FOUND: 404,
  UNKNOWN_ROUTE: 404,
  INTERNAL: 500,
};

/** Returns the status and body that answer what was thrown. */
export function errorAnswer(thrown: unknown, requestId: string) {
  const error = thrown instanceof SallyportError ? thrown : new SallyportError('INTERNAL', 'The server failed.');
  const { code, field, message } = error;
  const status = statusOf[code] ?? 400;
  const body = {
    error_code: code,
    status_code: status,
    msg: field === undefined ? message : `${field}: ${message}`,
    details: { operation_id: requestId, ...(field === undefined ? {} : { field }) },
  };
  return { status, body };
}

/** Prints the line that the benchmark waits for: where an opponent listens. */
export function announce(port: number): void {
  process.stdout.write(`The opponent is listening on http://127.0.0.1:${port}\n`);
}
