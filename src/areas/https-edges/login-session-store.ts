// User sessions, for administrators of a route, who list and end them.

import { notFound } from '../../domain/errors.ts';
import { hostMatcher } from '../../domain/gate/edge-table.ts';
import type { Vouched } from '../../domain/gate/login.ts';
import { noteSecondsMax } from '../../domain/gate/session-rule.ts';
import { othersOf } from '../../domain/gate/shared-sessions.ts';
import { readVouched } from '../../domain/gate/vouched.ts';
import type { NamedUser } from '../../domain/saml/logout.ts';
import { readTextList } from '../../domain/values/decode.ts';
import { hashOf } from '../../domain/values/hash.ts';
import { isIdOf } from '../../domain/values/ids.ts';
import type { AccountScope } from '../../storage/objects/account-scope.ts';
import type { Row, Write } from '../../storage/objects/collection.ts';
import { storeRecords } from '../../storage/objects/records.ts';
import { entriesOfRow, rowSlices } from '../../storage/sql/read-slices.ts';
import {
  httpsEdgeRoutes,
  httpsEdges,
  loginSessions,
  loginTargets,
  logouts,
  samlLogins,
  usedAssertions,
} from './collections-store.ts';
import { readLoginRules } from './edge-view-store.ts';

/** Selects sessions that began at a route. */
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

/** Finds the other routes of the edge of a route whose sessions count there, oldest first. */
export async function findSharing(
  scope: AccountScope,
  { id, edgeId }: Pick<Row<'HttpsEdgeRoute'>, 'id' | 'edgeId'>,
): Promise<readonly string[]> {
  const routes = await scope.rows.pick('HttpsEdgeRoute', ['id'], 'edgeId', [edgeId]);
  const ids = routes.map((route) => route.id);
  const rules = await readLoginRules(scope, ids);
  const logins = ids.map((each) => ({ id: each, login: rules.get(each) ?? null }));
  return [...othersOf({ id, login: rules.get(id) ?? null }, logins).rules.keys()].sort();
}

/** Returns the person that a session belongs to. */
export function personOf({ person }: Pick<Row<'LoginSession'>, 'person'>): Vouched {
  return readVouched(person);
}

/** Most browsers of a user whose sessions end together. */
const devicesMax = 100;
/** Sessions whose ids one statement names. */
const endedAtOnce = 100;

/** Ends one session, and the logins of its user whose browsers have not fetched their sessions yet. Throws NOT_FOUND. */
export async function endLoginSession(scope: AccountScope, id: string): Promise<void> {
  await endWaiting(scope, await loginSessions.get(scope, id));
  await loginSessions.remove(scope, id, null);
}

/**
 * Ends sessions and returns their number. The next request of each session is refused; on other servers, within a second. Also ends
 * logins of the same users whose browsers have not fetched their sessions yet.
 *
 * @param filter.sessionIndexes the indexes that the identity provider names; empty for all sessions. Without a user, they alone count.
 *   With one, a session without an index is ended as well, because it may be one of those named, and so is every session of the user
 *   in the same browser: at another host or route, the identity provider may have given it an index of its own.
 */
export async function endLoginSessions(
  scope: AccountScope,
  {
    routeIds,
    user,
    sessionIndexes,
  }: Pick<SessionFilter, 'user'> & {
    readonly routeIds: readonly string[];
    readonly sessionIndexes: readonly string[];
  },
): Promise<number> {
  // Logins before sessions: a login that becomes a session in the meantime is ended as a session.
  if (user == null && sessionIndexes.length > 0) {
    let count = 0;
    for (const each of routeIds) count += await endNamedSessions(scope, each, new Set(sessionIndexes));
    return count;
  }
  const ofUser = user == null ? {} : { userHash: hashOf(user) };
  for (const routeId of routeIds) await endWaiting(scope, { routeId, ...ofUser });
  const routeId = { in: [...routeIds] };
  if (sessionIndexes.length === 0) return loginSessions.removeAll(scope, { routeId, ...ofUser });
  const named = [{ sessionIndex: null }, { sessionIndex: { in: [...sessionIndexes] } }];
  const indexes = new Set<string | null>([null, ...sessionIndexes]);
  const devices = new Set<string>();
  for (const each of routeIds) {
    for await (const sessions of readSessions(scope, { ...ofUser, routeId: each })) {
      const found = sessions.filter(({ sessionIndex }) => indexes.has(sessionIndex));
      for (const { deviceHash } of found) if (deviceHash !== null) devices.add(deviceHash);
      if (devices.size >= devicesMax) break;
    }
  }
  const elsewhere = { deviceHash: { in: [...devices].slice(0, devicesMax) } };
  return loginSessions.removeAll(scope, { routeId, ...ofUser, OR: [...named, elsewhere] });
}

