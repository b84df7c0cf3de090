// Changes of routes of HTTPS edges in which the edge counts what all of its modules hold.

import { invalid, notFound, SallyportError } from '../../domain/errors.ts';
import { isIdOf } from '../../domain/ids.ts';
import { createWorkQueue } from '../../domain/work-queue.ts';
import type { AccountScope } from '../../storage/account-scope.ts';
import { countedUp, type ExpectedVersion, type Write } from '../../storage/collection.ts';
import { httpsEdges } from '../../storage/collections.ts';
import { isMissingRow } from '../../storage/errors.ts';
import { isVersionConflict, versionConflict } from '../../storage/version-conflict.ts';
import { edgeModulesBytesMax, routesMax } from './rules.ts';

/** Where a route is. */
export interface RouteAddress {
  edgeId: string;
  id: string;
}

/** Throws NOT_FOUND for what names no route. */
export function checkAddress({ edgeId, id }: RouteAddress): void {
  if (!isIdOf('HttpsEdge', edgeId) || !isIdOf('HttpsEdgeRoute', id)) throw notFound();
}

/** A change of the module of a route, which is the whole that its versions count. */
export type RouteChange = RouteAddress & { expectedVersion?: ExpectedVersion };

/** A route as it was read: every change of its module counts its version up. */
export interface SeenRoute {
  readonly version: number;
  /** Bytes of its module; null without one. */
  readonly bytes: number | null;
}

/** How often a change is tried whose route is changed at the same time: each time somebody else has succeeded. */
const attemptsMax = 20;

/** A write that gets the route as it was read and the bytes that it adds, and demands that the route still has that version. */
export type RouteWrite<T> = (seen: SeenRoute, added: number) => Promise<T>;

// Changes of one route in this process need not meet at all, nor generate several keys of which one stays.
const ofRoute = createWorkQueue({ atOnce: Number.POSITIVE_INFINITY, atOnceOfOwner: 1, waitingMax: 100 });

/**
 * Writes a change of a module or route in which the edge counts the bytes of its modules.
 *
 * @param bytes what the module has afterwards
 * @throws INVALID_INPUT for more than the edge may have, and NOT_FOUND, VERSION_CONFLICT and UNAVAILABLE as `replaceSamlModule`
 */
export async function countingBytes<T>(
  scope: AccountScope,
  change: RouteChange,
  bytes: number,
  write: RouteWrite<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  checkAddress(change);
  // The ids of routes are no secret: under the id alone, an account could wait on the routes of others.
  return ofRoute.run(`${scope.accountId} ${change.id}`, () => tryCounting(scope, change, bytes, write), signal);
}

async function tryCounting<T>(
  scope: AccountScope,
  change: RouteChange,
  bytes: number,
  write: RouteWrite<T>,
): Promise<T> {
  const { expectedVersion } = change;
  for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
    const seen = await readSeen(scope, change);
    if (expectedVersion != null && expectedVersion !== seen.version) throw versionConflict(seen.version);
    const added = bytes - (seen.bytes ?? 0);
    try {
      return await write(seen, added);
    } catch (error) {
      // Either the edge is full, or the route has changed since it was read.
      if (isMissingRow(error)) await checkRoom(scope, change, added);
      else if (expectedVersion != null || !isVersionConflict(error)) throw error;
    }
  }
  throw new SallyportError('UNAVAILABLE', 'Too many requests change this route. Retry in a few seconds.');
}

/**
 * Counts up an edge, the bytes of its modules and its routes, unless that makes too many. The bounds stand in the statement that
 * counts, so that no number of requests at once can pass them.
 */
export function countInEdge(scope: AccountScope, edgeId: string, added: number, routes: -1 | 0 | 1 = 0): Write {
  const where = {
    id: edgeId,
    ...(added > 0 ? { moduleBytes: { lte: edgeModulesBytesMax - added } } : {}),
    ...(routes > 0 ? { routeCount: { lt: routesMax } } : {}),
  };
  const columns = { ...countedUp, moduleBytes: { increment: added }, routeCount: { increment: routes } };
  return httpsEdges.prepareUpdate(scope, where, columns);
}

/** Makes the error for an edge that has as many routes as it may. */
export function tooManyRoutes(): SallyportError {
  return invalid('edgeId', `names an edge that already has ${routesMax} routes, the maximum.`);
}

async function readSeen({ db }: AccountScope, { edgeId, id }: RouteAddress): Promise<SeenRoute> {
  const select = { version: true, saml: { select: { bytes: true } } } as const;
  const route = await db.httpsEdgeRoute.findFirst({ where: { id, edgeId }, select });
  if (route === null) throw notFound();
  return { version: route.version, bytes: route.saml?.bytes ?? null };
}

/** Checks that an edge has room for more bytes of modules. Only says why; the write itself holds the bound. */
export async function checkRoom(scope: AccountScope, { edgeId }: RouteAddress, added: number): Promise<void> {
  const bytes = (await httpsEdges.get(scope, edgeId)).moduleBytes + added;
  if (added <= 0 || bytes <= edgeModulesBytesMax) return;
  throw invalid(
    'idpMetadata',
    `would bring the modules of this edge to ${bytes} bytes of metadata and groups; the maximum is ${edgeModulesBytesMax}.`,
  );
}
