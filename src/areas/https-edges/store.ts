// HTTPS edges and their routes in the database.
//
// The representation of an edge includes its routes, and that of a route its modules. So a change of a part increments the version
// of the whole in the same write: otherwise an ETag would stay valid after the representation has changed.

import { notFound, SallyportError } from '../../domain/errors.ts';
import { hostMatcher } from '../../domain/gate/edge-table.ts';
import { readTextList } from '../../domain/values/decode.ts';
import { checkHostports } from '../../domain/values/hostport.ts';
import { isIdOf } from '../../domain/values/ids.ts';
import { type Notes, notesForCreate, notesForUpdate } from '../../domain/values/text.ts';
import { isDuplicate, isMissingRow } from '../../storage/errors.ts';
import type { AccountScope } from '../../storage/objects/account-scope.ts';
import { namingBackend } from '../../storage/objects/backend-references.ts';
import { countedUp, type ExpectedVersion, type Row } from '../../storage/objects/collection.ts';
import { unlessOvertaken } from '../../storage/objects/overtaken.ts';
import { expectVersion, isVersionConflict } from '../../storage/objects/version-conflict.ts';
import { versionWithModules } from '../../storage/objects/write-options.ts';
import { httpsEdgeRoutes, httpsEdges } from './collections-store.ts';
import {
  countInEdge,
  countingBytes,
  getRoute,
  type RouteAddress,
  type RouteChange,
  type RouteWrite,
  tooManyRoutes,
} from './counting-store.ts';
import { endManySessions, endSessionsElsewhere, findRoutesWithLogin } from './login-session-store.ts';
import {
  type ChangedRoute,
  checkModules,
  hasModules,
  type ModulesInput,
  shownModules,
  writesOfModules,
} from './module-store.ts';
import { checkUnused, deletingUnused } from './registration-store.ts';
import { checkMatch, type MatchType } from './rules.ts';

/** What applications behind an edge get; null keeps the current value. */
interface Forwarded {
  readonly signsIdentity?: boolean | null | undefined;
  readonly forwardsKeys?: boolean | null | undefined;
}

/** Creates an HTTPS edge without routes. Throws INVALID_INPUT. */
export async function createHttpsEdge(
  scope: AccountScope,
  input: Notes & Forwarded & { hostports?: readonly string[] | null | undefined },
): Promise<Row<'HttpsEdge'>> {
  const { hostports, signsIdentity, forwardsKeys } = input;
  const columns = {
    hostports: checkHostports(hostports ?? []),
    signsIdentity: signsIdentity ?? false,
    forwardsKeys: forwardsKeys ?? false,
    ...notesForCreate(input),
  };
  return httpsEdges.create(scope, columns);
}

/**
 * Changes an HTTPS edge; null keeps the current hosts. The sessions at hosts that it takes away end. Those of a host that it adds end
 * first, if any are left of an earlier change that was cut off.
 *
 * @throws as `collection.update`, `createHttpsEdge` and `unlessOvertaken`
 */
export async function updateHttpsEdge(
  scope: AccountScope,
  input: Notes &
    Forwarded & { id: string; hostports?: readonly string[] | null | undefined; expectedVersion?: ExpectedVersion },
): Promise<Row<'HttpsEdge'>> {
  const { id, signsIdentity, forwardsKeys, expectedVersion } = input;
  const others = {
    ...(signsIdentity == null ? {} : { signsIdentity }),
    ...(forwardsKeys == null ? {} : { forwardsKeys }),
    ...notesForUpdate(input),
  };
  if (input.hostports == null) return httpsEdges.update(scope, id, others, expectedVersion);
  const change = { hostports: checkHostports(input.hostports), ...others };
  const isServed = hostMatcher(change.hostports);
  /** The hosts for which the sessions elsewhere have ended. */
  let ended: string | undefined;
  // Other changes of the hosts may neither come between what is read and the change, nor wait for the sessions.
  const attempt = async () => {
    const { version, hostports } = await httpsEdges.get(scope, id);
    expectVersion(expectedVersion, version);
    const former = readTextList(hostports);
    const adds = !change.hostports.every(hostMatcher(former));
    if (adds && ended !== former.join()) {
      await endSessionsElsewhere(scope, id);
      ended = former.join();
    }
    const updated = await httpsEdges.update(scope, id, change, version);
    if (!former.every(isServed)) await endSessionsElsewhere(scope, id);
    return updated;
  };
  return unlessOvertaken(attempt, (error) => expectedVersion == null && isVersionConflict(error));
}

