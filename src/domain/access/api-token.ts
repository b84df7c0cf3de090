// The form of tokens: API keys and enrollment tokens. Pure.

import { crc32 } from 'node:zlib';
import { SallyportError } from '../errors.ts';

/** Random bytes in a token: 256 bits. */
export const tokenBytes = 32;

/** The prefix of each kind of token. It lets secret scanners find a leaked token in text without asking this server. */
const tokenPrefixes = { apiKey: 'sallyport_', enrollment: 'sshet_' } as const;

const form = /^([\w-]{43})([0-9a-f]{8})$/;

/** Formats random bytes as a token: the prefix, the bytes in base64url, and the CRC-32 of that text in hexadecimal. */
export function formatToken(random: Uint8Array, kind: keyof typeof tokenPrefixes = 'apiKey'): string {
  const body = Buffer.from(random).toString('base64url');
  return `${tokenPrefixes[kind]}${body}${checksum(body)}`;
}

/**
 * Returns whether text can be an API key. Text with our prefix must have our form and checksum, so that a mistyped key costs no
 * lookup; any other text may be a key that the operator chose.
 */
export function canBeToken(text: string): boolean {
  return !text.startsWith(tokenPrefixes.apiKey) || hasForm(text, 'apiKey');
}

/** Returns whether text starts like an enrollment token, whatever follows. */
export function isMeantForEnrollment(text: string): boolean {
  return text.startsWith(tokenPrefixes.enrollment);
}

/** Returns whether text has the form and checksum of an enrollment token. */
export function isEnrollmentToken(text: string): boolean {
  return isMeantForEnrollment(text) && hasForm(text, 'enrollment');
}

/** Creates the error for an unknown enrollment token. */
export function unknownEnrollmentToken(): SallyportError {
  return new SallyportError('UNAUTHENTICATED', 'The enrollment token is unknown or was deleted.');
}

function hasForm(text: string, kind: keyof typeof tokenPrefixes): boolean {
  const [, body = '', sum] = form.exec(text.slice(tokenPrefixes[kind].length)) ?? [];
  return checksum(body) === sum;
}

function checksum(body: string): string {
  return crc32(body).toString(16).padStart(8, '0');
}
