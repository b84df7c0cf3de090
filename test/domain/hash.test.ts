// The hash under which secrets are stored.

import { expect, test } from 'vitest';
import { hashOf } from '../../src/domain/values/hash.ts';

test('hashOf is the SHA-256 in hexadecimal', () => {
  // FIPS 180-4, example "abc".
  expect(hashOf('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});
