// Answers that leave together: at the end of the event loop turn in which they were made, and not too many at once.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createDepartures, createTurnEnd } from '../../src/wire/departures.ts';

/** Records which answers have left. */
function answers(togetherMax: number) {
  const left: string[] = [];
  const make = createDepartures<string>((name) => left.push(name), togetherMax);
  return { make, left };
}

/** Runs everything that does not need its own turn. */
const microtasks = () => new Promise<void>((resolve) => process.nextTick(resolve));

test('answers of one turn wait for its end, and leave in their order', async () => {
  const { make, left } = answers(3);
  make('first');
  await microtasks();
  make('second');
  await microtasks();
  expect(left).toEqual([]);
  await nextTurn();
  expect(left).toEqual(['first', 'second']);
});

test('those of the next turn wait for that one', async () => {
  const { make, left } = answers(3);
  make('first');
  await nextTurn();
  make('second');
  await microtasks();
  expect(left).toEqual(['first']);
  await nextTurn();
  expect(left).toEqual(['first', 'second']);
});

test('when too many wait, they leave at once, and later ones at the end of the turn', async () => {
  const { make, left } = answers(2);
  for (const name of ['first', 'second', 'third']) make(name);
  await microtasks();
  expect(left).toEqual(['first', 'second']);
  await nextTurn();
  expect(left).toEqual(['first', 'second', 'third']);
});

test('what waits for the end of a turn goes on together', async () => {
  const turnEnd = createTurnEnd(2);
  const gone: string[] = [];
  const go = async (name: string) => {
    await turnEnd();
    gone.push(name);
  };
  const all = [go('first')];
  await microtasks();
  expect(gone).toEqual([]);
  all.push(go('second'), go('third'));
  await microtasks();
  expect(gone).toEqual(['first', 'second']);
  await Promise.all(all);
  expect(gone).toEqual(['first', 'second', 'third']);
});
