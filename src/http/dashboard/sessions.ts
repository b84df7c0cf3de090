// Requests by a session of the dashboard: the cookie that it is known by, and the header that must come with it.

import type { Request } from 'express';
import { SallyportError } from '../../domain/errors.ts';
import { readCookie, writeCookie } from '../../domain/gate/cookies.ts';
import type { Credentials, FoundSession, Identity } from '../../storage/credentials.ts';
import type { Origin } from '../../storage/origin.ts';
import { clientAddress } from '../client-address.ts';
import { guarded, type IdentifyOptions } from '../identify.ts';
import { type Caller, noteExpiry, type Reply } from '../request.ts';

/** Remembers the sessions of the dashboard. */
export interface DashboardSessions {
  /** Seconds without a use after which a session ends. */
  readonly idleSeconds: number;
  /** Begins a session with a key, and gives the token of its cookie. Throws UNAUTHENTICATED. */
  begin(
    identity: Identity,
    origin: Origin,
    userAgent: string,
  ): Promise<{ readonly token: string; readonly endsAt: Date }>;
  /** Finds the session of a token; null for one that never was, and one that has ended. */
  find(token: string): Promise<FoundSession | null>;
  /** Notes that the person of a session has asked for something. Returns at once. */
  noteUse(id: string): void;
  /** Tells, once, that a session or its key has ended: within a second. Gives what ends the watch. */
  watch(id: string, apiKeyId: string, ended: () => void): () => void;
  /** Ends a session. */
  end(session: Pick<FoundSession, 'identity' | 'id'>, origin: Origin): Promise<void>;
}

/**
 * The header without which the cookie counts for nothing. No form of another site can send it, and none of their scripts without a
 * permission that this server never gives: requests that they cause have nobody's rights.
 */
export const dashboardHeader = 'Sallyport-Dashboard';

/** Its value where a person asks. */
const inForeground = '1';
/** Its value where the page asks by itself, such as for what others have changed: that keeps no session alive. */
const inBackground = 'background';

/** Tells whether a request has the header, with one of its values. */
function hasHeader(request: Request): boolean {
  const value = request.get(dashboardHeader);
  return value === inForeground || value === inBackground;
}

/** Browsers keep a cookie with this prefix to the host, and to https; by plain HTTP they refuse it. */
const cookieNames = { secure: '__Host-sallyport_session', plain: 'sallyport_session' } as const;
const tokenForm = /^[\w-]{43}$/;

/** Finds the token of a session in the cookie of a request; null without one. */
function cookieOf(request: Request): string | null {
  const { secure, plain } = cookieNames;
  // By https, the other name could be that of a cookie which somebody has set by plain HTTP.
  const names = request.protocol === 'https' ? [secure] : [secure, plain];
  const values = names.map((name) => readCookie(request.headers.cookie ?? '', name));
  return values.find((value) => value !== null && tokenForm.test(value)) ?? null;
}

/** Tells whether a browser has sent the cookie of a session: one that may have ended, and counts for nothing here. */
export const hasSessionCookie = (request: Request): boolean => cookieOf(request) !== null;

/** Demands the header of the dashboard. Throws UNAUTHENTICATED. */
export function demandHeader(request: Request): void {
  if (hasHeader(request)) return;
  throw new SallyportError(
    'UNAUTHENTICATED',
    `Requests by a session of the dashboard need the header "${dashboardHeader}: ${inForeground}".`,
  );
}

/** Finds the token of the session that a request comes by; null for one without the cookie, or without the header. */
export function sessionTokenOf(request: Request): string | null {
  return hasHeader(request) ? cookieOf(request) : null;
}

/**
 * Tells whether a browser has come by https. Where a proxy in front ends TLS and says nothing of it, the browser itself does: it sends
 * its origin with whatever a page posts.
 */
function isSecure(request: Request): boolean {
  return request.protocol === 'https' || /^https:/i.test(request.get('origin') ?? '');
}

/** Gives a browser the cookie of a session, until it is closed. */
export function setSessionCookie(request: Request, reply: Reply, token: string): void {
  const secure = isSecure(request);
  const name = secure ? cookieNames.secure : cookieNames.plain;
  reply.append('Set-Cookie', writeCookie(name, token, null, { sameSite: 'Strict', secure }));
}

/** Takes the cookie away. */
export function clearSessionCookie(request: Request, reply: Reply): void {
  const names = isSecure(request) ? [cookieNames.secure, cookieNames.plain] : [cookieNames.plain];
  for (const name of names) {
    reply.append('Set-Cookie', writeCookie(name, '', 0, { sameSite: 'Strict', secure: name === cookieNames.secure }));
  }
}

/** What requests by a session are identified with. */
interface SessionOptions extends Pick<IdentifyOptions, 'refusals' | 'objectionsTo' | 'now' | 'proxies'> {
  readonly sessions: Pick<DashboardSessions, 'find' | 'noteUse'>;
  /** Finds whom a request acts for by its API key. */
  readonly identifyByKey: (request: Request, reply: Reply) => Promise<Caller>;
}

/**
 * Creates what finds whom a request acts for that may come by a session: one without an API key. Throws as `createIdentify`, and
 * UNAUTHENTICATED for a session that has ended.
 */
export function createIdentifyOrSession(options: SessionOptions) {
  const { sessions, identifyByKey, now, proxies } = options;
  return async (request: Request, reply: Reply): Promise<Caller> => {
    const token = request.headers.authorization === undefined ? cookieOf(request) : null;
    if (token === null) return identifyByKey(request, reply);
    demandHeader(request);
    const found = await sessions.find(token);
    if (found === null) throw sessionEnded();
    noteExpiry(reply, found.identity, now());
    return guarded(reply, { ...found.identity, address: clientAddress(request, proxies) }, options);
  };
}

/** Creates the watch over the key or the session that a stream is for (`NewStream.watch`). */
export function createCallerWatch(credentials: Pick<Credentials, 'watch'>, sessions: Pick<DashboardSessions, 'watch'>) {
  return ({ actor, dashboardSessionId }: Caller, ended: (message: string) => void): (() => void) =>
    dashboardSessionId === undefined
      ? credentials.watch(actor, () => ended('The API key has expired or has been revoked.'))
      : sessions.watch(dashboardSessionId, actor, () => ended(sessionEndedMessage));
}

/** Creates what notes that the person of a session has asked for something. */
export function createNoteUse({ noteUse }: Pick<DashboardSessions, 'noteUse'>) {
  return (request: Request, { dashboardSessionId }: Caller): void => {
    if (dashboardSessionId !== undefined && request.get(dashboardHeader) !== inBackground) noteUse(dashboardSessionId);
  };
}

/** What clients are told of a session that has ended. */
const sessionEndedMessage = 'The session of the dashboard has ended. Sign in again.';

function sessionEnded(): SallyportError {
  return new SallyportError('UNAUTHENTICATED', sessionEndedMessage);
}
