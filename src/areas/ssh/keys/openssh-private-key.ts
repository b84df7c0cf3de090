// OpenSSH's own private key format (PROTOCOL.key in its sources). Parsed here because sshpk reads wrong numbers from RSA keys and
// writes ed25519 keys in a form that OpenSSL cannot read (measured). No I/O; may import only bcrypt-pbkdf, node:crypto and its
// neighbours on this floor.

import { createDecipheriv, createPrivateKey, type Decipher, type JsonWebKey, type KeyObject } from 'node:crypto';
import bcrypt from 'bcrypt-pbkdf';
import { WireReader } from './wire.ts';

/** Why a key cannot be read. */
export type UnreadableKey = 'damaged' | 'wrong passphrase' | 'security key' | 'unsupported';

/** A private key cannot be read. The error contains nothing of the key. */
export class UnreadableKeyError extends Error {
  readonly reason: UnreadableKey;

  /** @param detail says what is not supported */
  constructor(reason: UnreadableKey, detail = '') {
    super(detail);
    this.reason = reason;
  }
}

interface Cipher {
  /** Its name in OpenSSL. */
  readonly name: string;
  readonly keyBytes: number;
  readonly ivBytes: number;
  readonly blockBytes: number;
  readonly tagBytes: number;
  /** The initialization vector, if it is not derived from the passphrase. */
  readonly iv?: Buffer;
}

const aes = (bits: 128 | 192 | 256, mode: 'cbc' | 'ctr' | 'gcm'): Cipher => ({
  name: `aes-${bits}-${mode}`,
  keyBytes: bits / 8,
  ivBytes: mode === 'gcm' ? 12 : 16,
  blockBytes: 16,
  tagBytes: mode === 'gcm' ? 16 : 0,
});
// As OpenSSH names them (cipher.c). The first is the default of `ssh-keygen`.
const ciphers: ReadonlyMap<string, Cipher> = new Map([
  ['aes256-ctr', aes(256, 'ctr')],
  ['aes192-ctr', aes(192, 'ctr')],
  ['aes128-ctr', aes(128, 'ctr')],
  ['aes256-cbc', aes(256, 'cbc')],
  ['aes192-cbc', aes(192, 'cbc')],
  ['aes128-cbc', aes(128, 'cbc')],
  ['aes256-gcm@openssh.com', aes(256, 'gcm')],
  ['aes128-gcm@openssh.com', aes(128, 'gcm')],
  // Of its two keys, only the first one encrypts the payload, from block 1 on: block 0 is the key of the tag. The tag is not
  // checked: a wrong key does not yield two equal check numbers, and a damaged private key does not match the public one.
  [
    'chacha20-poly1305@openssh.com',
    {
      name: 'chacha20',
      keyBytes: 64,
      ivBytes: 0,
      blockBytes: 8,
      tagBytes: 16,
      iv: Buffer.from([1, ...Array(15).fill(0)]),
    },
  ],
]);

/** Most rounds of key derivation: 2,000 times the 16 of `ssh-keygen` (24 since OpenSSH 9.4). A damaged count could take days. */
const roundsMax = 32_000;
const magic = Buffer.from('openssh-key-v1\0');

/** The parsed container, as far as it can be read without the passphrase. */
interface Container {
  readonly cipherName: string;
  readonly kdfName: string;
  readonly kdfOptions: Buffer;
  readonly publicBlob: Buffer;
  readonly secret: Buffer;
  readonly tag: Buffer;
}

export interface OpenSshPrivateKey {
  readonly privateKey: KeyObject;
  /** The public key stored beside the private one. The caller must check that the two belong together. */
  readonly publicBlob: Buffer;
}

/** Returns whether a key in OpenSSH's format is encrypted. Throws `UnreadableKeyError`. */
export function isEncryptedOpenSshKey(bytes: Uint8Array): boolean {
  return readContainer(bytes).cipherName !== 'none';
}

/**
 * Parses a private key in OpenSSH's format.
 *
 * @param bytes the decoded base64 between the first and the last line
 * @param passphrase ignored if the key is not encrypted
 * @throws UnreadableKeyError
 */
