// HTTPS edges, their routes and the SAML modules of these in the database.
//
// An edge shows its routes, and a route its module. So a change of a part counts up the version of the whole in the same
// write: otherwise an ETag would outlive the answer that it was given with.

import { invalid, notFound, SallyportError } from '../../domain/errors.ts';
import { checkHostports } from '../../domain/hostport.ts';
import { isIdOf } from '../../domain/ids.ts';
import { generateSigningKey, serialBytes } from '../../domain/saml/signing-key.ts';
import { type Notes, notesForCreate, notesForUpdate } from '../../domain/text.ts';
import type { AccountScope } from '../../storage/account-scope.ts';
import { collection, type ExpectedVersion, type Row, type Selection } from '../../storage/collection.ts';
import { isDuplicate } from '../../storage/errors.ts';
import { ownerOf } from '../../storage/secrets.ts';
import { generateInTurn } from '../../storage/turns.ts';
import {
  checkMatch,
  checkSamlSettings,
  edgeModulesBytesMax,
  type MatchType,
  routesMax,
  type SamlSettings,
} from './rules.ts';

export const httpsEdges = collection('HttpsEdge');
export const httpsEdgeRoutes = collection('HttpsEdgeRoute');

const countedUp = { version: { increment: 1 } } as const;

/** Makes an HTTPS edge without routes. Throws INVALID_INPUT. */
export function createHttpsEdge(
  { accountId, db, newId, now }: AccountScope,
  input: Notes & { hostports?: readonly string[] | null | undefined },
): Promise<Row<'HttpsEdge'>> {
  const data = { hostports: checkHostports(input.hostports ?? []), ...notesForCreate(input) };
  return db.httpsEdge.create({ data: { id: newId('HttpsEdge'), accountId, ...data, createdAt: now() } });
}

/** Changes an HTTPS edge; null keeps the hosts. Throws as `collection.update` and `createHttpsEdge`. */
export function updateHttpsEdge(
  scope: AccountScope,
  input: Notes & { id: string; hostports?: readonly string[] | null | undefined; expectedVersion?: ExpectedVersion },
  selection?: Selection,
): Promise<Row<'HttpsEdge'>> {
  const change = {
    ...(input.hostports == null ? {} : { hostports: checkHostports(input.hostports) }),
    ...notesForUpdate(input),
  };
  return httpsEdges.update(scope, input.id, change, input.expectedVersion, selection);
}

/** Where a route is. */
export interface RouteAddress {
  edgeId: string;
  id: string;
}

/** Reads a route of an edge. Throws NOT_FOUND, also for a route of another edge. */
export async function getRoute(
  { db }: AccountScope,
  { edgeId, id }: RouteAddress,
  selection: Selection = {},
): Promise<Row<'HttpsEdgeRoute'>> {
  if (!isIdOf('HttpsEdge', edgeId) || !isIdOf('HttpsEdgeRoute', id)) throw notFound();
  // Pothos makes the selection; its type is that of no particular model.
  const route = await db.httpsEdgeRoute.findFirst({ where: { id, edgeId }, ...(selection as object) });
  if (route === null) throw notFound();
  return route;
}

/**
 * Adds a route to an edge.
 *
 * @throws INVALID_INPUT, NOT_FOUND for an edge that is not of this account, DUPLICATE for a path that the edge serves
 *   already
 */
export async function createHttpsEdgeRoute(
  scope: AccountScope,
  input: Notes & { edgeId: string; matchType: MatchType; match: string },
): Promise<Row<'HttpsEdgeRoute'>> {
  const { accountId, db, newId, now } = scope;
  const { edgeId, matchType } = input;
  const data = { matchType, match: checkMatch(input.match), ...notesForCreate(input) };
  const id = newId('HttpsEdgeRoute');
  // Two requests at once may pass this by one: it bounds an answer, and needs not be exact.
  if ((await db.httpsEdgeRoute.count({ where: { edgeId } })) >= routesMax) {
    throw invalid('edgeId', `must name an edge with fewer than ${routesMax} routes; this one has as many as it can.`);
  }
  const create = { id, accountId, ...data, createdAt: now() };
  const selection = { select: { routes: { where: { id } } } };
  try {
    const edge = await httpsEdges.update(scope, edgeId, { routes: { create } }, null, selection);
    // What the selection gives, which the collection does not know.
    const [route] = (edge as unknown as { routes: Row<'HttpsEdgeRoute'>[] }).routes;
    if (route === undefined) throw new Error(`The new route ${id} is missing.`);
    return route;
  } catch (error) {
    throw isDuplicate(error) ? duplicateMatch() : error;
  }
}

/** Changes a route; null keeps what it matches. Throws as `getRoute`, `collection.update` and `createHttpsEdgeRoute`. */
export async function updateHttpsEdgeRoute(
  scope: AccountScope,
  input: Notes &
    RouteAddress & {
      matchType?: MatchType | null | undefined;
      match?: string | null | undefined;
      expectedVersion?: ExpectedVersion;
    },
  selection?: Selection,
): Promise<Row<'HttpsEdgeRoute'>> {
  const change = {
    ...(input.matchType == null ? {} : { matchType: input.matchType }),
    ...(input.match == null ? {} : { match: checkMatch(input.match) }),
    ...notesForUpdate(input),
  };
  await getRoute(scope, input, { select: { id: true } });
  const counted = Object.keys(change).length === 0 ? {} : { ...change, edge: { update: countedUp } };
  try {
    return await httpsEdgeRoutes.update(scope, input.id, counted, input.expectedVersion, selection);
  } catch (error) {
    throw isDuplicate(error) ? duplicateMatch() : error;
  }
}

