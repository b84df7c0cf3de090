// The key of a certificate authority: its options, its stored forms, and the form that signs. No I/O.

import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import sshpk from 'sshpk';
import type { EllipticCurve, KeyKind, RsaKeySize } from '../../../domain/access/key-kind.ts';
import { invalid } from '../../../domain/errors.ts';
import { blobOfLine, formatLine, keyTypes, openPublicKey, readAcceptedKey } from '../keys/public-key.ts';
import { WireReader } from '../keys/wire.ts';

/** Curves of ECDSA keys, as the API names them. */
export const ellipticCurves = ['p256', 'p384', 'p521'] as const satisfies readonly EllipticCurve[];
/** Sizes of RSA keys, in bits of the modulus. */
export const rsaKeySizes = [2048, 3072, 4096] as const satisfies readonly RsaKeySize[];

/** Options as the client sent them; null and undefined mean not given. */
export interface AuthorityOptions {
  privateKeyType?: string | null | undefined;
  ellipticCurve?: string | null | undefined;
  keySize?: number | null | undefined;
}

/**
 * Checks the options and applies the defaults: an ed25519 key, p256 for an ECDSA key, and 4096 bits for an RSA key.
 *
 * @throws INVALID_INPUT on `privateKeyType`, `ellipticCurve` or `keySize` for an unknown value, and for a curve or size
 *   that does not belong to the type: dropping it silently would give the client a different key from the one it asked for.
 */
export function checkAuthorityOptions(options: AuthorityOptions): KeyKind {
  const privateKeyType = oneOf('privateKeyType', keyTypes, options.privateKeyType ?? 'ed25519');
  const { ellipticCurve, keySize } = options;
  if (privateKeyType !== 'ecdsa' && ellipticCurve != null) {
    throw invalid('ellipticCurve', `must be omitted for a key of type ${privateKeyType}: only ecdsa has a curve.`);
  }
  if (privateKeyType !== 'rsa' && keySize != null) {
    throw invalid('keySize', `must be omitted for a key of type ${privateKeyType}: only rsa has a size to choose.`);
  }
  switch (privateKeyType) {
    case 'ed25519':
      return { privateKeyType };
    case 'ecdsa':
      return { privateKeyType, ellipticCurve: oneOf('ellipticCurve', ellipticCurves, ellipticCurve ?? 'p256') };
    case 'rsa':
      return { privateKeyType, keySize: oneOf('keySize', rsaKeySizes, keySize ?? 4096) };
  }
}

/**
 * Fills in the options of a new key so that it is of the same kind as an authority's public key, unless they name a type. An
 * imported key may have a size that is never generated here; then the next larger generated size is used, or the largest.
 */
export function optionsLike(publicKeyLine: string, options: AuthorityOptions): AuthorityOptions {
  if (options.privateKeyType != null) return options;
  const blob = new WireReader(blobOfLine(publicKeyLine));
  const algorithm = blob.readString().toString('ascii');
  const curve = ellipticCurves.find((name) => algorithm === `ecdsa-sha2-nist${name}`);
  if (curve !== undefined)
    return { ...options, privateKeyType: 'ecdsa', ellipticCurve: options.ellipticCurve ?? curve };
  if (algorithm !== 'ssh-rsa') return { ...options, privateKeyType: 'ed25519' };
  blob.readString(); // exponent
  const bytes = blob.readString().filter((byte, index) => index > 0 || byte !== 0).length;
  const size = rsaKeySizes.find((bits) => bits >= bytes * 8) ?? rsaKeySizes[rsaKeySizes.length - 1];
  return { ...options, privateKeyType: 'rsa', keySize: options.keySize ?? size };
}

function oneOf<T extends string | number>(field: string, accepted: readonly T[], value: string | number): T {
  const found = accepted.find((candidate) => candidate === value);
  if (found === undefined) throw invalid(field, `must be one of ${accepted.join(', ')}.`);
  return found;
}

/** A new key of an authority, in its stored forms. */
export interface GeneratedAuthorityKey {
  /** The private key, unencrypted (PKCS#8, DER). Seal it at once and never log it. */
  readonly pkcs8Der: Buffer;
  /** The public key as one line of an OpenSSH file, without a comment. */
  readonly publicKeyLine: string;
  readonly publicKeyBlob: Buffer;
}

/** Returns the stored forms of a new private key. Throws for a key type that no authority has. */
export function exportAuthorityKey(privateKey: KeyObject): GeneratedAuthorityKey {
  const publicKeyBlob = publicBlob(privateKey);
  return {
    pkcs8Der: privateKey.export({ type: 'pkcs8', format: 'der' }),
    publicKeyLine: formatLine(algorithmOf(publicKeyBlob), publicKeyBlob),
    publicKeyBlob,
  };
}

/** Signs in place of a private key that is somewhere else, such as in an agent. */
export interface OutsideSigner {
  /** Identifies what signs. Signatures of one signer are made one after another, and wait for those of no other. */
  readonly lane: string;
  /** Signs a message with the key. Returns the signature in wire form, verified. */
  sign(key: AuthorityKey, message: Uint8Array): Promise<Buffer>;
}

/** The key of an authority, ready to sign. Neither logging nor JSON reveals the content of a KeyObject. */
export interface AuthorityKey {
  readonly signer: KeyObject | OutsideSigner;
  readonly publicKey: KeyObject;
  /** The public key in wire form, as it appears in every certificate. */
  readonly publicKeyBlob: Buffer;
  /** Name of the key's algorithm, such as `ssh-rsa`. */
  readonly algorithm: string;
}

/**
 * Opens a stored key. Keep the result: parsing the DER for each signature costs as much as an ed25519 signature, and nearly as
 * much again for RSA (measured). Throws OpenSSL's error for anything but a PKCS#8 private key.
 */
export function openAuthorityKey(pkcs8Der: Uint8Array): AuthorityKey & { readonly signer: KeyObject } {
  const privateKey = createPrivateKey({ key: Buffer.from(pkcs8Der), format: 'der', type: 'pkcs8' });
  const publicKeyBlob = publicBlob(privateKey);
  const publicKey = createPublicKey(privateKey);
  return { signer: privateKey, publicKey, publicKeyBlob, algorithm: algorithmOf(publicKeyBlob) };
}

/** Returns the key of an authority whose private key is outside. */
export function outsideAuthorityKey(publicKeyLine: string, signer: OutsideSigner): AuthorityKey {
  const key = readAcceptedKey(publicKeyLine);
  return { signer, publicKey: openPublicKey(key), publicKeyBlob: key.blob, algorithm: key.algorithm };
}

/** Only the public key goes through sshpk: OpenSSL cannot use the ed25519 and RSA private keys that sshpk writes (measured). */
function publicBlob(privateKey: KeyObject): Buffer {
  const spki = createPublicKey(privateKey).export({ type: 'spki', format: 'pem' });
  return sshpk.parseKey(spki, 'pem').toBuffer('rfc4253');
}

function algorithmOf(blob: Buffer): string {
  return new WireReader(blob).readString().toString('ascii');
}