export function parseOpenSshPrivateKey(bytes: Uint8Array, passphrase: string): OpenSshPrivateKey {
  const container = readContainer(bytes);
  const { publicBlob } = container;
  const algorithm = reading(() => new WireReader(publicBlob).readString().toString('latin1'));
  // The file of a security key holds only a handle: the key itself is in the device.
  if (/^sk-/.test(algorithm)) throw new UnreadableKeyError('security key');
  const privateKey = reading(() => readSecret(container, decrypt(container, passphrase)));
  return { privateKey, publicBlob };
}

function readContainer(bytes: Uint8Array): Container {
  return reading(() => {
    if (!magic.equals(bytes.subarray(0, magic.length))) throw new UnreadableKeyError('damaged');
    const inner = bytes.subarray(magic.length);
    const reader = new WireReader(inner);
    const cipherName = reader.readString().toString('latin1');
    const kdfName = reader.readString().toString('latin1');
    const kdfOptions = reader.readString();
    if (reader.readUint32() !== 1) throw new UnreadableKeyError('unsupported', 'it holds several keys');
    const publicBlob = reader.readString();
    const secret = reader.readString();
    return { cipherName, kdfName, kdfOptions, publicBlob, secret, tag: Buffer.from(inner.subarray(reader.offset)) };
  });
}

function decrypt({ cipherName, kdfName, kdfOptions, secret, tag }: Container, passphrase: string): Buffer {
  if (cipherName === 'none') {
    if (kdfName !== 'none' || tag.length > 0 || secret.length % 8 !== 0) throw new UnreadableKeyError('damaged');
    return secret;
  }
  const cipher = ciphers.get(cipherName);
  if (cipher === undefined || kdfName !== 'bcrypt') {
    throw new UnreadableKeyError(
      'unsupported',
      `it is encrypted by ${printable(cipherName)} and ${printable(kdfName)}`,
    );
  }
  const { name, keyBytes, ivBytes, blockBytes, tagBytes, iv } = cipher;
  if (tag.length !== tagBytes || secret.length % blockBytes !== 0) throw new UnreadableKeyError('damaged');
  const derived = deriveKey(kdfOptions, passphrase, keyBytes + ivBytes);
  // OpenSSL's chacha20 takes the first of the two keys; every other cipher takes the whole.
  const key = derived.subarray(0, iv === undefined ? keyBytes : 32);
  const decipher = createDecipher(name, key, iv ?? derived.subarray(keyBytes), tag);
  try {
    return Buffer.concat([decipher.update(secret), decipher.final()]);
  } catch {
    throw new UnreadableKeyError('wrong passphrase');
  }
}

function createDecipher(name: string, key: Buffer, iv: Buffer, tag: Buffer): Decipher {
  if (name === 'aes-256-gcm' || name === 'aes-128-gcm') {
    return createDecipheriv(name, key, iv, { authTagLength: tag.length }).setAuthTag(tag);
  }
  // OpenSSH uses its own padding.
  return createDecipheriv(name, key, iv).setAutoPadding(false);
}

function deriveKey(kdfOptions: Buffer, passphrase: string, bytes: number): Buffer {
  const options = new WireReader(kdfOptions);
  const salt = options.readString();
  const rounds = options.readUint32();
  options.expectEnd();
  if (rounds < 1 || salt.length === 0) throw new UnreadableKeyError('damaged');
  if (rounds > roundsMax)
    throw new UnreadableKeyError('unsupported', `its passphrase takes ${rounds} rounds, of at most ${roundsMax}`);
  const password = Buffer.from(passphrase);
  const derived = Buffer.alloc(bytes);
  // bcrypt-pbkdf rejects an empty passphrase, and OpenSSH never uses one.
  if (password.length === 0) throw new UnreadableKeyError('wrong passphrase');
  if (bcrypt.pbkdf(password, password.length, salt, salt.length, derived, derived.length, rounds) !== 0) {
    throw new UnreadableKeyError('damaged');
  }
  return derived;
}

function readSecret({ cipherName }: Container, secret: Buffer): KeyObject {
  const reader = new WireReader(secret);
  // The same random number twice: this is how OpenSSH recognises that the passphrase was right.
  const [first, second] = [reader.readUint32(), reader.readUint32()];
  if (first !== second) {
    throw new UnreadableKeyError(cipherName === 'none' ? 'damaged' : 'wrong passphrase');
  }
  const key = createPrivateKey({ key: readNumbers(reader), format: 'jwk' });
  reader.readString(); // comment
  const padding = secret.subarray(reader.offset);
  if (padding.some((byte, index) => byte !== ((index + 1) & 0xff))) throw new UnreadableKeyError('damaged');
  return key;
}

