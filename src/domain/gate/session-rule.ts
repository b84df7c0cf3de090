// How long user sessions last, and by which settings they begin and end. Pure.

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

/** The protocols by which users log in. */
export type LoginKind = 'saml' | 'oidc';

/** The settings of a login module by which a session begins and ends. */
export interface LoginTerms {
  readonly kind: LoginKind;
  readonly enabled: boolean;
  readonly sessions: SessionRule;
  /** Whether each login demands credentials. */
  readonly forceAuthn: boolean;
  /** Whether logins may begin at the identity provider. */
  readonly allowIdpInitiated: boolean;
  /** What else decides whom a login lets in, and by which name: sessions that began by another text do not count. */
  readonly vouching: string;
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
