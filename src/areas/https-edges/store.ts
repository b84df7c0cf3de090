// HTTPS edges, their routes and the routes' SAML modules in the database.
//
// The representation of an edge includes its routes, and that of a route its module. So a change of a part increments the version
// of the whole in the same write: otherwise an ETag would stay valid after the representation has changed.

import { inTurns } from '../../domain/concurrency/steps.ts';
import { notFound, SallyportError } from '../../domain/errors.ts';
import { hostMatcher } from '../../domain/gate/edge-table.ts';
import { isIdentityProvider } from '../../domain/saml/identity-provider.ts';
import { certifySigningKey, serialBytes, signingKeyKind } from '../../domain/saml/signing-key.ts';
import { readAs, readTextList } from '../../domain/values/decode.ts';
import { checkHostports } from '../../domain/values/hostport.ts';
import { isIdOf } from '../../domain/values/ids.ts';
import { type Notes, notesForCreate, notesForUpdate } from '../../domain/values/text.ts';
import { isDuplicate, isMissingRow } from '../../storage/errors.ts';
import { generateInTurn } from '../../storage/keys/key-generation.ts';
import { ownerOf } from '../../storage/keys/secrets.ts';
import type { AccountScope } from '../../storage/objects/account-scope.ts';
import { countedUp, type ExpectedVersion, type Row, type Write } from '../../storage/objects/collection.ts';
import { unlessOvertaken } from '../../storage/objects/overtaken.ts';
import { expectVersion, isVersionConflict } from '../../storage/objects/version-conflict.ts';
import { httpsEdgeRoutes, httpsEdges, samlModules } from './collections-store.ts';
import {
  checkAddress,
  checkRoom,
  countInEdge,
  countingBytes,
  type RouteAddress,
  type RouteChange,
  type RouteWrite,
  tooManyRoutes,
} from './counting-store.ts';
import { bytesOfModule, checkMatch, checkSamlSettings, type MatchType, type SamlSettings } from './rules.ts';
import { endManySessions, endSessionsElsewhere, endSessionsOver, type SessionEnds } from './saml-session-store.ts';

