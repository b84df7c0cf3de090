// OpenSSH host certificates (PROTOCOL.certkeys): from a request, through fixed stages, to the signed line. No I/O, no clock,
// no randomness; may import only node:util and this floor.

import { isDeepStrictEqual } from 'node:util';
import { invalid } from '../../../domain/errors.ts';
import { addOneYear, floorToSecond, lastMs, parseTimestamp } from '../../../domain/values/time.ts';
import type { AuthorityKey } from '../authorities/authority-key.ts';
import { formatLine, type PublicKey, parsePublicKey } from '../keys/public-key.ts';
import { signMessage, verifyMessage } from '../keys/signature.ts';
import { encodeString, encodeUint32, encodeUint64, WireReader } from '../keys/wire.ts';
import { checkPrincipals } from './principals.ts';

/** A client's request; null and undefined mean not given. Timestamps are RFC 3339 text or Date objects. */
export interface HostCertificateRequest {
  publicKey: string;
  principals?: readonly string[] | null | undefined;
  validAfter?: string | Date | null | undefined;
  validUntil?: string | Date | null | undefined;
}

/** The validity period of a certificate, in whole seconds: `validAfter <= now < validUntil`. */
export interface Validity {
  readonly validAfter: Date;
  readonly validUntil: Date;
}

/** A request that passed every check, with the defaults filled in. */
export interface CheckedHostCertificate extends Validity {
  readonly publicKey: PublicKey;
  /** Empty for a certificate that is valid for all hosts. */
  readonly principals: readonly string[];
}

/** The content of a certificate, except for its authority. */
export interface HostCertificate extends CheckedHostCertificate {
  /** The id of the resource, which names the certificate in the logs of clients. Visible ASCII only. */
  readonly keyId: string;
  /** Unique within the authority, 1..2^63-1. */
  readonly serial: bigint;
  /** 32 random bytes, which make the signed text unpredictable. */
  readonly nonce: Uint8Array;
}

/** Length of a nonce, the same as ssh-keygen's. */
export const nonceBytes = 32;

/**
 * Checks the fields of a request in order, and fills in the defaults.
 *
 * @param now the time of creation
 * @throws INVALID_INPUT as `parsePublicKey`, `checkPrincipals` and `checkValidity`
 */
export function checkHostCertificate(request: HostCertificateRequest, now: Date): CheckedHostCertificate {
  return {
    publicKey: parsePublicKey(request.publicKey),
    principals: checkPrincipals(request.principals ?? []),
    ...checkValidity(request, now),
  };
}

/**
 * Signs a certificate and returns it as the line of a `-cert.pub` file, with the key id as its comment. Before returning, the
 * signed certificate is parsed and compared with the input; a difference is a broken invariant, thrown as Error.
 */
export async function signHostCertificate(certificate: HostCertificate, authority: AuthorityKey): Promise<string> {
  const body = buildCertificate(certificate, authority.publicKeyBlob);
  const blob = Buffer.concat([body, encodeString(await signMessage(authority, body))]);
  await verifyHostCertificate(blob, certificate, authority);
  return formatLine(certificateAlgorithm(certificate.publicKey.algorithm), blob, certificate.keyId);
}

/**
 * Makes a serial from the first 8 random bytes: 63 bits, so that it fits a signed column, and never 0, which a revocation list
 * cannot contain. Throws RangeError for fewer bytes.
 */
export function serialFromRandom(random: Uint8Array): bigint {
  const serial = BigInt.asUintN(63, new WireReader(random).readUint64());
  return serial === 0n ? 1n : serial;
}

/**
 * Checks the validity period of a certificate and fills in the defaults. Both ends are rounded down to the second, because
 * certificates hold whole seconds, and a certificate whose start was rounded up would not be valid yet. Defaults (spec, "Limits"):
 * from now on, until one calendar year after creation, even if a different start is given.
 *
 * @throws INVALID_INPUT on `validAfter` or `validUntil` for text that is not RFC 3339, an instant outside the years 1970 to
 *   9999, or an end that is not after the start
 */
export function checkValidity(given: Pick<HostCertificateRequest, 'validAfter' | 'validUntil'>, now: Date): Validity {
  const validAfter = checkInstant('validAfter', given.validAfter ?? now);
  const validUntil = checkInstant('validUntil', given.validUntil ?? addOneYear(now));
  if (validUntil > validAfter) return { validAfter, validUntil };
  throw invalid(
    'validUntil',
    given.validUntil == null
      ? 'must be given if the start is a year or more ahead: the default, one year after creation, is not after it.'
      : 'must be at least one second after the start of validity, which is the time of creation if not given.',
  );
}

function checkInstant(field: string, given: string | Date): Date {
  const instant = floorToSecond(typeof given === 'string' ? parseTimestamp(field, given) : given);
  // Written so that an invalid Date, which compares false with everything, is refused too.
  if (instant.getTime() >= 0 && instant.getTime() <= lastMs) return instant;
  throw invalid(field, 'must be in the years 1970 to 9999 in UTC; a certificate cannot hold any other time.');
}

// PROTOCOL.certkeys: the type of a certificate for a host rather than a user.
const hostType = 2;

