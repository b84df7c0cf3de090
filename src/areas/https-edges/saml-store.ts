// The SAML modules of routes in the database.

import { inTurns } from '../../domain/concurrency/steps.ts';
import { isIdentityProvider } from '../../domain/saml/identity-provider.ts';
import { certifySigningKey, serialBytes, signingKeyKind } from '../../domain/saml/signing-key.ts';
import { readAs } from '../../domain/values/decode.ts';
import { generateInTurn } from '../../storage/keys/key-generation.ts';
import { ownerOf } from '../../storage/keys/secrets.ts';
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
import { endSessionsOver, type SessionEnds } from './login-session-store.ts';
import { bytesOfModule, checkSamlSettings, type SamlSettings } from './rules.ts';

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
    if (seenBytes.oidc !== null) throw anotherLogin('an OpenID Connect');
    if (seenBytes.saml === null && identity === undefined) {
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
    if (seenBytes.saml === null && identity !== undefined) {
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