/** Deletes a route with its modules. Throws as `getRoute` and `collection.remove`. */
export async function removeHttpsEdgeRoute(
  scope: AccountScope,
  { expectedVersion, ...address }: RouteAddress & { expectedVersion?: ExpectedVersion },
): Promise<void> {
  await getRoute(scope, address, { select: { id: true } });
  const countEdge = scope.db.httpsEdge.update({ where: { id: address.edgeId }, data: countedUp });
  await httpsEdgeRoutes.remove(scope, address.id, expectedVersion, [countEdge]);
}

function duplicateMatch(): SallyportError {
  return new SallyportError('DUPLICATE', 'The edge already has a route for this path. Update or delete that one.', {
    field: 'match',
  });
}

/** A change of the module of a route, which is the whole that its versions count. */
type SamlChange = RouteAddress & { expectedVersion?: ExpectedVersion };

/**
 * Sets the SAML module of a route. The first time it gets a signing key, which it keeps until it is deleted. Of several
 * first times at once one key stays, and every answer shows it.
 *
 * @returns the route, with what is selected of it
 * @throws INVALID_INPUT, NOT_FOUND as `getRoute`, VERSION_CONFLICT
 */
export async function replaceSamlModule(
  scope: AccountScope,
  input: SamlChange & SamlSettings,
  selection?: Selection,
): Promise<Row<'HttpsEdgeRoute'>> {
  const { accountId, now, randomBytes, secrets } = scope;
  const { identityProvider, ...settings } = checkSamlSettings(input);
  await checkSizeOfModules(scope, input, settings);
  // A copy as a plain object, which is what Prisma takes for JSON.
  const update = { ...settings, identityProvider: { ...identityProvider } };

  const write = (saml: object) =>
    httpsEdgeRoutes.update(scope, input.id, { saml, edge: { update: countedUp } }, input.expectedVersion, selection);
  if (await hasModule(scope, input)) {
    try {
      return await write({ update });
    } catch (error) {
      await checkModuleWasGone(scope, input, error);
    }
  }
  // Generated before the write, because no transaction may be open for as long as that takes.
  const key = await generateInTurn(() => generateSigningKey(input.id, randomBytes(serialBytes), now()));
  const sealedPrivateKey = secrets.seal(key.pkcs8Der, ownerOf('SamlModule', input.id));
  const create = { accountId, ...update, certificatePem: key.certificatePem, sealedPrivateKey };
  // Whoever comes second finds the module of the first, and only updates it.
  return write({ upsert: { create, update } });
}

/** Removes the SAML module of a route with its key; does nothing when there is none. Throws as `replaceSamlModule`. */
export async function removeSamlModule(
  scope: AccountScope,
  input: SamlChange,
  selection?: Selection,
): Promise<Row<'HttpsEdgeRoute'>> {
  if (await hasModule(scope, input)) {
    const change = { saml: { delete: true }, edge: { update: countedUp } };
    try {
      return await httpsEdgeRoutes.update(scope, input.id, change, input.expectedVersion, selection);
    } catch (error) {
      await checkModuleWasGone(scope, input, error);
    }
  }
  return httpsEdgeRoutes.update(scope, input.id, {}, input.expectedVersion, selection);
}

type Sized = { idpMetadata: string; authorizedGroups: unknown };

/** Checks that the modules of an edge stay small enough together. Changes at once may pass the bound by one module. */
async function checkSizeOfModules(scope: AccountScope, { edgeId, id }: RouteAddress, module: Sized): Promise<void> {
  const others = await scope.db.samlModule.findMany({
    where: { route: { edgeId }, routeId: { not: id } },
    select: { idpMetadata: true, authorizedGroups: true },
  });
  const bytes = [...others, module].reduce((sum, { idpMetadata, authorizedGroups }) => {
    return sum + Buffer.byteLength(idpMetadata) + Buffer.byteLength(JSON.stringify(authorizedGroups));
  }, 0);
  if (bytes > edgeModulesBytesMax) {
    throw invalid(
      'idpMetadata',
      `makes the modules of this edge ${bytes} bytes of metadata and groups; they may have ${edgeModulesBytesMax} together.`,
    );
  }
}

async function hasModule(scope: AccountScope, address: RouteAddress): Promise<boolean> {
  // What the selection gives, which `getRoute` does not know.
  const route = await getRoute(scope, address, { select: { saml: { select: { routeId: true } } } });
  return (route as unknown as { saml: object | null }).saml !== null;
}

/**
 * Looks why a write to a module was refused. Returns when somebody has removed the module since it was seen, and throws any
 * other reason.
 */
async function checkModuleWasGone(scope: AccountScope, input: SamlChange, error: unknown): Promise<void> {
  // The collection takes a part that is missing for another version of the whole. Where no version is expected, or the
  // expected one is there, the module must be what was missing.
  if (!(error instanceof SallyportError) || error.code !== 'VERSION_CONFLICT') throw error;
  await httpsEdgeRoutes.update(scope, input.id, {}, input.expectedVersion, { select: { id: true } });
}
