// The SAML modules of routes in the database.

import { createPrivateKey, type KeyObject } from 'node:crypto';
import { inTurns } from '../../domain/concurrency/steps.ts';
import { isIdentityProvider } from '../../domain/saml/identity-provider.ts';
import { certifyKey, type KeyUse, serialBytes, serviceProviderKeyKind } from '../../domain/saml/signing-key.ts';
import { readAs, readTextList } from '../../domain/values/decode.ts';
import { generateInTurn } from '../../storage/keys/key-generation.ts';
import { ownerOf, type Secrets } from '../../storage/keys/secrets.ts';
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

/** The keys that decrypt what the identity provider encrypts for a module, and the certificate of the newest. */
interface EncryptionIdentity {
  readonly encryptionCertificatePem: string;
  readonly sealedDecryptionKeys: Uint8Array<ArrayBuffer>;
}

/** The certificates of a module that its answers show. */
type Certificates = Partial<Pick<Row<'SamlModule'>, 'certificatePem' | 'encryptionCertificatePem'>>;

/** Generates the keys of the module of a route. Throws as `generateInTurn`. */
export async function makeModuleKeys(
  scope: AccountScope,
  routeId: string,
  signal: AbortSignal | undefined,
): Promise<SigningIdentity & EncryptionIdentity> {
  const { certificatePem, pkcs8Der } = await makeKey(scope, 'signing', routeId, signal);
  const sealedPrivateKey = scope.secrets.seal(pkcs8Der, ownerOf('SamlModule', routeId));
  return { certificatePem, sealedPrivateKey, ...(await makeEncryptionIdentity(scope, routeId, signal)) };
}

/** Generates the key for decryption. Throws as `generateInTurn`. */
async function makeEncryptionIdentity(
  scope: AccountScope,
  routeId: string,
  signal: AbortSignal | undefined,
): Promise<EncryptionIdentity> {
  const { certificatePem, pkcs8Der } = await makeKey(scope, 'encryption', routeId, signal);
  return {
    encryptionCertificatePem: certificatePem,
    sealedDecryptionKeys: sealDecryptionKeys(scope.secrets, routeId, [pkcs8Der]),
  };
}

/** Generates a key with its certificate. Throws as `generateInTurn`. */
async function makeKey(scope: AccountScope, use: KeyUse, routeId: string, signal: AbortSignal | undefined) {
  const privateKey = await generateInTurn(scope, serviceProviderKeyKind, signal);
  return certifyKey(use, privateKey, routeId, scope.randomBytes(serialBytes), scope.now());
}

/** Seals the keys that decrypt, each as PKCS#8 DER, newest first: a former key decrypts for as long as somebody may still use it. */
function sealDecryptionKeys(secrets: Secrets, routeId: string, keys: readonly Buffer[]): Uint8Array<ArrayBuffer> {
  const list = JSON.stringify(keys.map((key) => key.toString('base64')));
  return secrets.seal(Buffer.from(list), ownerOf('SamlModule', routeId));
}

/** Opens the keys that `sealDecryptionKeys` has sealed; null stands for none. */
export function openDecryptionKeys(secrets: Secrets, routeId: string, sealed: Uint8Array | null): KeyObject[] {
  if (sealed === null) return [];
  const list = readTextList(JSON.parse(secrets.open(sealed, ownerOf('SamlModule', routeId)).toString()));
  return list.map((key) => createPrivateKey({ key: Buffer.from(key, 'base64'), format: 'der', type: 'pkcs8' }));
}

/**
 * Sets the SAML module of a route. The first time, it generates its keys, which the module keeps until it is deleted. If several
 * requests set the module for the first time at once, one of each is kept, and every response shows it. A module of the time when
 * there were no keys for decryption gets one.
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
  let keys: Awaited<ReturnType<typeof makeModuleKeys>> | undefined;

  const write: RouteWrite<Row<'HttpsEdgeRoute'>> = async ({ version, bytes: seenBytes }, added) => {
    if (seenBytes.oidc !== null) throw anotherLogin('an OpenID Connect');
    if (seenBytes.saml === null && keys === undefined) {
      await checkRoom(scope, input, added);
      // Generated before the write, because a transaction must not stay open for that long.
      keys = await makeModuleKeys(scope, input.id, signal);
    }
    // A concurrent second request finds the module of the first, and only updates it.
    const alongside = [countInEdge(scope, input.edgeId, added)];
    const routeId = input.id;
    const set = async (module: Write, certificates: Certificates) => {
      const route = await httpsEdgeRoutes.update(scope, routeId, countedUp, version, {
        alongside,
        following: [module],
      });
      const { certificatePem, encryptionCertificatePem } = certificates;
      return { ...route, saml: { ...settings, routeId, certificatePem, encryptionCertificatePem } };
    };
    if (seenBytes.saml === null && keys !== undefined) {
      return set(samlModules.prepareCreate(scope, { ...update, ...keys, routeId }), keys);
    }
    const columns = ['certificatePem', 'encryptionCertificatePem'] as const;
    const [kept] = await scope.rows.pick('SamlModule', columns, 'routeId', [routeId]);
    const made =
      kept?.encryptionCertificatePem === null ? await makeEncryptionIdentity(scope, routeId, signal) : undefined;
    const change = samlModules.prepareUpdate(scope, { routeId }, { ...update, ...made });
    return endingSessions(scope, routeId, settings, () => set(change, { ...kept, ...made }));
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
