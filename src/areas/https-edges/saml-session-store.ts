// User sessions, for administrators of a route, who list and end them.

import { notFound } from '../../domain/errors.ts';
import { hostMatcher } from '../../domain/gate/edge-table.ts';
import type { Vouched } from '../../domain/gate/login.ts';
import { noteSecondsMax } from '../../domain/gate/session.ts';
import { readVouched } from '../../domain/gate/vouched.ts';
import { hashOf } from '../../domain/hash.ts';
import { isIdOf } from '../../domain/ids.ts';
import type { AccountScope } from '../../storage/account-scope.ts';
import type { Row } from '../../storage/collection.ts';
import { storeRecords } from '../../storage/records.ts';
import { entriesOfRow, rowSlices } from '../../storage/slices.ts';
import { httpsEdgeRoutes, samlLogins, samlSessions } from './collections-store.ts';

/** Selects sessions of a route. */
export interface SessionFilter {
  readonly routeId: string;
  /** The NameID of a user; null and undefined for all. */
  readonly user?: string | null | undefined;
}

/** Returns the condition for the sessions of a route. Throws NOT_FOUND for a route that does not belong to this account. */
export async function sessionsOf(scope: AccountScope, { routeId, user }: SessionFilter) {
  if (!isIdOf('HttpsEdgeRoute', routeId)) throw notFound();
  await httpsEdgeRoutes.get(scope, routeId);
  return { routeId, ...(user == null ? {} : { userHash: hashOf(user) }) };
}

/** Returns the person that a session belongs to. */
export function personOf({ person }: Pick<Row<'SamlSession'>, 'person'>): Vouched {
  return readVouched(person);
}

/** Most browsers of a user whose sessions end together. */
const devicesMax = 100;

/** Ends one session, and the logins of its user whose browsers have not fetched their sessions yet. Throws NOT_FOUND. */
export async function endSamlSession(scope: AccountScope, id: string): Promise<void> {
  await endWaiting(scope, await samlSessions.get(scope, id));
  await samlSessions.remove(scope, id, null);
}

/**
 * Ends sessions and returns their number. The next request of each session is refused; on other servers, within a second. Also ends
 * logins of the same users whose browsers have not fetched their sessions yet.
 *
 * @param filter.sessionIndexes the indexes that the identity provider names; empty for all sessions. A session without an index is
 *   ended as well, because it may be one of those named, and so is every session of the user in the same browser: at another host
 *   of the route, the identity provider has given it an index of its own.
 */
export async function endSamlSessions(
  scope: AccountScope,
  { routeId, user, sessionIndexes }: SessionFilter & { readonly sessionIndexes: readonly string[] },
): Promise<number> {
  // Logins before sessions: a login that becomes a session in the meantime is ended as a session.
  const ofUser = user == null ? {} : { userHash: hashOf(user) };
  await endWaiting(scope, { routeId, ...ofUser });
  if (sessionIndexes.length === 0) return samlSessions.removeAll(scope, { routeId, ...ofUser });
  const named = [{ sessionIndex: null }, { sessionIndex: { in: [...sessionIndexes] } }];
  // In slices: a database has to read all sessions to tell how many browsers they are in.
  const devices = new Set<string>();
  let last = '';
  const read = async (most: number) => {
    const page = await scope.db.samlSession.findMany({
      where: { routeId, ...ofUser, OR: named, id: { gt: last } },
      orderBy: { id: 'asc' },
      select: { id: true, deviceHash: true },
      take: most,
    });
    for (const { deviceHash } of page) if (deviceHash !== null) devices.add(deviceHash);
    last = page.at(-1)?.id ?? '';
    const isLast = page.length < most || devices.size >= devicesMax;
    return { value: undefined, entries: page.length * entriesOfRow, isLast };
  };
  for await (const _ of scope.rows.slices(rowSlices, read));
  const elsewhere = { deviceHash: { in: [...devices].slice(0, devicesMax) } };
  return samlSessions.removeAll(scope, { routeId, ...ofUser, OR: [...named, elsewhere] });
}

/** What ends sessions at a route by itself. */
export interface SessionEnds {
  /** While nobody has to log in, there are no sessions. */
  readonly enabled: boolean;
  /** Entity id of the identity provider. */
  readonly issuer: string;
  /** Seconds; 0 for no limit. */
  readonly maximumDuration: number;
  /** Seconds; 0 for no limit. */
  readonly inactivityTimeout: number;
}

/**
 * Ends the sessions of a route that are over by any of the rules, so that none of them goes on when the rule changes again. The last
 * uses that are stored may be some minutes old.
 */
export async function endSessionsOver(
  scope: AccountScope,
  routeId: string,
  rules: readonly SessionEnds[],
): Promise<void> {
  if (rules.some(({ enabled }) => !enabled)) {
    await endSamlSessions(scope, { routeId, sessionIndexes: [] });
    return;
  }
  const ago = (seconds: number) => new Date(scope.now().getTime() - seconds * 1000);
  const over = rules.flatMap(({ issuer, maximumDuration, inactivityTimeout }) => [
    { issuer: { not: issuer } },
    ...(maximumDuration === 0 ? [] : [{ createdAt: { lte: ago(maximumDuration) } }]),
    ...(inactivityTimeout === 0 ? [] : [{ lastUsedAt: { lte: ago(inactivityTimeout + noteSecondsMax.otherwise) } }]),
  ]);
  await samlSessions.removeAll(scope, { routeId, OR: over });
}

/** Ends the sessions at hosts that an edge does not serve any more, so that none of them goes on when a host is put back. */
export async function endSessionsElsewhere(
  scope: AccountScope,
  edgeId: string,
  hostports: readonly string[],
): Promise<void> {
  const isServed = hostMatcher(hostports);
  const ofEdge = { module: { route: { edgeId } } };
  const found = await scope.db.samlSession.findMany({ where: ofEdge, distinct: ['host'], select: { host: true } });
  const gone = found.map(({ host }) => host).filter((host) => !isServed(host));
  if (gone.length > 0) await samlSessions.removeAll(scope, { ...ofEdge, host: { in: gone } });
}

/** Ends the logins at a route that are waiting for their browsers: those of a user, or all. */
async function endWaiting(
  scope: AccountScope,
  { routeId, userHash }: { readonly routeId: string; readonly userHash?: string },
): Promise<void> {
  if (userHash === undefined) {
    await storeRecords(scope, samlLogins.prepareRemoveAll(scope, { routeId }));
    return;
  }
  // These are the logins of one minute at one route: few enough to scan.
  const waiting = await scope.db.samlLogin.findMany({
    where: { routeId, expiresAt: { gt: scope.now() } },
    select: { ticketHash: true, person: true },
  });
  for (const { ticketHash, person } of waiting) {
    if (hashOf(readVouched(person).named.nameId) === userHash)
      await storeRecords(scope, samlLogins.prepareRemoveAll(scope, { ticketHash }));
  }
}
