// Requests with a dashboard session: the cookie that identifies the session, and the header that must come with it.

import type { Request } from 'express';
import { SallyportError } from '../domain/errors.ts';
import { hostPrefix, readCookies, writeCookie } from '../domain/gate/cookies.ts';
import type { FoundSession, Identity } from '../storage/keys/credentials.ts';
import type { Origin } from '../storage/trail/origin.ts';
import type { Reply } from './request.ts';

export interface DashboardSessions {
  /** Seconds without use after which a session ends. */
  readonly idleSeconds: number;
  /** Begins a session for a key or a person, and returns the token for its cookie. Throws UNAUTHENTICATED. */
  begin(
    identity: Identity,
    origin: Origin,
    userAgent: string,
  ): Promise<{ readonly token: string; readonly endsAt: Date }>;
  /** Finds the first of several sessions that is open, by their tokens; null if there never was one, or all have ended. */
  find(tokens: readonly string[]): Promise<FoundSession | null>;
  /** Notes activity of the person who uses a session. Returns at once. */
  noteUse(id: string): void;
  /**
   * Calls `ended` once, within a second after a session has ended, or the key or the person is not let in any more. Returns a function
   * that ends the watch.
   */
  watch(id: string, actor: string, ended: () => void): () => void;
  end(session: Pick<FoundSession, 'identity' | 'id'>, origin: Origin): Promise<void>;
}

/**
 * The header without which the cookie has no effect. Forms of other sites cannot send it, and their scripts only with a permission
 * that this server never gives: requests that other sites cause have no rights.
 */
const dashboardHeader = 'Sallyport-Dashboard';

/** Its value for requests that a person causes. */
const inForeground = '1';
/** Its value for requests that the page makes by itself, such as for changes by others: they do not keep a session alive. */
const inBackground = 'background';

/** Returns whether a request has the header, with one of its values. */
function hasHeader(request: Request): boolean {
  const value = request.get(dashboardHeader);
  return value === inForeground || value === inBackground;
}

/** Browsers restrict a cookie with the prefix `__Host-` to the host and to HTTPS; over plain HTTP they reject it. */
const cookieNames = { secure: `${hostPrefix}sallyport_session`, plain: 'sallyport_session' } as const;
const tokenForm = /^[\w-]{43}$/;

/** Returns what could be session tokens in the cookies of a request. */
export function tokensOf(request: Request): string[] {
  const { secure, plain } = cookieNames;
  // Over HTTPS, the other name could be that of a cookie that somebody has set over plain HTTP.
  const names = request.protocol === 'https' ? [secure] : [secure, plain];
  const values = names.flatMap((name) => readCookies(request.headers.cookie ?? '', name));
  return values.filter((value) => tokenForm.test(value));
}

/** Returns whether a browser has sent a session cookie. The session may have ended, and the cookie grants nothing here. */
export const hasSessionCookie = (request: Request): boolean => tokensOf(request).length > 0;

/** Requires the dashboard header. Throws UNAUTHENTICATED if it is missing. */
export function demandHeader(request: Request): void {
  if (hasHeader(request)) return;
  throw new SallyportError(
    'UNAUTHENTICATED',
    `Requests by a session of the dashboard need the header "${dashboardHeader}: ${inForeground}".`,
  );
}

/** Returns the session tokens of a request; none without the cookie or without the header. */
export function sessionTokensOf(request: Request): string[] {
  return hasHeader(request) ? tokensOf(request) : [];
}

/**
 * Returns whether a browser has come over HTTPS. If a proxy in front terminates TLS and does not say so, the browser itself does:
 * it sends its origin with whatever a page posts.
 */
function isSecure(request: Request): boolean {
  return request.protocol === 'https' || /^https:/i.test(request.get('origin') ?? '');
}

/**
 * Sets the session cookie, which lasts until the browser is closed.
 *
 * @param secure whether the browser has come over HTTPS
 */
export function setSessionCookie(request: Request, reply: Reply, token: string, secure = isSecure(request)): void {
  const name = secure ? cookieNames.secure : cookieNames.plain;
  reply.append('Set-Cookie', writeCookie(name, token, null, { sameSite: 'Strict', secure }));
}

/** Clears the session cookie. */
export function clearSessionCookie(request: Request, reply: Reply): void {
  const names = isSecure(request) ? [cookieNames.secure, cookieNames.plain] : [cookieNames.plain];
  for (const name of names) {
    reply.append('Set-Cookie', writeCookie(name, '', 0, { sameSite: 'Strict', secure: name === cookieNames.secure }));
  }
}

/** Returns whether a person has caused a request, and not the page by itself. */
export const isInForeground = (request: Request): boolean => request.get(dashboardHeader) !== inBackground;

/** The error about a session that has ended. */
export function sessionEnded(): SallyportError {
  return new SallyportError('UNAUTHENTICATED', 'The session of the dashboard has ended. Sign in again.');
}
