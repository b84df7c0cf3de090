// The SAML modules of routes in the database.

import { inTurns } from '../../domain/concurrency/steps.ts';
import { isIdentityProvider } from '../../domain/saml/identity-provider.ts';
import { readAs } from '../../domain/values/decode.ts';
import { type FoundMetadata, readingColumns } from '../../outgoing/idp-metadata.ts';
import {
  type EncryptionIdentity,
  makeEncryptionIdentity,
  makeServiceProviderKeys,
  type SigningIdentity,
} from '../../storage/keys/service-provider-keys.ts';
import type { AccountScope } from '../../storage/objects/account-scope.ts';
import { countedUp, type Row, type Write } from '../../storage/objects/collection.ts';
import { httpsEdgeRoutes, samlModules } from './collections-store.ts';
import {
  anotherLogin,
  checkRoom,
  countInEdge,
  countingBytes,
  type RouteChange,
  type RouteWrite,
} from './counting-store.ts';
import {
  endingLogins,
  endManySessions,
  endSessionsOfOthers,
  endSessionsOver,
  type SessionEnds,
} from './login-session-store.ts';
import { referencesOf, usersOf } from './registration-store.ts';
import { bytesOfModule, type CheckedSamlSettings, checkSamlSettings, type SamlSettings } from './rules.ts';

/** What is stored as the keys of a module that has had no registration of its own. */
const noKeys = {
  certificatePem: '',
  sealedPrivateKey: new Uint8Array(0),
  encryptionCertificatePem: null,
  nextCertificatePem: null,
  formerCertificatePem: null,
  rotatedAt: null,
} as const;

/**
 * Sets the SAML module of a route. The first time that it has a registration of its own, it generates its keys, which the module keeps
 * until it is deleted. If several requests do so at once, one of each is kept, and every response shows it. A module of the time when
 * there were no keys for decryption gets one.
 *
 * @param found the metadata that counts where the input has only its address (`findMetadata`)
 * @param signal drops a queued change, and cancels key generation, when nobody is waiting for the result any more
 * @throws INVALID_INPUT, NOT_FOUND as `getRoute`, VERSION_CONFLICT, UNAVAILABLE if too many changes of the route are waiting, and
 *   as `checkRegistration` and `generateInTurn`
 */
export async function replaceSamlModule(
  scope: AccountScope,
  input: RouteChange & SamlSettings,
  signal?: AbortSignal,
  found: FoundMetadata | null = null,
): Promise<Row<'HttpsEdgeRoute'>> {
  const settings = await inTurns(scope.accountId, checkSamlSettings(input, found), signal);
  const { loginRouteId } = settings;
  const bytes = bytesOfModule(settings);
  const routeId = input.id;
  let keys: MissingKeys | undefined;

  const write: RouteWrite<Row<'HttpsEdgeRoute'>> = async ({ version, bytes: seenBytes }, added) => {
    if (seenBytes.oidc !== null) throw anotherLogin('an OpenID Connect');
    const kept = await findKept(scope, routeId);
    const isSame = (kept?.loginRouteId ?? null) === loginRouteId;
    const reference = isSame ? [] : await referencesOf(scope, 'saml', routeId, loginRouteId);
    if (loginRouteId === null && lacksKeys(kept) && keys === undefined) {
      await checkRoom(scope, input, added);
      // Generated before the write, because a transaction must not stay open for that long.
      keys = await missingKeys(scope, routeId, kept, signal);
    }
    // A concurrent second request finds the module of the first, and only updates it.
    const made = loginRouteId === null && lacksKeys(kept) ? keys : undefined;
    const reading = readingColumns(scope, settings, found, kept);
    const update = { ...settings, ...reading, bytes };
    const shown = { ...(kept ?? noKeys), ...made, ...settings, ...reading, routeId };
    const alongside = [countInEdge(scope, input.edgeId, added), ...reference];
    const set = async (...following: readonly Write[]) => {
      const route = await httpsEdgeRoutes.update(scope, routeId, countedUp, version, { alongside, following });
      return { ...route, saml: shown };
    };
    if (kept === null) return set(samlModules.prepareCreate(scope, { ...update, ...noKeys, ...made, routeId }));
    const change = samlModules.prepareUpdate(scope, { routeId }, { ...update, ...made });
    if (isSame) return endingSessions(scope, routeId, settings, () => set(change));
    // Whoever was let in by another registration logs in again, also who is about to fetch a session.
    await endManySessions(scope, [routeId]);
    return set(change, ...endingLogins(scope, [routeId]));
  };
  return countingBytes(scope, input, bytes, write, signal);
}

