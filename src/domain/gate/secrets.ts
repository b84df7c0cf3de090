// The secrets that browsers carry: random text, of which only the SHA-256 is stored. Pure.

import { hash } from 'node:crypto';

/** Makes a secret out of random bytes: 16 of them are 22 characters, 32 are 43. */
export function newSecret(randomBytes: (size: number) => Uint8Array, bytes: 16 | 32): string {
  return Buffer.from(randomBytes(bytes)).toString('base64url');
}

/**
 * Hashes a secret: with 128 random bits, a plain SHA-256 cannot be searched. Also shortens what may be longer than an index can hold,
 * such as a NameID.
 */
export function hashOf(text: string): string {
  return hash('sha256', text, 'hex');
}