/** Creates an HTTPS edge without routes. Throws INVALID_INPUT. */
export async function createHttpsEdge(
  scope: AccountScope,
  input: Notes & { hostports?: readonly string[] | null | undefined },
): Promise<Row<'HttpsEdge'>> {
  const columns = { hostports: checkHostports(input.hostports ?? []), ...notesForCreate(input) };
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
  input: Notes & { id: string; hostports?: readonly string[] | null | undefined; expectedVersion?: ExpectedVersion },
): Promise<Row<'HttpsEdge'>> {
  const { id, expectedVersion } = input;
  const notes = notesForUpdate(input);
  if (input.hostports == null) return httpsEdges.update(scope, id, notes, expectedVersion);
  const change = { hostports: checkHostports(input.hostports), ...notes };
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

/** Reads a route of an edge. Throws NOT_FOUND, also for a route of another edge. */
export async function getRoute(scope: AccountScope, address: RouteAddress): Promise<Row<'HttpsEdgeRoute'>> {
  checkAddress(address);
  const route = await httpsEdgeRoutes.get(scope, address.id);
  if (route.edgeId !== address.edgeId) throw notFound();
  return route;
}

/**
 * Adds a route to an edge.
 *
 * @throws INVALID_INPUT, NOT_FOUND for an edge that does not belong to this account, DUPLICATE for a path that the edge already
 *   serves
 */
export async function createHttpsEdgeRoute(
  scope: AccountScope,
  input: Notes & { edgeId: string; matchType: MatchType; match: string },
): Promise<Row<'HttpsEdgeRoute'>> {
  const { edgeId, matchType } = input;
  const columns = { edgeId, matchType, match: checkMatch(input.match), ...notesForCreate(input) };
  if (!isIdOf('HttpsEdge', edgeId)) throw notFound();
  try {
    return await httpsEdgeRoutes.create(scope, columns, { alongside: [countInEdge(scope, edgeId, 0, 1)] });
  } catch (error) {
    if (isDuplicate(error)) throw duplicateMatch();
    if (!isMissingRow(error)) throw error;
    await httpsEdges.get(scope, edgeId);
    throw tooManyRoutes();
  }
}

/** Changes a route; null keeps the current match. Throws as `getRoute`, `collection.update` and `createHttpsEdgeRoute`. */
export async function updateHttpsEdgeRoute(
  scope: AccountScope,
  input: Notes &
    RouteAddress & {
      matchType?: MatchType | null | undefined;
      match?: string | null | undefined;
      expectedVersion?: ExpectedVersion;
    },
): Promise<Row<'HttpsEdgeRoute'>> {
  const change = {
    ...(input.matchType == null ? {} : { matchType: input.matchType }),
    ...(input.match == null ? {} : { match: checkMatch(input.match) }),
    ...notesForUpdate(input),
  };
  await getRoute(scope, input);
  const countEdge = httpsEdges.prepareUpdate(scope, { id: input.edgeId }, countedUp);
  const alongside = Object.keys(change).length === 0 ? [] : [countEdge];
  try {
    return await httpsEdgeRoutes.update(scope, input.id, change, input.expectedVersion, { alongside });
  } catch (error) {
    throw isDuplicate(error) ? duplicateMatch() : error;
  }
}

/** Deletes an edge with its routes and their modules. Throws as `collection.remove`. */
export async function deleteHttpsEdge(
  scope: AccountScope,
  { id, expectedVersion }: { readonly id: string; readonly expectedVersion?: ExpectedVersion | undefined },
): Promise<void> {
  const modules = await scope.db.samlModule.findMany({ where: { route: { edgeId: id } }, select: { routeId: true } });
  await endManySessions(
    scope,
    modules.map(({ routeId }) => routeId),
    async () => {
      const { version } = await httpsEdges.get(scope, id);
      expectVersion(expectedVersion, version);
    },
  );
  await httpsEdges.remove(scope, id, expectedVersion);
}

/** Deletes a route with its modules, unless the client disconnects before its turn. Throws as `replaceSamlModule`. */
export async function deleteHttpsEdgeRoute(
  scope: AccountScope,
  input: RouteChange,
  signal?: AbortSignal,
): Promise<void> {
  const write: RouteWrite<void> = async ({ version }, added) => {
    await endManySessions(scope, [input.id]);
    const alongside = [countInEdge(scope, input.edgeId, added, -1)];
    return httpsEdgeRoutes.remove(scope, input.id, version, { alongside });
  };
  await countingBytes(scope, input, 0, write, signal);
}

/** Creates the error for a path that the edge already serves. */
export function duplicateMatch(): SallyportError {
  return new SallyportError('DUPLICATE', 'The edge already has a route for this path. Update or delete that one.', {
    field: 'match',
  });
}

/** The key that signs the requests of a module, and its certificate. */
interface SigningIdentity {
  readonly certificatePem: string;
  readonly sealedPrivateKey: Uint8Array<ArrayBuffer>;
}

/** Generates the key of the module of a route. Throws as `generateInTurn`. */
export async function makeSigningIdentity(
  scope: AccountScope,
  routeId: string,
  signal: AbortSignal | undefined,
): Promise<SigningIdentity> {
  const { now, randomBytes, secrets } = scope;
  const privateKey = await generateInTurn(scope, signingKeyKind, signal);
  const key = certifySigningKey(privateKey, routeId, randomBytes(serialBytes), now());
  const sealedPrivateKey = secrets.seal(key.pkcs8Der, ownerOf('SamlModule', routeId));
  return { certificatePem: key.certificatePem, sealedPrivateKey };
}

/**
 * Sets the SAML module of a route. The first time, it generates a signing key, which the module keeps until it is deleted. If
 * several requests set the module for the first time at once, one key is kept, and every response shows it.
 *
 * @param signal drops a queued change, and cancels key generation, when nobody is waiting for the result any more
 * @throws INVALID_INPUT, NOT_FOUND as `getRoute`, VERSION_CONFLICT, UNAVAILABLE if too many changes of the route are waiting, and
 *   as `generateInTurn`
 */
export async function replaceSamlModule(
  scope: AccountScope,
  input: RouteChange & SamlSettings,
  signal?: AbortSignal,
): Promise<Row<'HttpsEdgeRoute'>> {
  const settings = await inTurns(scope.accountId, checkSamlSettings(input), signal);
  const bytes = bytesOfModule(settings);
  const update = { ...settings, bytes };
  let identity: SigningIdentity | undefined;

  const write: RouteWrite<Row<'HttpsEdgeRoute'>> = async ({ version, bytes: seenBytes }, added) => {
    if (seenBytes === null && identity === undefined) {
      await checkRoom(scope, input, added);
      // Generated before the write, because a transaction must not stay open for that long.
      identity = await makeSigningIdentity(scope, input.id, signal);
    }
    // A concurrent second request finds the module of the first, and only updates it.
    const alongside = [countInEdge(scope, input.edgeId, added)];
    const routeId = input.id;
    const set = async (module: Write, certificatePem: string | undefined) => {
      const route = await httpsEdgeRoutes.update(scope, routeId, countedUp, version, {
        alongside,
        following: [module],
      });
      return { ...route, saml: { ...settings, routeId, certificatePem } };
    };
    if (seenBytes === null && identity !== undefined) {
      return set(samlModules.prepareCreate(scope, { ...update, ...identity, routeId }), identity.certificatePem);
    }
    const [kept] = await scope.rows.pick('SamlModule', ['certificatePem'], 'routeId', [routeId]);
    const change = samlModules.prepareUpdate(scope, { routeId }, update);
    return endingSessions(scope, routeId, settings, () => set(change, kept?.certificatePem));
  };
  return countingBytes(scope, input, bytes, write, signal);
}

/**
 * Changes the module of a route, and ends the sessions that are over: by its former settings first, so that none of them goes on
 * under the new ones, whatever fails then; and by the new ones.
 */
export async function endingSessions<T>(
  scope: AccountScope,
  routeId: string,
  settings: Omit<SessionEnds, 'issuer'> & { readonly identityProvider: { readonly entityId: string } },
  write: () => Promise<T>,
): Promise<T> {
  const former = await findSessionEnds(scope, routeId);
  if (former !== null) await endSessionsOver(scope, routeId, [former]);
  const written = await write();
  const now = { ...settings, issuer: settings.identityProvider.entityId };
  if (former !== null) await endSessionsOver(scope, routeId, [now]);
  return written;
}

/** Finds what ends the sessions of a route now; null if it has no module. */
async function findSessionEnds({ db }: AccountScope, routeId: string): Promise<SessionEnds | null> {
  const select = { enabled: true, identityProvider: true, maximumDuration: true, inactivityTimeout: true } as const;
  const found = await db.samlModule.findFirst({ where: { routeId }, select });
  if (found === null) return null;
  return {
    enabled: found.enabled,
    issuer: readAs(found.identityProvider, isIdentityProvider, 'an identity provider').entityId.trim(),
    maximumDuration: Number(found.maximumDuration),
    inactivityTimeout: Number(found.inactivityTimeout),
  };
}

/** Removes the SAML module of a route with its key; a no-op if there is none. Throws as `replaceSamlModule`. */
export async function deleteSamlModule(
  scope: AccountScope,
  input: RouteChange,
  signal?: AbortSignal,
): Promise<Row<'HttpsEdgeRoute'>> {
  const write: RouteWrite<Row<'HttpsEdgeRoute'>> = async ({ version, bytes }, added) => {
    if (bytes === null) return httpsEdgeRoutes.update(scope, input.id, {}, version);
    await endManySessions(scope, [input.id]);
    const alongside = [countInEdge(scope, input.edgeId, added)];
    const following = [samlModules.prepareRemove(scope, { routeId: input.id })];
    const route = await httpsEdgeRoutes.update(scope, input.id, countedUp, version, { alongside, following });
    return { ...route, saml: null };
  };
  return countingBytes(scope, input, 0, write, signal);
}
