// OpenSSH key revocation lists (PROTOCOL.krl): the file that tells clients which certificates to refuse. No I/O, no clock;
// imports only the wire types.

import { encodeString, encodeUint32, encodeUint64 } from '../keys/wire.ts';

export interface KeyRevocationList {
  /** At most one for each authority. */
  readonly sections: readonly RevokedCertificates[];
  /** Version number of the list; must increase with each change. */
  readonly version: bigint;
  readonly generatedAt: Date;
}

/** Revoked certificates of one authority, by their serials. */
export interface RevokedCertificates {
  /** Public key of the authority, in wire form. */
  readonly authorityBlob: Uint8Array;
  /**
   * Serials of the revoked certificates, 1..2^64-1, in any order; repeats do no harm. A `BigUint64Array` is written as it is, so
   * it must be in ascending order and without repeats.
   */
  readonly serials: Iterable<bigint>;
}

const magic = 'SSHKRL\n\0';
const formatVersion = 1;
const certificatesSection = Buffer.of(1); // KRL_SECTION_CERTIFICATES
const serialListSection = Buffer.of(0x20); // KRL_SECTION_CERT_SERIAL_LIST
const noFlags = 0n;

/**
 * Serializes the list for `RevokedHostKeys` and `ssh-keygen -Q`. Without serials it consists of the header and revokes nothing.
 * It is not signed: OpenSSH from 9.4 on refuses signed lists.
 *
 * Throws RangeError for a serial out of range: a 0 would make clients reject the whole file and refuse every host.
 */
export function writeKeyRevocationList({ sections, version, generatedAt }: KeyRevocationList): Buffer {
  const header = Buffer.concat([
    Buffer.from(magic),
    encodeUint32(formatVersion),
    encodeUint64(version),
    encodeUint64(BigInt(Math.floor(generatedAt.getTime() / 1000))),
    encodeUint64(noFlags),
    encodeString(''), // reserved
    encodeString(''), // comment
  ]);
  return Buffer.concat([header, ...sections.flatMap(writeSection)]);
}

/** Serializes the section of an authority; returns nothing if it has no revoked certificates. */
function writeSection({ authorityBlob, serials }: RevokedCertificates): Buffer[] {
  const sorted = serials instanceof BigUint64Array ? serials.slice() : sortedSerials(serials);
  if (sorted[0] === 0n) throw outOfRange();
  if (sorted.length === 0) return [];
  const list = Buffer.from(sorted.buffer, sorted.byteOffset, sorted.byteLength);
  if (isLittleEndian) list.swap64();
  const reserved = encodeString('');
  const section = Buffer.concat([encodeString(authorityBlob), reserved, serialListSection, encodeString(list)]);
  return [certificatesSection, encodeString(section)];
}

const isLittleEndian = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;

function sortedSerials(serials: Iterable<bigint>): BigUint64Array {
  const unique = new Set(serials);
  for (const serial of unique) {
    if (serial < 0n || serial >= 2n ** 64n) throw outOfRange();
  }
  return BigUint64Array.from(unique).sort(); // numerically, unlike the sort of a plain array
}

function outOfRange(): RangeError {
  return new RangeError('a revocation list names serials from 1 to 2^64-1');
}
