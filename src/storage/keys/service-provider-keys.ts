// The keys of our side towards identity providers: of the SAML modules of routes, and of sign-in providers. Each is sealed with its owner
// bound in.

import { createPrivateKey, type KeyObject } from 'node:crypto';
import { certifyKey, type KeyUse, serialBytes, serviceProviderKeyKind } from '../../domain/saml/signing-key.ts';
import { readTextList } from '../../domain/values/decode.ts';
import type { AccountScope } from '../objects/account-scope.ts';
import { generateInTurn } from './key-generation.ts';
import { ownerOf, type Secrets } from './secrets.ts';

/** What keys belong to: the kind of its row, for `ownerOf`, and its id. */
export interface KeyOwner {
  readonly kind: string;
  readonly id: string;
  /** How long the certificates of new keys are valid, if not `validityDays`. */
  readonly days?: number;
}

/** The key that signs our requests, and its certificate. */
export interface SigningIdentity {
  readonly certificatePem: string;
  readonly sealedPrivateKey: Uint8Array<ArrayBuffer>;
}

/** The keys that decrypt what the identity provider encrypts for us, and the certificate of the newest. */
export interface EncryptionIdentity {
  readonly encryptionCertificatePem: string;
  readonly sealedDecryptionKeys: Uint8Array<ArrayBuffer>;
}

/** Generates the keys of a service provider. Throws as `generateInTurn`. */
export async function makeServiceProviderKeys(
  scope: AccountScope,
  owner: KeyOwner,
  signal: AbortSignal | undefined,
): Promise<SigningIdentity & EncryptionIdentity> {
  const { certificatePem, pkcs8Der } = await makeKey(scope, 'signing', owner, signal);
  const sealedPrivateKey = scope.secrets.seal(pkcs8Der, ownerOf(owner.kind, owner.id));
  return { certificatePem, sealedPrivateKey, ...(await makeEncryptionIdentity(scope, owner, signal)) };
}

/** Generates the key for decryption. Throws as `generateInTurn`. */
export async function makeEncryptionIdentity(
  scope: AccountScope,
  owner: KeyOwner,
  signal: AbortSignal | undefined,
): Promise<EncryptionIdentity> {
  const { certificatePem, pkcs8Der } = await makeKey(scope, 'encryption', owner, signal);
  return {
    encryptionCertificatePem: certificatePem,
    sealedDecryptionKeys: sealDecryptionKeys(scope.secrets, owner, [pkcs8Der]),
  };
}

/** Generates a key with its certificate. Throws as `generateInTurn`. */
export async function makeKey(
  scope: AccountScope,
  use: KeyUse,
  { id, days }: KeyOwner,
  signal: AbortSignal | undefined,
) {
  const privateKey = await generateInTurn(scope, serviceProviderKeyKind, signal);
  return certifyKey(use, privateKey, id, scope.randomBytes(serialBytes), scope.now(), days);
}

/** Opens the key that signs. */
export function openSigningKey(secrets: Secrets, { kind, id }: KeyOwner, sealed: Uint8Array): KeyObject {
  return createPrivateKey({ key: secrets.open(sealed, ownerOf(kind, id)), format: 'der', type: 'pkcs8' });
}

/** Seals the keys that decrypt, each as PKCS#8 DER, newest first: a former key decrypts for as long as somebody may still use it. */
export function sealDecryptionKeys(
  secrets: Secrets,
  { kind, id }: KeyOwner,
  keys: readonly Buffer[],
): Uint8Array<ArrayBuffer> {
  const list = JSON.stringify(keys.map((key) => key.toString('base64')));
  return secrets.seal(Buffer.from(list), ownerOf(kind, id));
}

/** Opens the keys that `sealDecryptionKeys` has sealed; null stands for none. */
export function openDecryptionKeys(secrets: Secrets, owner: KeyOwner, sealed: Uint8Array | null): KeyObject[] {
  return unsealDecryptionKeys(secrets, owner, sealed).map((key) =>
    createPrivateKey({ key, format: 'der', type: 'pkcs8' }),
  );
}

/** Opens the keys that `sealDecryptionKeys` has sealed, as it got them; null stands for none. */
export function unsealDecryptionKeys(secrets: Secrets, { kind, id }: KeyOwner, sealed: Uint8Array | null): Buffer[] {
  if (sealed === null) return [];
  const list = readTextList(JSON.parse(secrets.open(sealed, ownerOf(kind, id)).toString()));
  return list.map((key) => Buffer.from(key, 'base64'));
}
