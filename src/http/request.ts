// What both surfaces read of a request before they do anything: its id, the URL it was sent to, and whom it acts for.

import type { Request, Response } from 'express';
import { canBeToken, hashToken, isMeantForEnrollment } from '../domain/api-token.ts';
import type { Address } from '../domain/cidr.ts';
import { SallyportError } from '../domain/errors.ts';
import { keptOnce } from '../domain/kept-with.ts';
import { expiresSoon } from '../domain/key-scopes.ts';
import { formatTimestamp } from '../domain/time.ts';
import type { Trace } from '../graphql/context.ts';
import type { Identity } from '../storage/credentials.ts';

/** What is known of every request from its first moment on. */
export interface RequestInfo {
  readonly requestId: string;
  readonly baseUrl: string;
}

/** Whom a request acts for, and where it comes from; null where that cannot be known. */
export interface Caller extends Identity {
  readonly address: Address | null;
}

/** Answers of our surfaces carry what is known of their requests. */
export type Reply = Response<unknown, { info: RequestInfo; trace: Trace }>;

/** Gives a signal that fires when the client is gone before it has its answer; the same one each time, as streams ask with each event. */
export const clientGone = keptOnce((reply: Response): AbortSignal => {
  const controller = new AbortController();
  const abort = () => {
    if (!reply.writableFinished) controller.abort(disconnected());
  };
  if (reply.destroyed) abort();
  else reply.once('close', abort);
  return controller.signal;
});

/** Throws UNAVAILABLE if the client is gone before it has its answer. */
export function expectClient(reply: Response): void {
  if (reply.destroyed && !reply.writableFinished) throw disconnected();
}

function disconnected(): SallyportError {
  return new SallyportError('UNAVAILABLE', 'The client has disconnected.');
}

/** Longest host with its port: a name has at most 253 characters (RFC 1035, section 2.3.4). It stands in every URL of an answer. */
const hostCharactersMax = 260;
const hostForm = /^(?:[\w-]+(?:\.[\w-]+)*\.?|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;

/**
 * Tells the scheme and host that a request was sent to, for the URLs in its answer.
 *
 * @throws BAD_REQUEST for a Host header that is no host: it would end up in URLs that clients follow
 */
export function requestBaseUrl(request: Request): string {
  const host = request.host;
  if (host === undefined || host.length > hostCharactersMax || !hostForm.test(host)) {
    throw new SallyportError('BAD_REQUEST', 'The Host header must name the host that the request is sent to.');
  }
  // `protocol` is whatever a trusted proxy says, and the proxy may pass on what a client said.
  return `${request.protocol === 'https' ? 'https' : 'http'}://${host}`;
}

/** Longest token that is looked at. */
const tokenCharactersMax = 512;

/** Reads the API key of a request. Throws UNAUTHENTICATED where there is none. */
export function readApiKey(request: Request): string {
  const token = /^Bearer +([\x21-\x7e]+) *$/i.exec(request.get('authorization') ?? '')?.[1];
  if (token === undefined || token.length > tokenCharactersMax) {
    throw new SallyportError('UNAUTHENTICATED', 'Send an API key as "Authorization: Bearer <API key>".');
  }
  return token;
}

/**
 * Finds whose a token is.
 *
 * @throws UNAUTHENTICATED, in the same words for a token that never was, and for one that has expired or is revoked
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
  const identity = canBe ? await identify(hashToken(token)) : null;
  if (identity === null) {
    throw new SallyportError('UNAUTHENTICATED', 'The API key is unknown, has expired or has been revoked.');
  }
  return identity;
}

/** The header that tells until when the key of a request can be used, while that is soon. */
export const keyExpiresHeader = 'Sallyport-Key-Expires';

/** Tells the client that its key is about to expire. */
export function noteExpiry(reply: Reply, { expiresAt }: Identity, now: Date): void {
  if (!reply.headersSent && expiresAt !== null && expiresSoon(expiresAt, now))
    reply.setHeader(keyExpiresHeader, formatTimestamp(expiresAt));
}

/** Gives the query of a URL, as it was sent and without the question mark; empty without one. */
export function queryTextOf(url: string): string {
  const mark = url.indexOf('?');
  return mark === -1 ? '' : url.slice(mark + 1);
}

/** The only version of the REST surface (spec, "Versioning"). */
export const serviceVersion = '2';

/**
 * Checks the version header of a REST request.
 *
 * @param headers the names under which it is accepted; the first is the one to recommend
 * @throws UNSUPPORTED_VERSION
 */
export function checkVersion(request: Request, headers: readonly string[]): void {
  const given = headers.map((name) => request.get(name)).filter((value) => value !== undefined);
  const problem = given.length === 0 ? 'The version header is missing.' : 'This version is not supported.';
  if (given.length === 0 || given.some((version) => version.trim() !== serviceVersion)) {
    throw new SallyportError('UNSUPPORTED_VERSION', `${problem} Send "${headers[0]}: ${serviceVersion}".`);
  }
}
