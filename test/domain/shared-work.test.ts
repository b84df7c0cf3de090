// Callers that ask at the same time share the work; callers that ask after it has begun do not.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createSharedWork } from '../../src/domain/concurrency/shared-work.ts';

/** Creates work that ends when the test says so, and counts how often it begins. */
function heldWork() {
  const endings: (() => void)[] = [];
  const signals: AbortSignal[] = [];
  const work = async (signal: AbortSignal) => {
    const round = signals.push(signal);
    await new Promise<void>((resolve) => endings.push(resolve));
    return round;
  };
  const end = () => {
    endings.shift()?.();
    return nextTurn();
  };
  return { work, signals, end };
}

test('all who ask while work is under way share the next round, which begins afterwards', async () => {
  const shared = createSharedWork<number>();
  const { work, signals, end } = heldWork();
  const asked = [1, 2, 3].map(() => shared.run('a', work));
  const other = shared.run('b', work);
  expect(signals).toHaveLength(2);
  await end();
  expect(await asked[0]).toBe(1);
  await end();
  expect(await other).toBe(2);
  await end();
  expect(await Promise.all(asked)).toEqual([1, 3, 3]);
  const fresh = shared.run('a', work);
  await end();
  expect(await fresh).toBe(4);
});

test('a failure is told to all who share it, and the next round begins all the same', async () => {
  const shared = createSharedWork<number>();
  let rounds = 0;
  const work = async () => {
    await nextTurn();
    if (++rounds <= 2) throw new Error(`failed ${rounds}`);
    return rounds;
  };
  const asked = await Promise.allSettled([1, 2, 3].map(() => shared.run('a', work)));
  expect(asked.map((outcome) => outcome.status === 'rejected' && String(outcome.reason))).toEqual([
    'Error: failed 1',
    'Error: failed 2',
    'Error: failed 2',
  ]);
  expect(await shared.run('a', work)).toBe(3);
});

test('work goes on while anybody waits for it, and is told when all have gone', async () => {
  const shared = createSharedWork<number>();
  const { work, signals, end } = heldWork();
  const gone = [1, 2, 3].map(() => new AbortController());
  const [first, second, third] = gone.map(({ signal }) => shared.run('a', work, signal).catch(String));
  gone[1]?.abort('second left');
  expect(await second).toBe('second left');
  gone[0]?.abort('first left');
  expect([await first, signals[0]?.aborted]).toEqual(['first left', true]);
  await end();
  expect([signals.length, signals[1]?.aborted]).toEqual([2, false]);
  await end();
  expect(await third).toBe(2);
});

test('a round that nobody waits for any more is not begun', async () => {
  const shared = createSharedWork<number>();
  const { work, signals, end } = heldWork();
  const running = shared.run('a', work);
  const gone = new AbortController();
  const waiting = shared.run('a', work, gone.signal).catch(String);
  gone.abort('left');
  expect(await waiting).toBe('left');
  await end();
  expect([await running, signals.length]).toEqual([1, 1]);
});

test('work that throws at once is told like any other failure, and the next round begins all the same', async () => {
  const shared = createSharedWork<string>();
  const broken = () => {
    throw new Error('broken');
  };
  const asked = await Promise.allSettled([shared.run('a', broken), shared.run('a', async () => 'done')]);
  expect(asked).toEqual([
    { status: 'rejected', reason: new Error('broken') },
    { status: 'fulfilled', value: 'done' },
  ]);
});