/** What is kept of a module when it is replaced, or depends on what it was. */
const keptColumns = [
  'loginRouteId',
  'certificatePem',
  'encryptionCertificatePem',
  'nextCertificatePem',
  'formerCertificatePem',
  'rotatedAt',
  'idpMetadataUrl',
  'metadataReadAt',
] as const;
type Kept = Pick<Row<'SamlModule'>, (typeof keptColumns)[number]>;

/** Finds what a module keeps when it is replaced; null if there is none. */
export async function findKept({ rows }: AccountScope, routeId: string): Promise<Kept | null> {
  const [kept] = await rows.pick('SamlModule', keptColumns, 'routeId', [routeId]);
  return kept ?? null;
}

/** Returns whether a module with a registration of its own needs keys that it has not. */
function lacksKeys(kept: Kept | null): boolean {
  return kept === null || kept.certificatePem === '' || kept.encryptionCertificatePem === null;
}

type MissingKeys = Partial<SigningIdentity> & EncryptionIdentity;

/** Generates the keys that a module with a registration of its own needs and has not. Throws as `generateInTurn`. */
async function missingKeys(
  scope: AccountScope,
  routeId: string,
  kept: Kept | null,
  signal: AbortSignal | undefined,
): Promise<MissingKeys | undefined> {
  if (!lacksKeys(kept)) return undefined;
  const isSigning = kept !== null && kept.certificatePem !== '';
  return isSigning
    ? makeEncryptionIdentity(scope, { kind: 'SamlModule', id: routeId }, signal)
    : makeServiceProviderKeys(scope, { kind: 'SamlModule', id: routeId }, signal);
}

/** Prepares the write that restores a module. It keeps its keys, or gets new ones if it needs them: the trail has none. */
export async function restoringModule(
  scope: AccountScope,
  routeId: string,
  { bytes, ...settings }: CheckedSamlSettings & { readonly bytes: number },
  kept: Kept | null,
  signal: AbortSignal | undefined,
): Promise<Write> {
  const made = settings.loginRouteId === null ? await missingKeys(scope, routeId, kept, signal) : undefined;
  // What was there at that time is out of date.
  const columns = { ...settings, ...readingColumns(scope, settings, { readAt: null }, kept), bytes };
  if (kept !== null) return samlModules.prepareUpdate(scope, { routeId }, { ...columns, ...made });
  return samlModules.prepareCreate(scope, { ...columns, ...noKeys, ...made, routeId });
}

/**
 * Changes the module of a route, and ends the sessions that are over: by its former settings first, so that none of them goes on
 * under the new ones, whatever fails then; and by the new ones. Another identity provider ends the sessions of all routes that use the
 * registration.
 */
export async function endingSessions<T>(
  scope: AccountScope,
  routeId: string,
  settings: Omit<SessionEnds, 'issuer'> & {
    readonly loginRouteId: string | null;
    readonly identityProvider: { readonly entityId: string };
  },
  write: () => Promise<T>,
): Promise<T> {
  const former = await findSessionEnds(scope, routeId);
  if (former === null) return write();
  const issuer = settings.loginRouteId === null ? settings.identityProvider.entityId : former.issuer;
  const users = settings.loginRouteId === null ? (await usersOf(scope, [routeId])).map(({ id }) => id) : [];
  await endSessionsOver(scope, routeId, [former]);
  await endSessionsOfOthers(scope, users, former.issuer);
  const written = await write();
  await endSessionsOver(scope, routeId, [{ ...settings, issuer }]);
  await endSessionsOfOthers(scope, users, issuer);
  return written;
}

/** Finds what ends the sessions of a route now; null if it has no module. */
async function findSessionEnds({ db }: AccountScope, routeId: string): Promise<SessionEnds | null> {
  const registration = { select: { identityProvider: true } } as const;
  const select = { enabled: true, identityProvider: true, maximumDuration: true, inactivityTimeout: true } as const;
  const found = await db.samlModule.findFirst({ where: { routeId }, select: { ...select, registration } });
  if (found === null) return null;
  const { identityProvider } = found.registration ?? found;
  return {
    enabled: found.enabled,
    issuer: readAs(identityProvider, isIdentityProvider, 'an identity provider').entityId.trim(),
    maximumDuration: Number(found.maximumDuration),
    inactivityTimeout: Number(found.inactivityTimeout),
  };
}
