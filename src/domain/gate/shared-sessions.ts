// Sessions that count at other routes of their edge: one login for one person, by the rules of each route. Pure.

import { sessionCookieName } from './cookies.ts';
import { isAlive, type LoginTerms, type SessionRule, type SessionSpan } from './session-rule.ts';

/** Other routes of an edge whose sessions count at a route. */
export interface OtherRoutes {
  /** The rules that end these sessions, by the id of the route. */
  readonly rules: ReadonlyMap<string, SessionRule>;
  readonly cookies: ReadonlySet<string>;
}

/** A route, with what decides whose sessions count there; null for no login. */
interface Route {
  readonly id: string;
  readonly login: LoginTerms | null;
}

/** Returns the other routes whose sessions count at a route. */
export function othersOf({ id, login }: Route, routes: readonly Route[]): OtherRoutes {
  const rules = new Map<string, SessionRule>();
  const cookies = new Set<string>();
  for (const other of routes) {
    if (other.id === id || login === null || other.login === null || !countsAt(other.login, login)) continue;
    const { sessions } = other.login;
    rules.set(other.id, sessions);
    cookies.add(sessionCookieName(sessions.cookiePrefix, other.id));
  }
  return { rules, cookies };
}

/**
 * Returns whether a session that began by one rule counts by another: the same identity provider has vouched for its user, in a login
 * that the other rule would have accepted, and it has ended wherever the other rule would have ended it. Groups and the longest
 * duration are compared at each request; inactivity is not, because a session does not know when it was used before its last use.
 */
export function countsAt(began: LoginTerms, rule: LoginTerms): boolean {
  const [idle, idleMax] = [began.sessions.inactivitySeconds, rule.sessions.inactivitySeconds];
  return (
    began.enabled &&
    began.kind === rule.kind &&
    began.sessions.issuer === rule.sessions.issuer &&
    began.vouching === rule.vouching &&
    (began.forceAuthn || !rule.forceAuthn) &&
    (rule.allowIdpInitiated || !began.allowIdpInitiated) &&
    (idleMax === 0 || (idle !== 0 && idle <= idleMax))
  );
}

/**
 * Returns the rule by which a session is alive at a route: that of the route where it began; null if it is not alive, or does not count
 * at the route. A session of another route must be alive by both rules, so that its use at one does not bring it back at the other.
 */
export function livingRule(
  session: SessionSpan & { readonly routeId: string },
  route: { readonly routeId: string; readonly rule: SessionRule; readonly others: OtherRoutes },
  host: string,
  now: Date,
): SessionRule | null {
  if (!isAlive(session, route.rule, host, now)) return null;
  if (session.routeId === route.routeId) return route.rule;
  const rule = route.others.rules.get(session.routeId);
  return rule !== undefined && isAlive(session, rule, host, now) ? rule : null;
}
