// The secrets that browsers carry: random text, of which only the SHA-256 is kept. Pure.

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

/**
 * Makes what hashes the secrets that come with every request, as `hashOf`, and remembers those of the last ones: to hash takes as
 * long as half of a decision. A hash tells nothing of whether a session lasts.
 *
 * @param max how many are remembered. With one more, all are forgotten: whoever makes up thousands has all others hashed again, once
 */
export function createHashing(max: number): (secret: string) => string {
  const hashes = new Map<string, string>();
  return (secret) => {
    const known = hashes.get(secret);
    if (known !== undefined) return known;
    const hashed = hashOf(secret);
    if (hashes.size >= max) hashes.clear();
    // A copy: V8 keeps all of a header for a piece of it.
    hashes.set(Buffer.from(secret, 'latin1').toString('latin1'), hashed);
    return hashed;
  };
}
