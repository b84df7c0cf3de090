// What `domain/access/api-token.ts` promises: one form of tokens, recognised by prefix and checksum.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canBeToken, formatToken, tokenBytes } from '../../src/domain/access/api-token.ts';

const anyBytes = fc.uint8Array({ minLength: tokenBytes, maxLength: tokenBytes });
const zeros = 'sallyport_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA0c2b5986';

describe('formatToken', () => {
  test('writes prefix, 256 bits and a checksum', () => {
    expect(formatToken(new Uint8Array(tokenBytes))).toBe(zeros);
  });

  test('keeps all random bits, and makes what a header can carry', () => {
    fc.assert(
      fc.property(anyBytes, (bytes) => {
        const token = formatToken(bytes);
        expect(token).toMatch(/^sallyport_[A-Za-z0-9_-]{43}[0-9a-f]{8}$/);
        expect(Buffer.from(token.slice(10, 53), 'base64url')).toEqual(Buffer.from(bytes));
      }),
    );
  });
});

describe('canBeToken', () => {
  test('takes every token that is made', () => {
    fc.assert(fc.property(anyBytes, (bytes) => canBeToken(formatToken(bytes))));
  });

  test('refuses a token with any one character changed', () => {
    fc.assert(
      fc.property(anyBytes, fc.integer({ min: 10, max: 60 }), fc.constantFrom(...'AZaz09_-'), (bytes, place, other) => {
        const token = formatToken(bytes);
        fc.pre(token[place] !== other);
        expect(canBeToken(`${token.slice(0, place)}${other}${token.slice(place + 1)}`)).toBe(false);
      }),
    );
  });

  test.each([
    ['the prefix alone', 'sallyport_'],
    ['a character less', zeros.slice(0, -1)],
    ['a character more', `${zeros}0`],
    ['a checksum in upper case', `${zeros.slice(0, -8)}${zeros.slice(-8).toUpperCase()}`],
  ])('refuses %s', (_, text) => {
    expect(canBeToken(text)).toBe(false);
  });

  test('takes any text without the prefix: an operator may have chosen it', () => {
    expect(canBeToken('a key of twenty letters')).toBe(true);
  });
});
