// The sessions of users at routes, and how long they last. Pure.

import type { Soon } from '../at-once.ts';
import type { Session } from './decide.ts';
import type { AnsweredLogin } from './login.ts';

/** Remembers sessions. Tokens come here as their SHA-256. */
export interface Sessions {
  /** Makes a session out of a login; none where the module of the route is gone meanwhile. */
  create(tokenHash: string, login: AnsweredLogin): Promise<void>;
  /**
   * Finds whose session it is, and notes the use; null for one that has ended, or is of another route or host. One that is in memory
   * is given at once, without a promise.
   */
  find(tokenHash: string, place: SessionPlace, rule: SessionRule): Soon<Session | null>;
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

/** Tells whether a session lasts. It is for one host, and ends with the first of its limits. */
export function isAlive(session: SessionSpan, rule: SessionRule, host: string, now: Date): boolean {
  const within = (begin: Date, seconds: number) => seconds === 0 || now.getTime() < begin.getTime() + seconds * 1000;
  return (
    session.host === host &&
    session.issuer === rule.issuer &&
    now < session.endsAt &&
    within(session.createdAt, rule.maximumSeconds) &&
    within(session.lastUsedAt, rule.inactivitySeconds)
  );
}

/** Longest time in seconds until a use is written down. */
const noteSecondsMax = 60;

/**
 * Tells whether the use of a session should be written down: about once a minute, and more often where inactivity ends sessions
 * sooner, because other servers know only what is written.
 */
export function isUseDue(writtenAt: Date, { inactivitySeconds }: SessionRule, now: Date): boolean {
  const seconds = Math.min(noteSecondsMax, inactivitySeconds / 4);
  return inactivitySeconds > 0 && now.getTime() >= writtenAt.getTime() + seconds * 1000;
}
