import { expect, test } from 'vitest';
import { createChoices } from '../../src/graphql/lists/page-choices.ts';

test('of many choices, those in use keep their places, and one that has not been used for ten minutes makes room', () => {
  let minutes = 0;
  const choose = createChoices(() => minutes * 60_000);
  const chosen = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, index) => choose(`${from + index}`)).filter((is) => is).length;
  expect(chosen(0, 40)).toBe(16);
  minutes = 9;
  expect(chosen(0, 10)).toBe(10);
  expect(choose('late')).toBe(false);
  minutes = 11;
  // Those of the first six that nobody has used since.
  expect(chosen(100, 140)).toBe(6);
  expect(chosen(0, 10)).toBe(10);
  expect(choose('late')).toBe(false);
});
