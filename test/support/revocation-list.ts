// Reads key revocation lists as OpenSSH does.

import { expect } from 'vitest';

/** A key revocation list. */
export interface RevocationList {
  readonly version: bigint;
  readonly generated: string;
  /** The revoked serials, by the base64 of the authority's public key. */
  readonly sections: ReadonlyMap<string, bigint[]>;
}

/**
 * Fetches a list as any client does, without headers of the API, and parses it by PROTOCOL.krl, limited to what we write: sections
 * with one list of serials each.
 */
export async function fetchRevocationList(url: string): Promise<RevocationList> {
  const answer = await fetch(url);
  expect(answer.status).toBe(200);
  const bytes = Buffer.from(await answer.arrayBuffer());
  expect(bytes.subarray(0, 12)).toEqual(Buffer.from('SSHKRL\n\0\0\0\0\x01', 'latin1'));
  expect(bytes.subarray(28, 44)).toEqual(Buffer.alloc(16)); // flags, reserved, comment
  const sections = new Map<string, bigint[]>();
  for (let at = 44; at < bytes.length; ) {
    expect(bytes[at]).toBe(1); // certificates
    const section = bytes.subarray(at + 5, at + 5 + bytes.readUInt32BE(at + 1));
    at += 5 + section.length;
    const keyBytes = section.readUInt32BE(0);
    const key = section.subarray(4, 4 + keyBytes).toString('base64');
    const rest = section.subarray(4 + keyBytes);
    expect(rest.subarray(0, 5)).toEqual(Buffer.from([0, 0, 0, 0, 0x20])); // reserved, list of serials
    const list = rest.subarray(9, 9 + rest.readUInt32BE(5));
    expect(list.length).toBe(rest.length - 9);
    const serials = Array.from({ length: list.length / 8 }, (_, index) => list.readBigUInt64BE(index * 8));
    sections.set(key, serials);
  }
  return {
    version: bytes.readBigUInt64BE(12),
    generated: new Date(Number(bytes.readBigUInt64BE(20)) * 1000).toISOString(),
    sections,
  };
}
