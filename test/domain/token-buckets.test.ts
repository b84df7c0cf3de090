import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createTokenBuckets, type TokenBuckets } from '../../src/domain/concurrency/token-buckets.ts';

/** Takes all tokens of a bucket and returns their number. */
function takeAll(buckets: TokenBuckets, key: string, nowMs: number): number {
  let taken = 0;
  for (; buckets.has(key, nowMs); taken += 1) buckets.take(key, nowMs);
  return taken;
}

describe('a bucket', () => {
  test('has as many tokens as it holds, and one more after each interval', () => {
    const buckets = createTokenBuckets({ size: 3, everyMs: 100, bucketsMax: 10, beyondMax: 'nothing' });
    expect(takeAll(buckets, 'a', 0)).toBe(3);
    expect(takeAll(buckets, 'a', 99)).toBe(0);
    expect(takeAll(buckets, 'a', 100)).toBe(1);
    expect(takeAll(buckets, 'a', 350)).toBe(2);
    // Half an interval was left over.
    expect(takeAll(buckets, 'a', 400)).toBe(1);
    expect(takeAll(buckets, 'a', 1_000_000)).toBe(3);
  });

  test('tells what it holds, and when it is full', () => {
    const buckets = createTokenBuckets({ size: 10, everyMs: 6_000, bucketsMax: 10, beyondMax: 'nothing' });
    expect(buckets.levelOf('a', 1_000_000)).toEqual({ tokens: 10, fullInMs: 0 });
    buckets.take('a', 1_000_000, 10);
    expect(buckets.levelOf('a', 1_000_000)).toEqual({ tokens: 0, fullInMs: 60_000 });
    expect(buckets.levelOf('a', 1_006_000)).toEqual({ tokens: 1, fullInMs: 54_000 });
    expect(buckets.levelOf('a', 2_000_000)).toEqual({ tokens: 10, fullInMs: 0 });
  });

  test('owes at most itself', () => {
    const buckets = createTokenBuckets({ size: 10, everyMs: 6_000, bucketsMax: 10, beyondMax: 'nothing' });
    buckets.take('a', 1_000_000, 500);
    expect(buckets.levelOf('a', 1_000_000)).toEqual({ tokens: -10, fullInMs: 120_000 });
  });

  test('never gives more than it holds and what comes in meanwhile', () => {
    const steps = fc.array(fc.tuple(fc.nat(20_000), fc.integer({ min: 1, max: 5 })), { maxLength: 100 });
    fc.assert(
      fc.property(steps, (asked) => {
        const buckets = createTokenBuckets({ size: 10, everyMs: 6_000, bucketsMax: 10, beyondMax: 'nothing' });
        let [nowMs, given] = [0, 0];
        for (const [passedMs, tokens] of asked) {
          nowMs += passedMs;
          if (buckets.levelOf('a', nowMs).tokens < tokens) continue;
          buckets.take('a', nowMs, tokens);
          given += tokens;
        }
        expect(given).toBeLessThanOrEqual(10 + nowMs / 6_000 + 1e-6);
      }),
    );
  });

  test('is apart from those of other keys', () => {
    const buckets = createTokenBuckets({ size: 2, everyMs: 100, bucketsMax: 10, beyondMax: 'nothing' });
    expect([takeAll(buckets, 'a', 0), takeAll(buckets, 'b', 0), takeAll(buckets, 'a', 0)]).toEqual([2, 2, 0]);
  });
});

test('no more happens under more keys than are remembered', () => {
  const buckets = createTokenBuckets({ size: 2, everyMs: 100, bucketsMax: 3, beyondMax: 'nothing' });
  const keys = Array.from({ length: 1000 }, (_, key) => `${key}`);
  expect(keys.map((key) => takeAll(buckets, key, 0)).filter((taken) => taken > 0)).toEqual([2, 2, 2]);
  // Buckets that are full again are forgotten.
  expect(keys.map((key) => takeAll(buckets, key, 200)).filter((taken) => taken > 0)).toEqual([2, 2, 2]);
});

test('everything may happen under more keys than are remembered, where that is wanted', () => {
  const buckets = createTokenBuckets({ size: 2, everyMs: 100, bucketsMax: 1, beyondMax: 'everything' });
  expect(takeAll(buckets, 'a', 0)).toBe(2);
  for (const _ of [1, 2, 3]) buckets.take('b', 0);
  expect(buckets.has('b', 0)).toBe(true);
  // Once there is room, the key's uses are counted.
  expect([takeAll(buckets, 'b', 200), buckets.has('b', 200)]).toEqual([2, false]);
});