/**
 * Encodes the part of a certificate that is signed. Critical options, extensions and the reserved field are empty: there are no
 * extensions for hosts, and any critical option makes every client refuse the host.
 *
 * @throws Error for a serial, nonce or key id that breaks the rules of `HostCertificate`
 */
export function buildCertificate(certificate: HostCertificate, authorityBlob: Uint8Array): Buffer {
  checkOwnFields(certificate);
  const { publicKey, nonce, serial, keyId, principals, validAfter, validUntil } = certificate;
  return Buffer.concat([
    encodeString(certificateAlgorithm(publicKey.algorithm)),
    encodeString(nonce),
    publicKey.blob.subarray(encodeString(publicKey.algorithm).length),
    encodeUint64(serial),
    encodeUint32(hostType),
    encodeString(keyId),
    encodeString(Buffer.concat(principals.map(encodeString))),
    encodeUint64(unixSeconds(validAfter)),
    encodeUint64(unixSeconds(validUntil)),
    encodeString(''), // critical options
    encodeString(''), // extensions
    encodeString(''), // reserved
    encodeString(authorityBlob),
  ]);
}

/** Checks the fields that no client sets: a bad value is our own mistake. */
function checkOwnFields({ keyId, serial, nonce }: HostCertificate): void {
  if (!/^[\x21-\x7e]+$/.test(keyId)) throw new Error('the key id of a certificate must be visible ASCII');
  if (serial < 1n || serial >= 2n ** 63n) throw new Error('the serial of a certificate must be from 1 to 2^63-1');
  if (nonce.length !== nonceBytes) throw new Error(`the nonce of a certificate must have ${nonceBytes} bytes`);
}

/** Returns the certificate algorithm for a key algorithm. For RSA it stays `ssh-rsa-...`; only the signature names SHA-2. */
function certificateAlgorithm(keyAlgorithm: string): string {
  return `${keyAlgorithm}-cert-v01@openssh.com`;
}

function unixSeconds(instant: Date): bigint {
  return BigInt(instant.getTime() / 1000);
}

/**
 * Parses a signed certificate, compares each field with `asked`, and verifies the signature.
 *
 * @throws Error if anything differs: a bug of ours, found before a client sees it
 */
export async function verifyHostCertificate(
  blob: Uint8Array,
  asked: HostCertificate,
  authority: AuthorityKey,
): Promise<void> {
  const reader = new WireReader(blob);
  const said = readFields(reader, asked.publicKey.algorithm);
  const signed = blob.subarray(0, reader.offset);
  const signature = reader.readString();
  reader.expectEnd();
  const expected: Fields = {
    algorithm: certificateAlgorithm(asked.publicKey.algorithm),
    nonce: Buffer.from(asked.nonce),
    publicKeyBlob: asked.publicKey.blob,
    serial: asked.serial,
    type: hostType,
    keyId: asked.keyId,
    principals: [...asked.principals],
    validAfter: unixSeconds(asked.validAfter),
    validUntil: unixSeconds(asked.validUntil),
    criticalOptions: '',
    extensions: '',
    reserved: '',
    authorityBlob: authority.publicKeyBlob,
  };
  if (!isDeepStrictEqual(said, expected)) throw new Error('the signed host certificate differs from what was asked');
  if (!(await verifyMessage(authority, signed, signature))) {
    throw new Error('the signature of the host certificate does not verify with the key of its authority');
  }
}

/** The signed fields of a certificate, in the order of PROTOCOL.certkeys, with the parts of the key joined again. */
interface Fields {
  algorithm: string;
  nonce: Buffer;
  publicKeyBlob: Buffer;
  serial: bigint;
  type: number;
  keyId: string;
  principals: string[];
  validAfter: bigint;
  validUntil: bigint;
  criticalOptions: string;
  extensions: string;
  reserved: string;
  authorityBlob: Buffer;
}

function readFields(reader: WireReader, keyAlgorithm: string): Fields {
  const text = () => reader.readString().toString('utf8');
  // The properties of an object literal are evaluated from top to bottom, so the fields are read in this order.
  return {
    algorithm: text(),
    nonce: reader.readString(),
    publicKeyBlob: readPublicKey(reader, keyAlgorithm),
    serial: reader.readUint64(),
    type: reader.readUint32(),
    keyId: text(),
    principals: readStrings(reader.readString()),
    validAfter: reader.readUint64(),
    validUntil: reader.readUint64(),
    criticalOptions: text(),
    extensions: text(),
    reserved: text(),
    authorityBlob: reader.readString(),
  };
}

function readPublicKey(reader: WireReader, algorithm: string): Buffer {
  const parts = algorithm === 'ssh-ed25519' ? 1 : 2; // the point, or else exponent and modulus, or curve and point
  const strings = Array.from({ length: parts }, () => encodeString(reader.readString()));
  return Buffer.concat([encodeString(algorithm), ...strings]);
}

function readStrings(packed: Buffer): string[] {
  const reader = new WireReader(packed);
  const strings: string[] = [];
  while (reader.offset < packed.length) strings.push(reader.readString().toString('utf8'));
  return strings;
}
