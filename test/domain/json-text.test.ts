// What `domain/values/json-text.ts` promises: that JSON is read as `JSON.parse` reads it, unless that would be costly or inexact.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isKeptNumber, readJson } from '../../src/domain/values/json-text.ts';
import { runs } from '../support/runs.ts';

const read = (text: string) => readJson('The body', text);
const list = (count: number, item: (index: number) => string) =>
  `[${Array.from({ length: count }, (_, i) => item(i))}]`;

describe('readJson', () => {
  it('reads whatever JSON writes, in any layout', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.constantFrom(0, 1, '\t'), (value, space) => {
        const text = JSON.stringify(value, null, space);
        expect(read(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  it('never reads what JSON.parse does not', () => {
    const piece = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"',
      '\\',
      'a',
      'true',
      'null',
      '1',
      '-',
      '.',
      'e',
      ' ',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = pieces.join('');
        const readBy = (parse: (text: string) => unknown) => {
          try {
            return JSON.stringify(parse(text));
          } catch {
            return 'refused';
          }
        };
        const own = readBy(read);
        if (own !== 'refused') expect(own).toBe(readBy(JSON.parse));
        else if (!/\d/.test(text)) expect(readBy(JSON.parse)).toBe('refused');
      }),
      { numRuns: runs(3_000) },
    );
  });

  it.each([
    ['131,072 numbers', list(131_072, () => '1')],
    ['4,000 actions that write to a log', list(4_000, () => '{"type":"log","config":{"metadata":{"a":"b"}}}')],
    ['18,000 numbers of 17 digits', list(18_000, (i) => `${0.1 + i / 7}`)],
    ['3,000 different keys, many times over', list(9_000, (i) => `{"a${i % 3_000}":1}`)],
    ['64 levels', '['.repeat(64) + ']'.repeat(64)],
    ['brackets in a text', `"${'['.repeat(100)}\\"${'{'.repeat(100)}\\\\"`],
    ['a text that ends the body', '"'.padEnd(1000, 'x').concat('"')],
    ['a number of a megabyte that is 1', `1.${'0'.repeat(1_000_000)}`],
  ])('reads %s', (_, text) => {
    expect(read(text)).toEqual(JSON.parse(text));
  });

  it.each([
    ['65 levels', '['.repeat(65) + ']'.repeat(65), 'BODY_TOO_DEEP', 'The body must not nest deeper than 64 levels.'],
    ['a number that is rounded', '{"a":[1,9007199254740993]}', 'INVALID_INPUT', rounded(8)],
    ['a zero with a sign', '{"a":-0}', 'INVALID_INPUT', rounded(5)],
    ['150,001 numbers', list(150_001, () => '1'), 'BODY_TOO_LARGE', tooMany],
    ['75,000 strings', list(75_000, () => '""'), 'BODY_TOO_LARGE', tooMany],
    ['37,500 arrays', list(37_500, () => '[]'), 'BODY_TOO_LARGE', tooMany],
    ['37,500 keys', `{${list(37_500, () => '"a":1').slice(1, -1)}}`, 'BODY_TOO_LARGE', tooMany],
    ['3,001 different keys', list(3_001, (i) => `{"a${i}":1}`), 'BODY_TOO_LARGE', tooManyKeys],
    ['19,000 numbers with exponents', list(19_000, () => '1e300'), 'BODY_TOO_LARGE', tooMany],
    ['an open text', '"\\', 'MALFORMED_BODY', 'The body is not valid JSON.'],
    ['half a number', '{"a":1.}', 'MALFORMED_BODY', 'The body is not valid JSON. Reading stopped at position 7.'],
    ['text that is a secret', 'hush', 'MALFORMED_BODY', 'The body is not valid JSON.'],
  ])('refuses %s', (_, text, code, message) => {
    expect(() => read(text)).toThrow(expect.objectContaining({ code, message }));
  });
});

function rounded(position: number): string {
  return `The body holds a number at position ${position} that a double cannot keep exactly. Send it as text.`;
}

const tooManyKeys = 'The body must hold at most 3000 different keys.';
const tooMany =
  'The body must hold at most 150000 values. A string counts as 3 of them, an array, an object and a key as 4 each, and a ' +
  'number that is long or has an exponent as 8.';

describe('isKeptNumber', () => {
  it.each([
    ...[
      '0',
      '-1',
      '1.0',
      '1.500',
      '1e2',
      '1E+2',
      '0.1',
      '1.5e-7',
      '0e5',
      '0.0',
      '0.30000000000000004',
      '1e21',
      '5e-324',
    ],
    ...['9007199254740992', '100000000000000000000000', '1.7976931348623157e308', '123456789012345680000', '12e-1'],
  ])('ok/%s', (number) => {
    expect(isKeptNumber(number)).toBe(true);
  });

  it.each([
    ...['-0', '-0.0', '-0e1', '1e400', '-1e400', '1e-400', '-1e-400', '1.00000000000000000001', '9007199254740993'],
    ...['0.1000000000000000055', '123456789012345678', '2e-324', '1.7976931348623159e308'],
  ])('refuses %s', (number) => {
    expect(isKeptNumber(number)).toBe(false);
  });

  it('agrees with arithmetic on whole numbers', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }), (number) => {
        // A double is written as the shortest text that parses back to it.
        const written = BigInt(
          Number(number).toLocaleString('fullwide', { useGrouping: false, maximumSignificantDigits: 17 }),
        );
        if (isKeptNumber(String(number))) expect(BigInt(Number(number)) === number || written === number).toBe(true);
        if (number > -(2n ** 53n) && number < 2n ** 53n) expect(isKeptNumber(String(number))).toBe(true);
      }),
    );
  });
});