const curves: ReadonlyMap<string, { crv: string; bytes: number }> = new Map([
  ['ecdsa-sha2-nistp256', { crv: 'P-256', bytes: 32 }],
  ['ecdsa-sha2-nistp384', { crv: 'P-384', bytes: 48 }],
  ['ecdsa-sha2-nistp521', { crv: 'P-521', bytes: 66 }],
]);

/** Reads the numbers of a key as a JSON Web Key, a form that OpenSSL accepts (RFC 7517, RFC 8037). */
function readNumbers(reader: WireReader): JsonWebKey {
  const algorithm = reader.readString().toString('latin1');
  if (algorithm === 'ssh-ed25519') {
    const x = reader.readString();
    const seedAndPublic = reader.readString();
    if (x.length !== 32 || seedAndPublic.length !== 64) throw new UnreadableKeyError('damaged');
    return { kty: 'OKP', crv: 'Ed25519', x: base64url(x), d: base64url(seedAndPublic.subarray(0, 32)) };
  }
  if (algorithm === 'ssh-rsa') return readRsaNumbers(reader);
  const curve = curves.get(algorithm);
  if (curve === undefined) throw new UnreadableKeyError('unsupported', `it is of type ${printable(algorithm)}`);
  reader.readString(); // the curve again
  const point = reader.readString();
  const d = magnitude(reader.readString());
  const { crv, bytes } = curve;
  // Uncompressed (SEC 1, section 2.3.3), the only form that OpenSSH writes.
  if (point.length !== 1 + 2 * bytes || point[0] !== 4 || d.length > bytes) throw new UnreadableKeyError('damaged');
  const [x, y] = [point.subarray(1, 1 + bytes), point.subarray(1 + bytes)];
  return {
    kty: 'EC',
    crv,
    x: base64url(x),
    y: base64url(y),
    d: base64url(Buffer.concat([Buffer.alloc(bytes - d.length), d])),
  };
}

function readRsaNumbers(reader: WireReader): JsonWebKey {
  const next = () => magnitude(reader.readString());
  const [n, e, d, qi, p, q] = [next(), next(), next(), next(), next(), next()];
  const [secret, primeP, primeQ] = [toNumber(d), toNumber(p), toNumber(q)];
  if (primeP < 3n || primeQ < 3n || primeP * primeQ !== toNumber(n)) throw new UnreadableKeyError('damaged');
  // OpenSSH leaves out these two, which follow from the others (RFC 8017, section 3.2).
  const dp = secret % (primeP - 1n);
  const dq = secret % (primeQ - 1n);
  const numbers = Object.entries({ n, e, d, p, q, qi, dp: toBytes(dp), dq: toBytes(dq) });
  return { kty: 'RSA', ...Object.fromEntries(numbers.map(([name, bytes]) => [name, base64url(bytes)])) };
}

/** Returns the bytes of an mpint without its padding. Throws if it is negative. */
function magnitude(mpint: Buffer): Buffer {
  if ((mpint[0] ?? 0) >= 0x80) throw new UnreadableKeyError('damaged');
  return mpint[0] === 0 ? mpint.subarray(1) : mpint;
}

function toNumber(bytes: Buffer): bigint {
  return bytes.length === 0 ? 0n : BigInt(`0x${bytes.toString('hex')}`);
}

function toBytes(number: bigint): Buffer {
  const digits = number.toString(16);
  return Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, 'hex');
}

function base64url(bytes: Buffer): string {
  return bytes.toString('base64url');
}

/** Returns a name from the file if it is harmless to print, and a placeholder otherwise. */
function printable(name: string): string {
  return /^[\w.@-]{1,64}$/.test(name) ? name : 'something unknown';
}

/** Runs `read`, and reports data that ends too early or that OpenSSL rejects as damaged. OpenSSL's message is left out. */
function reading<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof UnreadableKeyError ? error : new UnreadableKeyError('damaged');
  }
}
