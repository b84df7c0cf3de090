// What `domain/values/json.ts` promises: that a value that passes comes back as it was sent.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkJson } from '../../src/domain/values/json.ts';

const check = (value: unknown) => checkJson('config', value, 3, 12);

describe('checkJson', () => {
  it('passes whatever JSON writes and reads again without a change', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'grapheme', maxDepth: 5 }), (value) => {
        fc.pre(!JSON.stringify(value).includes('\\u0000'));
        expect(() => checkJson('config', value, 10, 1000)).not.toThrow();
      }),
    );
  });

  it.each([
    ['an object with a key like a method', JSON.parse('{"__proto__":{"toString":1}}')],
    ['the deepest value', { a: [{}] }],
    ['the longest text and key', { [`${'ü'.repeat(6)}`]: 'x'.repeat(12) }],
    ['the largest whole number', Number.MAX_SAFE_INTEGER],
    ['a fraction', 0.1],
  ])('ok/%s', (_, value) => {
    expect(() => check(value)).not.toThrow();
  });

  it.each([
    ['a deeper value', { a: [{ b: [] }] }, 'must not nest deeper than 3 levels.'],
    ['a longer text', ['x'.repeat(13)], 'must be at most 12 bytes of UTF-8; it has 13.'],
    ['a longer key', { [`${'ü'.repeat(7)}`]: 1 }, 'must be at most 12 bytes of UTF-8; it has 14.'],
    ['NUL in a text', ['\u0000'], 'must not contain the NUL character (U+0000).'],
    ['NUL in a key', { '\u0000': 1 }, 'must not contain the NUL character (U+0000).'],
    ['NUL beneath __proto__', JSON.parse('{"__proto__":"\\u0000"}'), 'must not contain the NUL character (U+0000).'],
    ['ill-formed text', ['\udc00'], 'must be well-formed Unicode; it contains an unpaired surrogate.'],
  ])('refuses %s', (_, value, message) => {
    expect(() => check(value)).toThrow(expect.objectContaining({ code: 'INVALID_INPUT', field: 'config', message }));
  });
});
