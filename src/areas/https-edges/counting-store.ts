// Changes to routes of HTTPS edges that update the edge's count of the bytes in all of its modules.

import { createWorkQueue } from '../../domain/concurrency/work-queue.ts';
import { invalid, notFound, SallyportError } from '../../domain/errors.ts';
import { isIdOf } from '../../domain/values/ids.ts';
import { isMissingRow } from '../../storage/errors.ts';
import type { AccountScope } from '../../storage/objects/account-scope.ts';
import { countedUp, type ExpectedVersion, type Row, type Write } from '../../storage/objects/collection.ts';
import { expectVersion, isVersionConflict } from '../../storage/objects/version-conflict.ts';
import { httpsEdgeRoutes, httpsEdges } from './collections-store.ts';
import { edgeModulesBytesMax, routesMax } from './rules.ts';

/** The ids of a route and of its edge. */
export interface RouteAddress {
  edgeId: string;
  id: string;
}

/** Throws NOT_FOUND for ids that cannot name a route. */
function checkAddress({ edgeId, id }: RouteAddress): void {
  if (!isIdOf('HttpsEdge', edgeId) || !isIdOf('HttpsEdgeRoute', id)) throw notFound();
}

/** Reads a route of an edge. Throws NOT_FOUND, also for a route of another edge. */
export async function getRoute(scope: AccountScope, address: RouteAddress): Promise<Row<'HttpsEdgeRoute'>> {
  checkAddress(address);
  const route = await httpsEdgeRoutes.get(scope, address.id);
  if (route.edgeId !== address.edgeId) throw notFound();
  return route;
}

/** A change to the module of a route. The expected version is that of the route, which also counts changes to its module. */
export type RouteChange = RouteAddress & { expectedVersion?: ExpectedVersion };

/** A route as it was read. Every change to its module increments its version. */
export interface SeenRoute {
  readonly version: number;
  /** Bytes of its login modules; null for one that it has not. */
  readonly bytes: Readonly<Record<'saml' | 'oidc', number | null>>;
}

/** Maximum number of attempts at a change when the route is changed concurrently. A failure means that another change succeeded. */
const attemptsMax = 20;

/** A write, given the route as it was read and the bytes to add. It must require that the route still has that version. */
export type RouteWrite<T> = (seen: SeenRoute, added: number) => Promise<T>;

// Queues the changes to a route within this process, so that they do not conflict, nor generate several keys of which one is kept.
const ofRoute = createWorkQueue({ atOnce: Number.POSITIVE_INFINITY, atOnceOfOwner: 1, waitingMax: 100 });

/**
 * Writes a change to a module or route that also updates the edge's count of module bytes.
 *
 * @param bytes size of the login module after the change
 * @throws INVALID_INPUT if the edge would exceed its limit, and NOT_FOUND, VERSION_CONFLICT and UNAVAILABLE as `replaceSamlModule`
 */
export async function countingBytes<T>(
  scope: AccountScope,
  change: RouteChange,
  bytes: number,
  write: RouteWrite<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  checkAddress(change);
  // Route ids are not secret: if the id alone were the key, an account could block the queue of another account's route.
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
    expectVersion(expectedVersion, seen.version);
    const added = bytes - (seen.bytes.saml ?? 0) - (seen.bytes.oidc ?? 0);
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
 * Prepares the write that increments an edge's version and updates its counts of module bytes and routes; it fails if a limit would
 * be exceeded. The same statement checks the limits, so concurrent requests cannot exceed them.
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

/** Creates the error for an edge that already has the maximum number of routes. */
export function tooManyRoutes(): SallyportError {
  return invalid('edgeId', `names an edge that already has ${routesMax} routes, the maximum.`);
}

/** Creates the error for a second login module of a route. */
export function anotherLogin(kind: 'a SAML' | 'an OpenID Connect'): SallyportError {
  return invalid(
    'routeId',
    `names a route that has ${kind} module, and a route has one login module at most. Delete that one first.`,
  );
}

async function readSeen({ db }: AccountScope, { edgeId, id }: RouteAddress): Promise<SeenRoute> {
  const sizeOnly = { select: { bytes: true } } as const;
  const select = { version: true, saml: sizeOnly, oidc: sizeOnly } as const;
  const route = await db.httpsEdgeRoute.findFirst({ where: { id, edgeId }, select });
  if (route === null) throw notFound();
  return { version: route.version, bytes: { saml: route.saml?.bytes ?? null, oidc: route.oidc?.bytes ?? null } };
}

/** Throws if an edge has no room for more module bytes. This only explains a refusal; the write itself enforces the limit. */
export async function checkRoom(scope: AccountScope, { edgeId }: RouteAddress, added: number): Promise<void> {
  const { moduleBytes } = await httpsEdges.get(scope, edgeId);
  if (added > 0) checkModuleBytes(moduleBytes + added);
}

/** Throws INVALID_INPUT if all modules of an edge would have too many bytes. */
export function checkModuleBytes(bytes: number): void {
  if (bytes <= edgeModulesBytesMax) return;
  throw invalid(
    'idpMetadata',
    `would bring the modules of this edge to ${bytes} bytes of metadata and groups; the maximum is ${edgeModulesBytesMax}.`,
  );
}
