// Which choices of columns get a statement of their own.

import { expect, test } from 'vitest';
import { createChoices } from '../../src/graphql/lists/page-choices.ts';

test('of many choices, those in use keep their places, and one that has not been used for ten minutes makes room', () => {
  let minutes = 0;
  const choose = createChoices(() => minutes * 60_000)('IpPolicy');
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

test('who invents new choices all the time gets no more than a bounded number of them, whatever the kind', () => {
  let minutes = 0;
  const choicesOf = createChoices(() => minutes * 60_000);
  let given = 0;
  for (; minutes < 1_000; minutes += 11)
    for (const kind of ['IpPolicy', 'TlsEdge'])
      for (let index = 0; index < 40; index += 1) given += choicesOf(kind)(`${minutes} ${index}`) ? 1 : 0;
  expect(given).toBe(2 * 16 + 150);
});
