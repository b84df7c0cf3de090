// Functions that remember their results: the same results as without, for less work.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { remembering } from '../../src/domain/concurrency/remember.ts';
import { runs } from '../support/runs.ts';

/** Remembers the lengths of texts, and records the texts whose length was computed. */
function remember(max: number) {
  const worked: string[] = [];
  const lengthOf = remembering((text) => {
    worked.push(text);
    return text.length;
  }, max);
  return { worked, lengthOf };
}

test('a text is worked out once', () => {
  const { worked, lengthOf } = remember(6);
  expect(['a', 'bb', 'a', 'bb', ''].map(lengthOf)).toEqual([1, 2, 1, 2, 0]);
  expect(worked).toEqual(['a', 'bb', '']);
});

test('what is asked for again and again outlives any number of others, which are forgotten', () => {
  const { worked, lengthOf } = remember(4);
  for (const other of ['b', 'c', 'd', 'e', 'f', 'b']) ['a', other].map(lengthOf);
  expect(worked).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'b']);
});

test('a long text is worked out each time', () => {
  const { worked, lengthOf } = remember(2);
  const [longest, longer] = ['a'.repeat(256), 'a'.repeat(257)];
  for (const text of [longest, longer, longest, longer]) lengthOf(text);
  expect(worked.map(({ length }) => length)).toEqual([256, 257, 257]);
});

test('nothing is an answer, too', () => {
  let asked = 0;
  const nothing = remembering(() => {
    asked += 1;
    return null;
  }, 2);
  expect([nothing('a'), nothing('a'), asked]).toEqual([null, null, 1]);
});

test('no text is taken for another one, whatever characters it has', () => {
  const same = remembering((text) => text, 50);
  // Halves of a surrogate pair, the character that UTF-8 makes of them, and letters that differ from others in one byte.
  const character = fc.constantFrom('\ud800', '\udc00', '\ufffd', 'A', '\u0141', '\u00c1', '"', '\\', '\0', 'é');
  fc.assert(
    fc.property(fc.array(character, { maxLength: 4 }), (characters) => {
      expect(same(characters.join(''))).toBe(characters.join(''));
    }),
    { numRuns: runs(1_000) },
  );
});
