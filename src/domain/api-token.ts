// The form of API tokens. Pure.

import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** Random bytes in a token: 256 bits. */
export const tokenBytes = 32;

/** Lets secret scanners find a token that leaked into text, without asking this server. */
const prefix = 'sallyport_';
const form = /^sallyport_([\w-]{43})([0-9a-f]{8})$/;

/** Writes random bytes as a token: prefix, the bytes in base64url, and their CRC-32 in hexadecimal. */
export function formatToken(random: Uint8Array): string {
  const body = Buffer.from(random).toString('base64url');
  return `${prefix}${body}${checksum(body)}`;
}

/**
 * Tells whether text can be a token of this server. One that carries our prefix must have our form and checksum, so
 * that a mistyped token costs no look-up; any other text may be a key that the operator chose.
 */
export function canBeToken(text: string): boolean {
  if (!text.startsWith(prefix)) return true;
  const [, body = '', sum] = form.exec(text) ?? [];
  return checksum(body) === sum;
}

/** Hashes a token for storage. With 256 random bits a plain SHA-256 cannot be searched; a slow hash would only cost. */
export function hashToken(token: string): string {
  return hash('sha256', token, 'hex');
}

function checksum(body: string): string {
  return crc32(body).toString(16).padStart(8, '0');
}
