// What both surfaces read from a request first: its id, the URL it was sent to, and its caller.

import type { Request, Response } from 'express';
import { canBeToken, isMeantForEnrollment } from '../domain/access/api-token.ts';
import { expiresSoon } from '../domain/access/key-scopes.ts';
import { keptOnce } from '../domain/concurrency/kept-with.ts';
import { SallyportError } from '../domain/errors.ts';
import type { Address } from '../domain/ip/cidr.ts';
import type { Trace } from '../domain/trace.ts';
import { hashOf } from '../domain/values/hash.ts';
import { formatTimestamp } from '../domain/values/time.ts';
import type { Identity } from '../storage/keys/credentials.ts';

/** What is known about every request from the start. */
export interface RequestInfo {
  readonly requestId: string;
  readonly baseUrl: string;
}

/** Whom a request acts for, and the address it comes from; null if that is unknown. */
export interface Caller extends Identity {
  readonly address: Address | null;
}

/** A response of our surfaces, which carries what is known about its request. */
export type Reply = Response<unknown, { info: RequestInfo; trace: Trace }>;

/**
 * Returns a signal that fires when the client disconnects before it has its answer; the same signal each time, because streams ask
 * for it with each event.
 */
export const clientGone = keptOnce((reply: Response): AbortSignal => {
  const controller = new AbortController();
  const abort = () => {
    if (!reply.writableFinished) controller.abort(disconnected());
  };
  if (reply.destroyed) abort();
  else reply.once('close', abort);
  return controller.signal;
});

/** Throws UNAVAILABLE if the client has disconnected before it has its answer. */
export function expectClient(reply: Response): void {
  if (reply.destroyed && !reply.writableFinished) throw disconnected();
}

function disconnected(): SallyportError {
  return new SallyportError('UNAVAILABLE', 'The client has disconnected.');
}

/** Longest host with its port: a name has at most 253 characters (RFC 1035, section 2.3.4). Every URL in an answer contains it. */
const hostCharactersMax = 260;
const hostForm = /^(?:[\w-]+(?:\.[\w-]+)*\.?|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;

/**
 * Returns the scheme and host that a request was sent to, for the URLs in its answer.
 *
 * @throws BAD_REQUEST if the Host header is not a host: it would end up in URLs that clients follow
 */
export function requestBaseUrl(request: Request): string {
  const host = request.host;
  if (host === undefined || host.length > hostCharactersMax || !hostForm.test(host)) {
    throw new SallyportError('BAD_REQUEST', 'The Host header must name the host that the request is sent to.');
  }
  // `protocol` is whatever a trusted proxy says, and the proxy may pass on what a client said.
  return `${request.protocol === 'https' ? 'https' : 'http'}://${host}`;
}

const tokenCharactersMax = 512;

/** Returns the API key of a request. Throws UNAUTHENTICATED if there is none. */
export function readApiKey(request: Request): string {
  const token = /^Bearer +([\x21-\x7e]+) *$/i.exec(request.get('authorization') ?? '')?.[1];
  if (token === undefined || token.length > tokenCharactersMax) {
    throw new SallyportError('UNAUTHENTICATED', 'Send an API key as "Authorization: Bearer <API key>".');
  }
  return token;
}

/**
 * Finds the identity that a token belongs to.
 *
 * @throws UNAUTHENTICATED, with the same message for a token that never existed and for one that has expired or been revoked
 */
export async function authenticate(
  token: string,
  identify: (tokenHash: string) => Promise<Identity | null>,
): Promise<Identity> {
  if (isMeantForEnrollment(token)) {
    throw new SallyportError(
      'UNAUTHENTICATED',
      'This is the token of an SSH enrollment. It is good only in the body of POST /ssh_challenges and POST /ssh_enrollments.',
    );
  }
  const canBe = token.length <= tokenCharactersMax && canBeToken(token);
  const identity = canBe ? await identify(hashOf(token)) : null;
  if (identity === null) {
    throw new SallyportError('UNAUTHENTICATED', 'The API key is unknown, has expired or has been revoked.');
  }
  return identity;
}

/** The header with the time when the key of a request expires, sent only while that is soon. */
export const keyExpiresHeader = 'Sallyport-Key-Expires';

/** Tells the client if its key is about to expire. */
export function noteExpiry(reply: Reply, { expiresAt }: Identity, now: Date): void {
  if (!reply.headersSent && expiresAt !== null && expiresSoon(expiresAt, now))
    reply.setHeader(keyExpiresHeader, formatTimestamp(expiresAt));
}

/** The header by which a client insists on a change that locks it out. */
export const forceHeader = 'Sallyport-Force';

/** Returns the query of a URL as it was sent, without the question mark; empty if there is none. */
export function queryTextOf(url: string): string {
  const mark = url.indexOf('?');
  return mark === -1 ? '' : url.slice(mark + 1);
}

/** The only version of the REST surface (spec, "Versioning"). */
export const serviceVersion = '2';

/**
 * Checks the version header of a REST request.
 *
 * @param headers the accepted header names; the first is the recommended one
 * @throws UNSUPPORTED_VERSION
 */
export function checkVersion(request: Request, headers: readonly string[]): void {
  const given = headers.map((name) => request.get(name)).filter((value) => value !== undefined);
  const problem = given.length === 0 ? 'The version header is missing.' : 'This version is not supported.';
  if (given.length === 0 || given.some((version) => version.trim() !== serviceVersion)) {
    throw new SallyportError('UNSUPPORTED_VERSION', `${problem} Send "${headers[0]}: ${serviceVersion}".`);
  }
}
