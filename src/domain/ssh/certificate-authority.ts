// The key of a certificate authority: its options, and the forms in which it is stored and signs. No I/O; may import
// only sshpk, node:crypto and its neighbours on this floor.

import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import sshpk from 'sshpk';
import { invalid } from '../errors.ts';
import { blobOfLine, formatLine, keyTypes } from './public-key.ts';
import { WireReader } from './wire.ts';

/** Curves of ECDSA keys, under the names of the API. */
export const ellipticCurves = ['p256', 'p384', 'p521'] as const;
/** Sizes of RSA keys, in bits of the modulus. */
export const rsaKeySizes = [2048, 3072, 4096] as const;

type EllipticCurve = (typeof ellipticCurves)[number];
type RsaKeySize = (typeof rsaKeySizes)[number];

/** What kind of key an authority has. Only combinations that make sense can be written down. */
export type AuthorityKind =
  | { readonly privateKeyType: 'ed25519' }
  | { readonly privateKeyType: 'ecdsa'; readonly ellipticCurve: EllipticCurve }
  | { readonly privateKeyType: 'rsa'; readonly keySize: RsaKeySize };

/** Options as the client gave them; null and undefined mean not given. */
export interface AuthorityOptions {
  privateKeyType?: string | null | undefined;
  ellipticCurve?: string | null | undefined;
  keySize?: number | null | undefined;
}

/**
 * Applies the defaults (decisions, "SSH"): ed25519, or p256, or 4096 bits.
 *
 * @throws INVALID_INPUT on `privateKeyType`, `ellipticCurve` or `keySize` for an unknown value, and for a curve or size
 *   that does not belong to the type: dropping it silently would leave the client with another key than it asked for.
 */
export function checkAuthorityOptions(options: AuthorityOptions): AuthorityKind {
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
 * Gives options for a key of the same kind as a public key of an authority, as far as others are not given. What was brought may
 * have a size that is never made here: then the next one that is.
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
  const bytes = blob.readString().filter((byte, place) => place > 0 || byte !== 0).length;
  const size = rsaKeySizes.find((bits) => bits >= bytes * 8) ?? rsaKeySizes[rsaKeySizes.length - 1];
  return { ...options, privateKeyType: 'rsa', keySize: options.keySize ?? size };
}

function oneOf<T extends string | number>(field: string, accepted: readonly T[], value: string | number): T {
  const found = accepted.find((candidate) => candidate === value);
  if (found === undefined) throw invalid(field, `must be one of ${accepted.join(', ')}.`);
  return found;
}

/** A new key of an authority, in the forms that are stored. */
export interface GeneratedAuthorityKey {
  /** The private key, unencrypted (PKCS#8, DER). To be sealed at once, and never logged. */
  readonly pkcs8Der: Buffer;
  /** The public key as one line of an OpenSSH file, without a comment. */
  readonly publicKeyLine: string;
  /** The public key in wire form. */
  readonly publicKeyBlob: Buffer;
}

/** Gives the forms of a new private key that are stored. Throws for a type that no authority has. */
export function exportAuthorityKey(privateKey: KeyObject): GeneratedAuthorityKey {
  const publicKeyBlob = publicBlob(privateKey);
  return {
    pkcs8Der: privateKey.export({ type: 'pkcs8', format: 'der' }),
    publicKeyLine: formatLine(algorithmOf(publicKeyBlob), publicKeyBlob),
    publicKeyBlob,
  };
}

/** The key of an authority, ready to sign. Neither logging nor JSON shows a KeyObject's content. */
export interface AuthorityKey {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  /** The public key in wire form, as it stands in every certificate. */
  readonly publicKeyBlob: Buffer;
  /** Name of the key's algorithm, such as `ssh-rsa`. */
  readonly algorithm: string;
}

/**
 * Opens a stored key. Keep the result: reading the DER again for each signature costs as much as an ed25519 signature,
 * and nearly as much again for RSA (measured). Throws OpenSSL's error for anything but a PKCS#8 private key.
 */
export function openAuthorityKey(pkcs8Der: Uint8Array): AuthorityKey {
  const privateKey = createPrivateKey({ key: Buffer.from(pkcs8Der), format: 'der', type: 'pkcs8' });
  const publicKeyBlob = publicBlob(privateKey);
  return { privateKey, publicKey: createPublicKey(privateKey), publicKeyBlob, algorithm: algorithmOf(publicKeyBlob) };
}

/** Only the public half goes through sshpk, whose private forms of ed25519 and RSA OpenSSL cannot use (measured). */
function publicBlob(privateKey: KeyObject): Buffer {
  const spki = createPublicKey(privateKey).export({ type: 'spki', format: 'pem' });
  return sshpk.parseKey(spki, 'pem').toBuffer('rfc4253');
}

function algorithmOf(blob: Buffer): string {
  return new WireReader(blob).readString().toString('ascii');
}
