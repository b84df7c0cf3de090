// What `domain/values/text.ts` promises: limits in bytes of UTF-8, and text that every database can hold.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SallyportError } from '../../src/domain/errors.ts';
import { checkText, notesForCreate, notesForUpdate, truncateText } from '../../src/domain/values/text.ts';

function messageOf(action: () => unknown): string | null {
  try {
    action();
    return null;
  } catch (error) {
    if (error instanceof SallyportError && error.code === 'INVALID_INPUT') return `${error.field}: ${error.message}`;
    throw error;
  }
}

describe('checkText', () => {
  test.each([
    ['one byte each', 'a'.repeat(255), 'a'.repeat(256)],
    ['two bytes each', `${'é'.repeat(127)}a`, 'é'.repeat(128)],
    ['three bytes each', '€'.repeat(85), `${'€'.repeat(85)}a`],
    ['four bytes each', `${'😀'.repeat(63)}abc`, '😀'.repeat(64)],
  ])('counts characters of %s', (_, longest, tooLong) => {
    expect(checkText('description', longest, 255)).toBe(longest);
    expect(messageOf(() => checkText('description', tooLong, 255))).toBe(
      'description: must be at most 255 bytes of UTF-8; it has 256.',
    );
  });

  test.each([
    ['alone', '\u0000'],
    ['inside', 'a\u0000b'],
  ])('refuses NUL %s', (_, text) => {
    expect(messageOf(() => checkText('metadata', text, 255))).toBe(
      'metadata: must not contain the NUL character (U+0000).',
    );
  });

  test.each([
    ['a first half', '\ud83d'],
    ['a second half', 'a\ude00'],
    ['both in the wrong order', '\ude00\ud83d'],
    ['a half before a pair', '\ud83d\ud83d\ude00'],
  ])('refuses %s of a surrogate pair', (_, text) => {
    expect(messageOf(() => checkText('metadata', text, 255))).toBe(
      'metadata: must be well-formed Unicode; it contains an unpaired surrogate.',
    );
  });

  test('gives back whatever a decoder of UTF-8 gives back too, within the limit, and nothing else', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 40 }), fc.nat(60), (text, bytesMax) => {
        const bytes = new TextEncoder().encode(text);
        const fits = bytes.length <= bytesMax && new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes) === text;
        const expected = fits && !text.includes('\u0000');
        expect(messageOf(() => expect(checkText('name', text, bytesMax)).toBe(text)) === null).toBe(expected);
      }),
      {
        examples: [
          ['\ud83d', 60],
          ['\uffff\ufeff', 60],
          ['😀', 4],
          ['😀', 3],
        ],
      },
    );
  });
});

describe('notesForCreate', () => {
  test('makes empty what is left out or null', () => {
    expect(notesForCreate({})).toEqual({ description: '', metadata: '' });
    expect(notesForCreate({ description: null, metadata: undefined })).toEqual({ description: '', metadata: '' });
  });

  test('takes 255 bytes of description and 4096 of metadata', () => {
    const longest = { description: 'd'.repeat(255), metadata: 'm'.repeat(4096) };
    expect(notesForCreate(longest)).toEqual(longest);
    expect(messageOf(() => notesForCreate({ description: 'd'.repeat(256) }))).toBe(
      'description: must be at most 255 bytes of UTF-8; it has 256.',
    );
    expect(messageOf(() => notesForCreate({ metadata: 'm'.repeat(4097) }))).toBe(
      'metadata: must be at most 4096 bytes of UTF-8; it has 4097.',
    );
  });

  test('drops whatever else stands beside the notes', () => {
    expect(notesForCreate({ description: 'a', ...{ accountId: 'another' } })).toEqual({
      description: 'a',
      metadata: '',
    });
  });
});

describe('notesForUpdate', () => {
  test('names only what is given', () => {
    expect(notesForUpdate({})).toEqual({});
    expect(notesForUpdate({ description: undefined })).toEqual({});
    expect(notesForUpdate({ description: 'a' })).toEqual({ description: 'a' });
    expect(notesForUpdate({ metadata: 'b' })).toEqual({ metadata: 'b' });
  });

  test('clears what is null or empty', () => {
    expect(notesForUpdate({ description: null, metadata: '' })).toEqual({ description: '', metadata: '' });
  });

  test('keeps the limits', () => {
    expect(messageOf(() => notesForUpdate({ metadata: 'é'.repeat(2049) }))).toBe(
      'metadata: must be at most 4096 bytes of UTF-8; it has 4098.',
    );
  });
});

test('truncated text is the longest beginning of whole characters that fits', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.nat(20), (text, bytesMax) => {
      let fitting = '';
      for (const character of text) {
        if (Buffer.byteLength(fitting + character) > bytesMax) break;
        fitting += character;
      }
      expect(truncateText(text, bytesMax)).toBe(fitting);
    }),
  );
});
