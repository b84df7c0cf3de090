// Sessions of users, for those who look after a route: they list them and end them.

import { notFound } from '../../domain/errors.ts';
import type { Vouched } from '../../domain/gate/login.ts';
import { hashOf } from '../../domain/gate/secrets.ts';
import { readVouched } from '../../domain/gate/vouched.ts';
import { isIdOf } from '../../domain/ids.ts';
import type { AccountScope } from '../../storage/account-scope.ts';
import type { Row } from '../../storage/collection.ts';
import { httpsEdgeRoutes, removeSamlLogins, samlSessions } from '../../storage/collections.ts';

export { samlSessions };

/** Which sessions of a route. */
export interface SessionFilter {
  readonly routeId: string;
  /** The NameID of a user; null and undefined for all. */
  readonly user?: string | null | undefined;
}

/** Makes the condition for the sessions of a route. Throws NOT_FOUND for a route that is not of this account. */
export async function sessionsOf(scope: AccountScope, { routeId, user }: SessionFilter) {
  if (!isIdOf('HttpsEdgeRoute', routeId)) throw notFound();
  await httpsEdgeRoutes.get(scope, routeId);
  return { routeId, ...(user == null ? {} : { userHash: hashOf(user) }) };
}

/** Gives whom a session is of. */
export function personOf({ person }: Pick<Row<'SamlSession'>, 'person'>): Vouched {
  return readVouched(person);
}

/** Ends one session, and the logins of its user whose browsers have not come for their sessions yet. Throws NOT_FOUND. */
export async function endSamlSession(scope: AccountScope, id: string): Promise<void> {
  await endWaiting(scope, await samlSessions.get(scope, id));
  await samlSessions.remove(scope, id, null);
}

/**
 * Ends sessions, and gives their number. The next request of each is refused, on other servers within a second. Logins of the same
 * users end as well whose browsers have not come for their sessions yet.
 *
 * @param filter.sessionIndexes those that the identity provider names; empty for all. A session of which it told no index
 *   cannot be told from the one that it means, and ends with it.
 */
export async function endSamlSessions(
  scope: AccountScope,
  { routeId, user, sessionIndexes }: SessionFilter & { readonly sessionIndexes: readonly string[] },
): Promise<number> {
  // Before the sessions: a login that is spent meanwhile is one of them.
  const ofUser = user == null ? {} : { userHash: hashOf(user) };
  await endWaiting(scope, { routeId, ...ofUser });
  const named =
    sessionIndexes.length === 0 ? {} : { OR: [{ sessionIndex: null }, { sessionIndex: { in: [...sessionIndexes] } }] };
  return samlSessions.removeAll(scope, { routeId, ...ofUser, ...named });
}

/** Ends the logins at a route that wait for their browsers: those of a user, or all. */
async function endWaiting(
  scope: AccountScope,
  { routeId, userHash }: { readonly routeId: string; readonly userHash?: string },
): Promise<void> {
  if (userHash === undefined) {
    await removeSamlLogins(scope, { routeId });
    return;
  }
  // A minute's worth of logins at a route: few enough to look through.
  const waiting = await scope.db.samlLogin.findMany({
    where: { routeId, expiresAt: { gt: scope.now() } },
    select: { ticketHash: true, person: true },
  });
  for (const { ticketHash, person } of waiting) {
    if (hashOf(readVouched(person).named.nameId) === userHash) await removeSamlLogins(scope, { ticketHash });
  }
}
