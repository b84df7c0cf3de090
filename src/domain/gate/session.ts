// The sessions of users at routes, and how long they last. Pure.

import type { Soon } from '../at-once.ts';
import type { LogoutRequest, NamedUser } from '../saml/logout.ts';
import type { Session } from './decide.ts';
import type { AnsweredLogin } from './login.ts';

/** Remembers sessions. Tokens come here as their SHA-256. */
export interface Sessions {
  /**
   * Makes a session out of a login, which is spent by that. Gives its id; null for a login that has been spent, or has ended
   * meanwhile. Whatever ends the sessions of a user at the same moment finds either the login or the session, and has its logout found
   * here.
   */
  create(tokenHash: string, login: AnsweredLogin, clientAddress: string): Promise<string | null>;
  /**
   * Finds whose session it is, and notes the use; null for one that has ended, or is of another route or host. One that is in memory
   * is given at once, without a promise.
   */
  find(tokenHash: string, place: SessionPlace, rule: SessionRule): Soon<Session | null>;
  /** Ends the session of a browser at a place; null without one. The next request is refused. */
  end(tokenHash: string, place: SessionPlace, clientAddress: string): Promise<EndedSession | null>;
  /**
   * Ends the sessions of a user at a route whom the identity provider has logged out: those that it names, or all. Gives their number.
   * Logins whose browsers have not come yet end as well, and so do those that it vouched for before and that arrive later.
   */
  endOfUser(route: Omit<SessionPlace, 'host'>, loggedOut: LoggedOut, by: LogoutOrigin): Promise<number>;
}

/** Whom an identity provider has logged out. */
export type LoggedOut = Pick<LogoutRequest, 'nameId' | 'sessionIndexes' | 'issuedAt'>;

/** Where the word of an identity provider came from. */
export interface LogoutOrigin {
  /** Entity id of the identity provider. */
  readonly issuer: string;
  readonly requestId: string;
  /** The address of the browser that brought it; null where it is not known. */
  readonly clientAddress: string | null;
}

/** A session that its user has ended. */
export interface EndedSession {
  readonly id: string;
  readonly issuer: string;
  readonly named: NamedUser;
}

/** Where a session is asked for. */
export interface SessionPlace {
  readonly accountId: string;
  readonly routeId: string;
  /** `host:port` */
  readonly host: string;
}

/** What of a SAML module says how long sessions last; 0 seconds are no limit. */
export interface SessionRule {
  readonly cookiePrefix: string;
  /** Entity id of the identity provider: sessions that another one vouched for have ended. */
  readonly issuer: string;
  readonly inactivitySeconds: number;
  readonly maximumSeconds: number;
}

/** What of a session says whether it lasts. */
export interface SessionSpan {
  readonly host: string;
  readonly issuer: string;
  readonly createdAt: Date;
  /** The latest end: that of the session at the identity provider, or ours. */
  readonly endsAt: Date;
  readonly lastUsedAt: Date;
}

/** Tells when a session ends unless it is used before then: by the first of its limits. */
export function endOf(
  session: Omit<SessionSpan, 'host' | 'issuer'>,
  rule: Omit<SessionRule, 'cookiePrefix' | 'issuer'>,
): Date {
  return new Date(endMsOf(session, rule));
}

/** As `endOf`, in milliseconds: for every request, which need no object for that. */
function endMsOf(
  { createdAt, endsAt, lastUsedAt }: Omit<SessionSpan, 'host' | 'issuer'>,
  { inactivitySeconds, maximumSeconds }: Omit<SessionRule, 'cookiePrefix' | 'issuer'>,
): number {
  const ends = (begin: Date, seconds: number) =>
    seconds === 0 ? Number.POSITIVE_INFINITY : begin.getTime() + seconds * 1000;
  return Math.min(endsAt.getTime(), ends(createdAt, maximumSeconds), ends(lastUsedAt, inactivitySeconds));
}

/** Tells whether a session lasts. It is for one host, and ends with the first of its limits. */
export function isAlive(session: SessionSpan, rule: SessionRule, host: string, now: Date): boolean {
  return session.host === host && session.issuer === rule.issuer && now.getTime() < endMsOf(session, rule);
}

/** Longest time in seconds until a use is written down, where inactivity ends sessions and where nothing depends on it. */
const noteSecondsMax = { relevant: 60, otherwise: 300 };

/**
 * Tells whether the use of a session should be written down: about once a minute where inactivity ends sessions, and more often where
 * it does sooner, because other servers know only what is written.
 */
export function isUseDue(
  writtenAt: Date,
  { inactivitySeconds }: Pick<SessionRule, 'inactivitySeconds'>,
  now: Date,
): boolean {
  const { relevant, otherwise } = noteSecondsMax;
  const seconds = inactivitySeconds === 0 ? otherwise : Math.min(relevant, inactivitySeconds / 4);
  return now.getTime() >= writtenAt.getTime() + seconds * 1000;
}
