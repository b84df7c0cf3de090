// Replaces the keys of a SAML service provider, step by step: identity providers that read our metadata follow, and no login fails.

import { invalid } from '../../domain/errors.ts';
import { called } from '../../domain/wording.ts';
import { ownerOf } from '../../storage/keys/secrets.ts';
import { makeKey, sealDecryptionKeys, unsealDecryptionKeys } from '../../storage/keys/service-provider-keys.ts';
import type { AccountScope } from '../../storage/objects/account-scope.ts';
import { countedUp, type ExpectedVersion, type Row } from '../../storage/objects/collection.ts';
import { httpsEdgeRoutes, samlModules } from './collections-store.ts';
import { countInEdge, countingBytes, getRoute, type RouteWrite } from './counting-store.ts';
import { checkStep, type RotationStep, rotationStateOf } from './saml-rotation-rules.ts';

interface NextKeys {
  readonly signing: Awaited<ReturnType<typeof makeKey>>;
  readonly encryption: Awaited<ReturnType<typeof makeKey>>;
}

/**
 * Makes a step of replacing the keys of the registration of a route.
 *
 * - `announce` makes the next keys. Our metadata has both certificates for signatures, and the new one alone for encryption: identity
 *   providers take the first that they find. What is encrypted for the former is decrypted, too.
 * - `take_over` signs with the next key.
 * - `drop_former` ends what the former keys could still do.
 *
 * @throws NOT_FOUND, VERSION_CONFLICT, INVALID_INPUT for a route without a registration of its own, OUT_OF_ORDER for a step that is not
 *   the next one, and UNAVAILABLE as `generateInTurn`
 */
export async function rotateSamlKey(
  scope: AccountScope,
  given: { edgeId?: string | null | undefined; id: string; expectedVersion?: ExpectedVersion; step: RotationStep },
  signal: AbortSignal,
): Promise<Row<'HttpsEdgeRoute'>> {
  const { id, expectedVersion, step } = given;
  const { edgeId } = await httpsEdgeRoutes.get(scope, id);
  if (given.edgeId != null) await getRoute(scope, { edgeId: given.edgeId, id });
  let keys: NextKeys | undefined;
  const write: RouteWrite<Row<'HttpsEdgeRoute'>> = async ({ version }) => {
    const module = await findOwnKeys(scope, id);
    checkStep(rotationStateOf(module), step);
    if (step === 'announce' && keys === undefined) {
      // Generated before the write, because a transaction must not stay open for that long.
      keys = {
        signing: await makeKey(scope, 'signing', ownerOfKeys(id), signal),
        encryption: await makeKey(scope, 'encryption', ownerOfKeys(id), signal),
      };
    }
    const columns = { ...columnsOf(scope, id, module, step, keys), rotatedAt: scope.now() };
    const alongside = [countInEdge(scope, edgeId, 0)];
    const following = [samlModules.prepareUpdate(scope, { routeId: id }, columns)];
    return httpsEdgeRoutes.update(scope, id, countedUp, version, { alongside, following });
  };
  // The change adds no bytes, and there is always room for none.
  return countingBytes(scope, { edgeId, id, expectedVersion: expectedVersion ?? null }, 0, write, signal);
}

const keyColumns = [
  'loginRouteId',
  'certificatePem',
  'nextCertificatePem',
  'formerCertificatePem',
  'sealedNextKey',
  'sealedDecryptionKeys',
] as const;
type Keys = Pick<Row<'SamlModule'>, (typeof keyColumns)[number]>;

/** Finds the keys of the registration that a route has itself. Throws INVALID_INPUT if it has none. */
async function findOwnKeys(scope: AccountScope, routeId: string): Promise<Keys> {
  const [module] = await scope.rows.pick('SamlModule', keyColumns, 'routeId', [routeId]);
  if (module === undefined) {
    throw invalid('id', 'names a route without a SAML module. Set one: it begins with new keys.');
  }
  if (module.loginRouteId === null) return module;
  const registration = await httpsEdgeRoutes.get(scope, module.loginRouteId);
  throw invalid(
    'id',
    `names a route that uses the registration, and so the keys, of ${called(registration)}. Name that one.`,
  );
}

const ownerOfKeys = (id: string) => ({ kind: 'SamlModule', id });

function columnsOf(
  { secrets }: AccountScope,
  routeId: string,
  module: Keys,
  step: RotationStep,
  keys: NextKeys | undefined,
) {
  const { certificatePem, nextCertificatePem, sealedNextKey, sealedDecryptionKeys } = module;
  const owner = ownerOfKeys(routeId);
  const [newest, ...others] = unsealDecryptionKeys(secrets, owner, sealedDecryptionKeys);
  if (step === 'announce' && keys !== undefined) {
    const { signing, encryption } = keys;
    const decrypting = [encryption.pkcs8Der, ...(newest === undefined ? [] : [newest])];
    return {
      nextCertificatePem: signing.certificatePem,
      sealedNextKey: secrets.seal(signing.pkcs8Der, ownerOf(owner.kind, owner.id)),
      encryptionCertificatePem: encryption.certificatePem,
      sealedDecryptionKeys: sealDecryptionKeys(secrets, owner, decrypting),
    };
  }
  if (step === 'take_over' && nextCertificatePem !== null && sealedNextKey !== null) {
    return {
      certificatePem: nextCertificatePem,
      sealedPrivateKey: new Uint8Array(sealedNextKey),
      nextCertificatePem: null,
      sealedNextKey: null,
      formerCertificatePem: certificatePem,
    };
  }
  return {
    formerCertificatePem: null,
    ...(newest === undefined || others.length === 0
      ? {}
      : { sealedDecryptionKeys: sealDecryptionKeys(secrets, owner, [newest]) }),
  };
}
