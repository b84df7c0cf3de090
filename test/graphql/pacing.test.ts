// The slices of large answers, and whose turn it is.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { inLaterTurn, isTurnSpent, noteWork } from '../../src/graphql/pacing.ts';

/** Cost of a piece after which a turn is over. */
const wholeSlice = 3_001;

test('a turn is spent after a slice of work, for small pieces after two, and the next one begins anew', async () => {
  await nextTurn();
  expect([isTurnSpent(1), isTurnSpent(1_000)]).toEqual([false, false]);
  noteWork(wholeSlice);
  expect([isTurnSpent(1), isTurnSpent(1_000)]).toEqual([false, true]);
  noteWork(wholeSlice);
  expect([isTurnSpent(1), isTurnSpent(1_000)]).toEqual([true, true]);
  await nextTurn();
  expect([isTurnSpent(1), isTurnSpent(1_000)]).toEqual([false, false]);
});

test('accounts take turns, one slice each, whoever came first and with however much', async () => {
  const done: string[] = [];
  const piece = (account: string, name: string) =>
    inLaterTurn(account, () => {
      noteWork(wholeSlice);
      done.push(name);
    });
  const all = ['a1', 'a2', 'a3', 'a4'].map((name) => piece('a', name));
  all.push(piece('b', 'b1'), piece('b', 'b2'));
  await Promise.all(all);
  expect(done).toEqual(['a1', 'b1', 'a2', 'b2', 'a3', 'a4']);
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
  await Promise.all(Array.from({ length: 100 }, () => inLaterTurn('a', () => turns.add(turn))));
  counting = false;
  await counted;
  expect(turns.size).toBe(1);
});

test('work that fails fails alone', async () => {
  const failing = inLaterTurn('a', () => {
    throw new Error('broken');
  });
  const next = inLaterTurn('a', () => 'done');
  await expect(failing).rejects.toThrow('broken');
  expect(await next).toBe('done');
});
