// User sessions at routes, and how long they last. Pure.

import type { MaybePromise } from '../concurrency/at-once.ts';
import type { NamedUser } from '../saml/logout.ts';
import type { AnsweredLogin, Session } from './login.ts';

/** Stores sessions. Tokens are passed as their SHA-256. */
export interface Sessions {
  /**
   * Creates a session from a login, which is used up by that. Returns the session id; null if the login has already been used or
   * has ended in the meantime. A concurrent logout of the user finds either the login or the session, and an earlier one is
   * noticed here.
   */
  create(tokenHash: string, login: AnsweredLogin, clientAddress: string): Promise<string | null>;
  /**
   * Finds the first of several sessions that is alive, and records its use; null if all have ended or belong to another route or
   * host. A session in memory is returned synchronously, without a promise.
   */
  find(tokenHashes: readonly string[], scope: SessionScope, rule: SessionRule): MaybePromise<Session | null>;
  /**
   * Ends the sessions of a browser in a scope, and with each one those of the same user and browser at other hosts of the route, so
   * that the next request is refused. Returns those that it had in it.
   */
  end(tokenHashes: readonly string[], scope: SessionScope, clientAddress: string): Promise<readonly EndedSession[]>;
  /**
   * Ends the sessions of a user at a route whom the identity provider has logged out: those that it names, or all. Returns how
   * many. This also ends logins whose browser has not fetched its session yet, and logins vouched for earlier that arrive later.
   */
  endOfUser(route: Omit<SessionScope, 'host'>, loggedOut: LoggedOut, by: LogoutOrigin): Promise<number>;
}

/** Whom an identity provider has logged out. */
export interface LoggedOut {
  /** Null for whoever the sessions belong to, of which there is at least one then. */
  readonly nameId: string | null;
  /** The identity provider's sessions to end; empty for all. */
  readonly sessionIndexes: readonly string[];
  /** When the identity provider said so, by its own clock. */
  readonly issuedAt: Date;
}

/** Where a logout by an identity provider came from. */
export interface LogoutOrigin {
  /** Entity id of the identity provider. */
  readonly issuer: string;
  readonly requestId: string;
  /** The address of the browser that delivered it; null if unknown. */
  readonly clientAddress: string | null;
}

/** A session that its user has ended. */
export interface EndedSession {
  readonly id: string;
  readonly issuer: string;
  readonly named: NamedUser;
  /** The ID token that it began with; null if there is none, or it was not kept. */
  readonly idToken: string | null;
  /** How many sessions of the browser have ended with it, itself included. */
  readonly count: number;
}

/** Where a session is valid. */
export interface SessionScope {
  readonly accountId: string;
  readonly routeId: string;
  /** `host:port` */
  readonly host: string;
}

/** How long sessions last; 0 means no limit. */
export interface SessionLimits {
  /** Seconds without a use after which a session ends. */
  readonly inactivitySeconds: number;
  readonly maximumSeconds: number;
}

/** The settings of a login module that concern sessions. */
export interface SessionRule extends SessionLimits {
  readonly cookiePrefix: string;
  /** The identity provider: its entity id, or its issuer; a session that another provider vouched for has ended. */
  readonly issuer: string;
}

/** The properties of a session that decide whether it is alive. */
export interface SessionSpan {
  readonly host: string;
  readonly issuer: string;
  readonly createdAt: Date;
  /** The latest possible end: the end of the session at the identity provider, or our own limit. */
  readonly endsAt: Date;
  readonly lastUsedAt: Date;
}

/** Returns when a session ends if it is not used before then: at the first of its limits. */
export function endOf(session: Omit<SessionSpan, 'host' | 'issuer'>, limits: SessionLimits): Date {
  return new Date(endMsOf(session, limits));
}

/** As `endOf`, but in milliseconds: it runs for every request, so it avoids creating a Date. */
function endMsOf(
  { createdAt, endsAt, lastUsedAt }: Omit<SessionSpan, 'host' | 'issuer'>,
  { inactivitySeconds, maximumSeconds }: SessionLimits,
): number {
  const ends = (begin: Date, seconds: number) =>
    seconds === 0 ? Number.POSITIVE_INFINITY : begin.getTime() + seconds * 1000;
  return Math.min(endsAt.getTime(), ends(createdAt, maximumSeconds), ends(lastUsedAt, inactivitySeconds));
}

/** Returns whether a session is alive. It is valid for one host, and ends at the first of its limits. */
export function isAlive(
  session: SessionSpan,
  rule: Omit<SessionRule, 'cookiePrefix'>,
  host: string,
  now: Date,
): boolean {
  return session.host === host && session.issuer === rule.issuer && now.getTime() < endMsOf(session, rule);
}

/** The uses of a session, as a server keeps them in memory. */
export interface Uses {
  lastUsedAt: Date;
  /** The last use that was written down. Its write may be pending, or have failed. */
  writtenAt: Date;
}

/** Returns the uses of a session: the stored last use, or those in memory where they are later. */
export function latestUses(storedAt: Date, noted: Uses | undefined): Uses {
  const latest = (time: Date | undefined) => (time !== undefined && time > storedAt ? time : storedAt);
  return { lastUsedAt: latest(noted?.lastUsedAt), writtenAt: latest(noted?.writtenAt) };
}

/**
 * Longest time in seconds until a use is to be stored: `relevant` if inactivity ends sessions, `otherwise` if nothing depends on it. A
 * write that fails is repeated after the same time.
 */
export const noteSecondsMax = { relevant: 60, otherwise: 300 };

/**
 * Returns whether the use of a session should be stored: about once a minute if inactivity ends sessions, and more often if it
 * ends them soon, because other servers know only the stored uses.
 */
export function isUseDue(
  writtenAt: Date,
  { inactivitySeconds }: Pick<SessionLimits, 'inactivitySeconds'>,
  now: Date,
): boolean {
  const { relevant, otherwise } = noteSecondsMax;
  const seconds = inactivitySeconds === 0 ? otherwise : Math.min(relevant, inactivitySeconds / 4);
  return now.getTime() >= writtenAt.getTime() + seconds * 1000;
}