/**
 * Adds a route to an edge, with the modules that are given.
 *
 * @throws INVALID_INPUT, NOT_FOUND for an edge that does not belong to this account, DUPLICATE for a path that the edge already
 *   serves, UNKNOWN_REFERENCE for a backend or an IP policy that does not belong to this account
 */
export async function createHttpsEdgeRoute(
  scope: AccountScope,
  input: Notes & ModulesInput & { edgeId: string; matchType: MatchType; match: string },
): Promise<ChangedRoute> {
  const { edgeId, matchType } = input;
  const columns = { edgeId, matchType, match: checkMatch(input.match), ...notesForCreate(input) };
  if (!isIdOf('HttpsEdge', edgeId)) throw notFound();
  const given = await checkModules(scope, input);
  const object = { ...httpsEdgeRoutes.newObject(scope), ...(hasModules(given) ? { version: versionWithModules } : {}) };
  const alongside = [countInEdge(scope, edgeId, 0, 1)];
  const following = writesOfModules(scope, object.id, given);
  try {
    const created = httpsEdgeRoutes.create(scope, columns, { object, alongside, following });
    const route = await namingBackend(created, given.backend, 'backend.backendId');
    return { ...route, ...shownModules(object.id, given) };
  } catch (error) {
    if (isDuplicate(error)) throw duplicateMatch();
    if (!isMissingRow(error)) throw error;
    await httpsEdges.get(scope, edgeId);
    throw tooManyRoutes();
  }
}

/** Changes a route; null keeps the current match and modules. Throws as `getRoute`, `collection.update` and `createHttpsEdgeRoute`. */
export async function updateHttpsEdgeRoute(
  scope: AccountScope,
  input: Notes &
    ModulesInput &
    RouteAddress & {
      matchType?: MatchType | null | undefined;
      match?: string | null | undefined;
      expectedVersion?: ExpectedVersion;
    },
): Promise<ChangedRoute> {
  const { id, edgeId } = input;
  const columns = {
    ...(input.matchType == null ? {} : { matchType: input.matchType }),
    ...(input.match == null ? {} : { match: checkMatch(input.match) }),
    ...notesForUpdate(input),
  };
  await getRoute(scope, input);
  const given = await checkModules(scope, input);
  const change = { ...(hasModules(given) ? countedUp : {}), ...columns };
  const countEdge = httpsEdges.prepareUpdate(scope, { id: edgeId }, countedUp);
  const alongside = Object.keys(change).length === 0 ? [] : [countEdge];
  const following = writesOfModules(scope, id, given);
  try {
    const updated = httpsEdgeRoutes.update(scope, id, change, input.expectedVersion, { alongside, following });
    return { ...(await namingBackend(updated, given.backend, 'backend.backendId')), ...shownModules(id, given) };
  } catch (error) {
    throw isDuplicate(error) ? duplicateMatch() : error;
  }
}

/** Deletes an edge with its routes and their modules. Throws as `collection.remove` and `checkUnused`. */
export async function deleteHttpsEdge(
  scope: AccountScope,
  { id, expectedVersion }: { readonly id: string; readonly expectedVersion?: ExpectedVersion | undefined },
): Promise<void> {
  const routeIds = await findRoutesWithLogin(scope, id);
  await deletingUnused(async () => {
    await checkUnused(scope, routeIds);
    await endManySessions(scope, routeIds, async () => {
      const { version } = await httpsEdges.get(scope, id);
      expectVersion(expectedVersion, version);
    });
    await httpsEdges.remove(scope, id, expectedVersion);
  });
}

/** Deletes a route with its modules, unless the client disconnects before its turn. Throws as `deleteLoginModule`. */
export async function deleteHttpsEdgeRoute(
  scope: AccountScope,
  input: RouteChange,
  signal?: AbortSignal,
): Promise<void> {
  const write: RouteWrite<void> = async ({ version }, added) => {
    await checkUnused(scope, [input.id]);
    await endManySessions(scope, [input.id]);
    const alongside = [countInEdge(scope, input.edgeId, added, -1)];
    return httpsEdgeRoutes.remove(scope, input.id, version, { alongside });
  };
  await deletingUnused(() => countingBytes(scope, input, 0, write, signal));
}

/** Creates the error for a path that the edge already serves. */
export function duplicateMatch(): SallyportError {
  return new SallyportError('DUPLICATE', 'The edge already has a route for this path. Update or delete that one.', {
    field: 'match',
  });
}
