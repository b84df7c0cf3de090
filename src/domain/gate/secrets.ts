// The secrets that browsers carry: random text. Only its SHA-256 is stored. Pure.

/** Creates a secret from random bytes: 16 bytes give 22 characters, 32 give 43. */
export function newSecret(randomBytes: (size: number) => Uint8Array, bytes: 16 | 32): string {
  return Buffer.from(randomBytes(bytes)).toString('base64url');
}
