// The form of the tokens that providers sign (RFC 7515). Pure.

import { isJsonObject } from '../values/json.ts';

export type Claims = Readonly<Record<string, unknown>>;

/** Asymmetric algorithms: with any other, whoever can verify a token could also make one. */
export const algorithms: readonly string[] = ['RS', 'PS', 'ES'].flatMap((kind) =>
  [256, 384, 512].map((size) => `${kind}${size}`),
);

/** Most characters of a `sub` or a `sid` (OpenID Connect Core, section 2), which are ASCII. */
const nameForm = /^[\x20-\x7E]{1,255}$/;

/** Returns whether a value is an identifier that a provider may give to a user or a session. */
export function isIdentifier(value: unknown): value is string {
  return typeof value === 'string' && nameForm.test(value) && value.trim() !== '';
}

/** Reads the header of a token, whose signature may be wrong; empty if it is none. */
export function readHeader(token: string): Claims {
  return readPart(token, 0) ?? {};
}

/** Reads a part of a token, whose signature may be wrong: its header or its claims; null if it is not JSON of an object. */
export function readPart(token: string, index: 0 | 1): Claims | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(token.split('.', 3)[index] ?? '', 'base64url').toString());
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}
