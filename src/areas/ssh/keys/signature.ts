// SSH signatures, in the wire form that certificates carry and hosts send: made with the key of an authority, verified with any
// key. No I/O; may import only node:crypto and its neighbours on this floor. Slow operations run off the event loop.

import { KeyObject, sign, verify } from 'node:crypto';
import type { AuthorityKey } from '../authorities/authority-key.ts';
import { encodeMpint, encodeString, WireReader } from './wire.ts';

interface Scheme {
  /** Name in the signature; for RSA it differs from the algorithm of the key. */
  readonly name: string;
  /** Null if the algorithm includes its own hash. */
  readonly hash: string | null;
  /** Length of each of ECDSA's two numbers; absent for other schemes. */
  readonly scalarBytes?: number;
  /** True if signing and verifying, 21 and 59 us (measured), take less time than handing the work to another thread. */
  readonly isQuick?: boolean;
}

export type VerifyingKey = Pick<AuthorityKey, 'publicKey' | 'algorithm'>;

const rsaSha256: Scheme = { name: 'rsa-sha2-256', hash: 'sha256' };

// The signature scheme for each key algorithm. RSA: RFC 8332, because OpenSSH refuses certificates signed with SHA-1
// (`ssh-rsa`). ECDSA: RFC 5656, section 6.2.1.
const schemeByKeyAlgorithm: ReadonlyMap<string, Scheme> = new Map<string, Scheme>([
  ['ssh-ed25519', { name: 'ssh-ed25519', hash: null, isQuick: true }],
  ['ecdsa-sha2-nistp256', { name: 'ecdsa-sha2-nistp256', hash: 'sha256', scalarBytes: 32 }],
  ['ecdsa-sha2-nistp384', { name: 'ecdsa-sha2-nistp384', hash: 'sha384', scalarBytes: 48 }],
  ['ecdsa-sha2-nistp521', { name: 'ecdsa-sha2-nistp521', hash: 'sha512', scalarBytes: 66 }],
  ['ssh-rsa', { name: 'rsa-sha2-512', hash: 'sha512' }],
]);

/** ECDSA's two numbers at fixed length instead of DER; no effect on the other algorithms. */
const dsaEncoding = 'ieee-p1363';

/** Returns whether an authority signs synchronously, on the event loop. Throws if the key's algorithm is not supported. */
export function signsQuickly(authority: AuthorityKey): boolean {
  return schemeOf(authority).isQuick ?? false;
}

/**
 * Signs a message and returns the signature in wire form. Throws if the key's algorithm is not supported, and what a signer outside
 * throws.
 */
export async function signMessage(authority: AuthorityKey, message: Uint8Array): Promise<Buffer> {
  const { name, hash, scalarBytes, isQuick = false } = schemeOf(authority);
  if (!(authority.signer instanceof KeyObject)) return authority.signer.sign(authority, message);
  const key: Key = { key: authority.signer, dsaEncoding };
  const raw = isQuick ? sign(hash, message, key) : await signAside(hash, message, key);
  const value =
    scalarBytes === undefined
      ? raw
      : Buffer.concat([encodeMpint(raw.subarray(0, scalarBytes)), encodeMpint(raw.subarray(scalarBytes))]);
  return Buffer.concat([encodeString(name), encodeString(value)]);
}

/**
 * Returns whether a signature in wire form was made by the key over the message; false for a malformed signature too. RSA keys of
 * hosts may also sign with SHA-256, as agents do (RFC 8332). Throws if the key's algorithm is not supported.
 */
export async function verifyMessage(key: VerifyingKey, message: Uint8Array, signature: Uint8Array): Promise<boolean> {
  const own = schemeOf(key);
  const scheme = key.algorithm === 'ssh-rsa' && schemeNamedIn(signature) === rsaSha256.name ? rsaSha256 : own;
  const raw = rawSignature(scheme, signature);
  if (raw === null) return false;
  const verifying: Key = { key: key.publicKey, dsaEncoding };
  return scheme.isQuick
    ? verify(scheme.hash, message, verifying, raw)
    : verifyAside(scheme.hash, message, verifying, raw);
}

/**
 * Returns whether a signature that was made outside is one that an authority makes: of the key, over the message, and by the scheme that
 * clients accept. Agents fall back to SHA-1 with RSA (measured).
 */
export async function isAuthoritySignature(
  key: VerifyingKey,
  message: Uint8Array,
  signature: Uint8Array,
): Promise<boolean> {
  return schemeNamedIn(signature) === schemeOf(key).name && (await verifyMessage(key, message, signature));
}

/** Returns the name of the scheme in a signature in wire form; null if the name cannot be read. */
export function schemeNamedIn(signature: Uint8Array): string | null {
  try {
    return new WireReader(signature).readString().toString('latin1');
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

interface Key {
  readonly key: KeyObject;
  readonly dsaEncoding: typeof dsaEncoding;
}

function signAside(hash: string | null, message: Uint8Array, key: Key): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    sign(hash, message, key, (error, signature) => (error === null ? resolve(signature) : reject(error)));
  });
}

function verifyAside(hash: string | null, message: Uint8Array, key: Key, signature: Buffer): Promise<boolean> {
  return new Promise((resolve, reject) => {
    verify(hash, message, key, signature, (error, isGenuine) => (error === null ? resolve(isGenuine) : reject(error)));
  });
}

/** Decodes the wire form. Null if the scheme is another one, a number is not in its canonical form, or bytes are left over. */
function rawSignature({ name, scalarBytes }: Scheme, signature: Uint8Array): Buffer | null {
  try {
    const outer = new WireReader(signature);
    if (outer.readString().toString('latin1') !== name) return null;
    const value = outer.readString();
    outer.expectEnd();
    if (scalarBytes === undefined) return value;
    const inner = new WireReader(value);
    const scalars = [inner.readString(), inner.readString()];
    inner.expectEnd();
    return Buffer.concat(scalars.map((mpint) => toFixedLength(mpint, scalarBytes)));
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** Pads a number to a fixed length. Throws RangeError if it is too long or is not a canonical mpint. */
function toFixedLength(mpint: Buffer, bytes: number): Buffer {
  if (!encodeMpint(mpint).subarray(4).equals(mpint)) throw new RangeError('a number of the signature is not an mpint');
  const digits = mpint[0] === 0 ? mpint.subarray(1) : mpint;
  return Buffer.concat([Buffer.alloc(bytes - digits.length), digits]); // RangeError if the number is too long
}

function schemeOf({ algorithm }: Pick<AuthorityKey, 'algorithm'>): Scheme {
  const scheme = schemeByKeyAlgorithm.get(algorithm);
  if (scheme === undefined) throw new Error(`no signature scheme for a key of algorithm ${algorithm}`);
  return scheme;
}
