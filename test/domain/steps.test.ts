// Long work in steps.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { inTurns } from '../../src/domain/concurrency/steps.ts';

/** Steps of which each fills a slice. */
function* longSteps(count: number, log: string[], name: string) {
  for (let step = 0; step < count; step += 1) {
    for (const begunMs = performance.now(); performance.now() - begunMs < 4; );
    log.push(name);
    yield;
  }
  return name;
}

test('other work gets a turn after each slice, and owners take turns', async () => {
  const log: string[] = [];
  const results = ['a', 'b'].map((name) => inTurns(name, longSteps(3, log, name)));
  let isDone = false;
  const all = Promise.all(results).finally(() => {
    isDone = true;
  });
  let turns = 0;
  for (; !isDone; turns += 1) await nextTurn();
  expect(await all).toEqual(['a', 'b']);
  expect(log).toEqual(['a', 'b', 'a', 'b', 'a', 'b']);
  expect(turns).toBeGreaterThan(6);
});

test('nothing more is done once nobody is waiting', async () => {
  const log: string[] = [];
  const left = new AbortController();
  const work = inTurns('a', longSteps(100, log, 'a'), left.signal);
  await nextTurn();
  left.abort(new Error('gone'));
  await expect(work).rejects.toThrow('gone');
  expect(log.length).toBeLessThan(100);
});
