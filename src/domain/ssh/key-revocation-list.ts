// Key revocation lists of OpenSSH (its PROTOCOL.krl): the file that tells clients which certificates to refuse. No I/O,
// no clock; imports only the wire types.

import { encodeString, encodeUint32, encodeUint64 } from './wire.ts';

/** What a list says: certificates of one authority, by their serials. */
export interface KeyRevocationList {
  /** Public key of the authority, in wire form. */
  readonly authorityBlob: Uint8Array;
  /** Serials of the revoked certificates, 1..2^64-1, in any order; repeats do no harm. */
  readonly serials: Iterable<bigint>;
  /** Number of the list, to be raised with each change. */
  readonly version: bigint;
  readonly generatedAt: Date;
}

const magic = 'SSHKRL\n\0';
const formatVersion = 1;
const certificatesSection = Buffer.of(1); // KRL_SECTION_CERTIFICATES
const serialListSection = Buffer.of(0x20); // KRL_SECTION_CERT_SERIAL_LIST
const noFlags = 0n;

/**
 * Writes the list for `RevokedHostKeys` and `ssh-keygen -Q`. Without serials it has a header only, and revokes nothing.
 * It is not signed: OpenSSH from 9.4 on refuses lists with signatures.
 *
 * Throws RangeError for a serial out of range: a 0 would make clients find the whole file invalid and refuse every host.
 */
export function writeKeyRevocationList({ authorityBlob, serials, version, generatedAt }: KeyRevocationList): Buffer {
  const unique = new Set(serials);
  for (const serial of unique) {
    if (serial < 1n || serial >= 2n ** 64n) throw new RangeError('a revocation list names serials from 1 to 2^64-1');
  }
  const header = Buffer.concat([
    Buffer.from(magic),
    encodeUint32(formatVersion),
    encodeUint64(version),
    encodeUint64(BigInt(Math.floor(generatedAt.getTime() / 1000))),
    encodeUint64(noFlags),
    encodeString(''), // reserved
    encodeString(''), // comment
  ]);
  if (unique.size === 0) return header;
  const list = Buffer.alloc(unique.size * 8);
  const sorted = BigUint64Array.from(unique).sort(); // by number, unlike the sort of a plain array
  for (const [index, serial] of sorted.entries()) list.writeBigUInt64BE(serial, index * 8);
  const reserved = encodeString('');
  const section = Buffer.concat([encodeString(authorityBlob), reserved, serialListSection, encodeString(list)]);
  return Buffer.concat([header, certificatesSection, encodeString(section)]);
}