/** Ends the sessions of a route that an identity provider names without their users, and the logins that would become such. */
async function endNamedSessions(
  scope: AccountScope,
  routeId: string,
  sessionIndexes: ReadonlySet<string>,
): Promise<number> {
  await endWaiting(scope, { routeId }, ({ sessionIndex }) => sessionIndex !== null && sessionIndexes.has(sessionIndex));
  let count = 0;
  for await (const sessions of readSessions(scope, { routeId })) {
    const found = sessions.filter(({ sessionIndex }) => sessionIndex !== null && sessionIndexes.has(sessionIndex));
    for (let index = 0; index < found.length; index += endedAtOnce) {
      const some = found.slice(index, index + endedAtOnce).map(({ id }) => id);
      count += await loginSessions.removeAll(scope, { routeId, id: { in: some } });
    }
  }
  return count;
}

/**
 * Ends sessions of routes by their ids, with one event each, and the logins of their users whose browsers have not fetched their
 * sessions yet. Returns the number of those that were still there.
 */
export async function endTheseLoginSessions(
  scope: AccountScope,
  {
    routeIds,
    user,
    ids,
  }: Pick<SessionFilter, 'user'> & { readonly routeIds: readonly string[]; readonly ids: readonly string[] },
): Promise<number> {
  const ofUser = user == null ? {} : { userHash: hashOf(user) };
  const sessions = await loginSessions.getMany(scope, ids);
  const ofRoutes = sessions.flatMap((session) =>
    session !== null && routeIds.includes(session.routeId) ? session : [],
  );
  const waiting = new Map(ofRoutes.map(({ routeId, userHash }) => [`${routeId} ${userHash}`, { routeId, userHash }]));
  for (const each of waiting.values()) await endWaiting(scope, each);
  return loginSessions.removeAll(scope, { routeId: { in: [...routeIds] }, ...ofUser, id: { in: [...ids] } });
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
 * uses that are stored may be some minutes old. A part of a change of the module.
 */
export async function endSessionsOver(
  scope: AccountScope,
  routeId: string,
  rules: readonly SessionEnds[],
): Promise<void> {
  if (rules.some(({ enabled }) => !enabled)) {
    await endWaiting(scope, { routeId });
    await loginSessions.removeAll(scope, { routeId }, { isPart: true });
    return;
  }
  const ago = (seconds: number) => new Date(scope.now().getTime() - seconds * 1000);
  const over = rules.flatMap(({ issuer, maximumDuration, inactivityTimeout }) => [
    { issuer: { not: issuer } },
    ...(maximumDuration === 0 ? [] : [{ createdAt: { lte: ago(maximumDuration) } }]),
    ...(inactivityTimeout === 0 ? [] : [{ lastUsedAt: { lte: ago(inactivityTimeout + noteSecondsMax.otherwise) } }]),
  ]);
  await loginSessions.removeAll(scope, { routeId, OR: over }, { isPart: true });
}

/** Ends the sessions of routes for which another identity provider has vouched than theirs. A part of a change of their registration. */
export async function endSessionsOfOthers(
  scope: AccountScope,
  routeIds: readonly string[],
  issuer: string,
): Promise<void> {
  if (routeIds.length === 0) return;
  await loginSessions.removeAll(scope, { routeId: { in: [...routeIds] }, issuer: { not: issuer } }, { isPart: true });
}

/**
 * Ends the sessions at hosts that an edge does not serve, so that none of them goes on when a host is put back. A part of a change of
 * the edge.
 */
export async function endSessionsElsewhere(scope: AccountScope, edgeId: string): Promise<void> {
  for (const routeId of await findRoutesWithLogin(scope, edgeId)) {
    for await (const sessions of readSessions(scope, { routeId })) {
      // Read after the sessions: one at a host that has been put back meanwhile is of the time after that.
      const [edge] = await httpsEdges.getMany(scope, [edgeId]);
      if (edge == null) return;
      const isServed = hostMatcher(readTextList(edge.hostports));
      const gone = sessions.filter(({ host }) => !isServed(host)).map(({ id }) => id);
      for (let index = 0; index < gone.length; index += endedAtOnce) {
        const some = { id: { in: gone.slice(index, index + endedAtOnce) } };
        await loginSessions.removeAll(scope, some, { isPart: true });
      }
    }
  }
}

/** Finds the routes of an edge that have a login module of any kind. */
export async function findRoutesWithLogin({ db }: AccountScope, edgeId: string): Promise<readonly string[]> {
  const withLogin = [{ saml: { isNot: null } }, { oidc: { isNot: null } }];
  const routes = await db.httpsEdgeRoute.findMany({ where: { edgeId, OR: withLogin }, select: { id: true } });
  return routes.map(({ id }) => id);
}

/** Prepares the writes that end with the login modules of routes: their sessions without an event of their own, and their logins. */
export function endingLogins(scope: AccountScope, routeIds: readonly string[]): Write[] {
  const routeId = { in: [...routeIds] };
  return [
    loginTargets.prepareRemoveAll(scope, { routeId }),
    samlLogins.prepareRemoveAll(scope, { routeId }),
    usedAssertions.prepareRemoveAll(scope, { routeId }),
    logouts.prepareRemoveAll(scope, { routeId }),
    loginSessions.prepareRemoveAlong(scope, { routeId }),
  ];
}

/** Sessions that go along with their modules in one statement: 10,000 took 68 ms, and 100,000 two seconds (SQLite, measured). */
const endedAlongMax = 1_000;

/**
 * Ends the sessions of routes that are about to lose their modules, in steps, if they are too many to go along in one statement. A
 * part of that change.
 *
 * @param begin checks whether the change may be made, before the first session ends
 */
export async function endManySessions(
  scope: AccountScope,
  routeIds: readonly string[],
  begin = async (): Promise<void> => {},
): Promise<void> {
  let room = endedAlongMax;
  for (const routeId of routeIds) {
    const range = { equal: { routeId }, greaterThan: undefined, lessThan: undefined, ascending: true, take: room + 1 };
    room -= (await scope.rows.pickRange('LoginSession', ['id'], range)).length;
    if (room < 0) break;
  }
  if (room >= 0) return;
  await begin();
  for (const routeId of routeIds) await loginSessions.removeAll(scope, { routeId }, { isPart: true });
}

/** Reads the sessions that have certain values, slice by slice. */
async function* readSessions({ rows }: AccountScope, equal: { readonly routeId: string; readonly userHash?: string }) {
  let last: string | undefined;
  const read = async (take: number) => {
    const range = { equal, greaterThan: last, lessThan: undefined, ascending: true, take };
    const value = await rows.pickRange('LoginSession', ['id', 'host', 'sessionIndex', 'deviceHash'], range);
    last = value.at(-1)?.id;
    return { value, entries: value.length * entriesOfRow, isLast: value.length < take };
  };
  yield* rows.slices(rowSlices, read);
}

/** Ends the logins at a route that are waiting for their browsers: those of some users, or all. */
async function endWaiting(
  scope: AccountScope,
  { routeId, userHash }: { readonly routeId: string; readonly userHash?: string },
  isOver = userHash === undefined ? null : ({ nameId }: NamedUser): boolean => hashOf(nameId) === userHash,
): Promise<void> {
  if (isOver === null) {
    await storeRecords(scope, samlLogins.prepareRemoveAll(scope, { routeId }));
    return;
  }
  // These are the logins of one minute at one route: few enough to scan.
  const waiting = await scope.db.samlLogin.findMany({
    where: { routeId, expiresAt: { gt: scope.now() } },
    select: { ticketHash: true, person: true },
  });
  for (const { ticketHash, person } of waiting) {
    if (isOver(readVouched(person).named))
      await storeRecords(scope, samlLogins.prepareRemoveAll(scope, { ticketHash }));
  }
}
