// The slices of large answers, and when a turn is over.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { inLaterTurn, isTurnSpent, noteWork } from '../../src/load/pacing.ts';

/** The cost of a piece of work that uses up a whole turn. */
const wholeSlice = 3_001;

test('a turn is spent after a slice of work, for small pieces after two, and the next one begins anew', async () => {
  // First let the work end that other tests of this process left behind.
  do await nextTurn();
  while (isTurnSpent(1_000));
  expect([isTurnSpent(1), isTurnSpent(1_000)]).toEqual([false, false]);
  noteWork(wholeSlice);
  expect([isTurnSpent(1), isTurnSpent(1_000)]).toEqual([false, true]);
  noteWork(wholeSlice);
  expect([isTurnSpent(1), isTurnSpent(1_000)]).toEqual([true, true]);
  await nextTurn();
  expect([isTurnSpent(1), isTurnSpent(1_000)]).toEqual([false, false]);
});

test('a turn that a piece has filled leaves the next one empty, although nothing waits any more', async () => {
  await inLaterTurn('a', wholeSlice, () => {});
  await nextTurn();
  await nextTurn();
  expect(isTurnSpent(1_000)).toBe(false);
});

test('accounts take turns, one slice each, whoever came first and with however much', async () => {
  const done: string[] = [];
  const piece = (account: string, name: string) => inLaterTurn(account, wholeSlice, () => done.push(name));
  const all: Promise<unknown>[] = ['a1', 'a2', 'a3', 'a4'].map((name) => piece('a', name));
  all.push(piece('b', 'b1'), piece('b', 'b2'));
  await Promise.all(all);
  expect(done).toEqual(['a1', 'b1', 'a2', 'b2', 'a3', 'a4']);
});

test('what pieces set off counts for the turn that they are done in', async () => {
  const turns = new Map<string, number>();
  let turn = 0;
  const counting = setInterval(() => {}, 1);
  const count = () => {
    turn += 1;
    if (turns.size < 4) setImmediate(count);
  };
  setImmediate(count);
  const pieces = ['1', '2', '3', '4'].map((name) => inLaterTurn('a', wholeSlice / 2, () => turns.set(name, turn)));
  await Promise.all(pieces);
  clearInterval(counting);
  const [first = 0, second = 0, third = 0, fourth = 0] = turns.values();
  expect([first === second, third === fourth, second < third]).toEqual([true, true, true]);
});

test('small pieces share a turn', async () => {
  await nextTurn();
  const turns = new Set<number>();
  let turn = 0;
  let counting = true;
  const count = async () => {
    while (counting) {
      turn += 1;
      await nextTurn();
    }
  };
  const counted = count();
  await Promise.all(Array.from({ length: 100 }, () => inLaterTurn('a', 1, () => turns.add(turn))));
  counting = false;
  await counted;
  expect(turns.size).toBe(1);
});

test('work that fails fails alone', async () => {
  const failing = inLaterTurn('a', 1, () => {
    throw new Error('broken');
  });
  const next = inLaterTurn('a', 1, () => 'done');
  await expect(failing).rejects.toThrow('broken');
  expect(await next).toBe('done');
});
