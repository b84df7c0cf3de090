// The secrets that browsers carry: random text. Only its SHA-256 is stored. Pure.

import { hash } from 'node:crypto';

/** Creates a secret from random bytes: 16 bytes give 22 characters, 32 give 43. */
export function newSecret(randomBytes: (size: number) => Uint8Array, bytes: 16 | 32): string {
  return Buffer.from(randomBytes(bytes)).toString('base64url');
}

/**
 * Hashes a secret. With 128 random bits, a plain SHA-256 cannot be brute-forced. Also shortens text that may be too long for a
 * database index, such as a NameID.
 */
export function hashOf(text: string): string {
  return hash('sha256', text, 'hex');
}
