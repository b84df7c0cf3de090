// The form of tokens: API keys, and those that enroll hosts. Pure.

import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { SallyportError } from './errors.ts';

/** Random bytes in a token: 256 bits. */
export const tokenBytes = 32;

/** What each kind of token begins with. It lets secret scanners find one that leaked into text, without asking this server. */
export const tokenPrefixes = { apiKey: 'sallyport_', enrollment: 'sshet_' } as const;

const form = /^([\w-]{43})([0-9a-f]{8})$/;

/** Writes random bytes as a token: prefix, the bytes in base64url, and their CRC-32 in hexadecimal. */
export function formatToken(random: Uint8Array, kind: keyof typeof tokenPrefixes = 'apiKey'): string {
  const body = Buffer.from(random).toString('base64url');
  return `${tokenPrefixes[kind]}${body}${checksum(body)}`;
}

/**
 * Tells whether text can be the token of an API key. One that carries our prefix must have our form and checksum, so
 * that a mistyped token costs no look-up; any other text may be a key that the operator chose.
 */
export function canBeToken(text: string): boolean {
  return !text.startsWith(tokenPrefixes.apiKey) || hasForm(text, 'apiKey');
}

/** Tells whether text is meant as a token that enrolls hosts: by how it begins, whatever follows. */
export function isMeantForEnrollment(text: string): boolean {
  return text.startsWith(tokenPrefixes.enrollment);
}

/** Tells whether text has the form and the checksum of a token that enrolls hosts. */
export function isEnrollmentToken(text: string): boolean {
  return isMeantForEnrollment(text) && hasForm(text, 'enrollment');
}

/** Makes the error for a token that enrolls no hosts. */
export function unknownEnrollmentToken(): SallyportError {
  return new SallyportError('UNAUTHENTICATED', 'The enrollment token is unknown or was deleted.');
}

function hasForm(text: string, kind: keyof typeof tokenPrefixes): boolean {
  const [, body = '', sum] = form.exec(text.slice(tokenPrefixes[kind].length)) ?? [];
  return checksum(body) === sum;
}

/** Hashes a token for storage. With 256 random bits a plain SHA-256 cannot be searched; a slow hash would only cost. */
export function hashToken(token: string): string {
  return hash('sha256', token, 'hex');
}

function checksum(body: string): string {
  return crc32(body).toString(16).padStart(8, '0');
}
