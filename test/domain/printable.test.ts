import { describe, expect, test } from 'vitest';
import { printable } from '../../src/domain/values/printable.ts';

describe('printable', () => {
  test.each([
    ['an erased line', 'key\u001b[2K\rforged', 'key\\u001b[2K\\rforged'],
    ['a forged line', 'one\nak_2  never expires', 'one\\nak_2  never expires'],
    ['a title of the terminal (OSC)', '\u001b]0;title\u0007', '\\u001b]0;title\\u0007'],
    ['the C1 set, in which one character is a whole ESC [', '\u009b2J\u0085\u007f', '\\u009b2J\\u0085\\u007f'],
    ['text written backwards', '\u202etxt.exe\u2066\u200f\u061c', '\\u202etxt.exe\\u2066\\u200f\\u061c'],
    ['other separators of lines', 'a\u2028b\u2029c', 'a\\u2028b\\u2029c'],
    ['hidden letters', 'a\u{e0041}b\ufeff', 'a\\udb40\\udc41b\\ufeff'],
    ['half a character', 'a\ud83d', 'a\\ud83d'],
  ])('shows %s', (_what, text, shown) => {
    expect(printable(text)).toBe(shown);
  });

  test('leaves text as it is, in any language', () => {
    const text = 'Büro \\n 東京 می\u200cخواهم 👩\u200d💻 "offices"';
    expect(printable(text)).toBe(text);
  });

  test('leaves JSON with the value that it had', () => {
    const value = { text: '\u001b[2J\u009b\u202e\u2028\u{e0041}\\u001b' };
    const json = printable(JSON.stringify(value));
    expect(json).toMatch(/^[ -~]*$/);
    expect(JSON.parse(json)).toEqual(value);
  });
});
