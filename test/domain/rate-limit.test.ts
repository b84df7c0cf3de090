// The token bucket.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { levelOf, readRateLimit, takeUnits } from '../../src/domain/rate-limit.ts';

const limit = { quota: 10, seconds: 60 };

describe('a bucket', () => {
  test('is full at first, and fills up in its time from nothing', () => {
    expect(levelOf(limit, 0, 1_000_000)).toEqual({ units: 10, fullInMs: 0 });
    const empty = takeUnits(limit, 0, 1_000_000, 10);
    expect(levelOf(limit, empty, 1_000_000)).toEqual({ units: 0, fullInMs: 60_000 });
    expect(levelOf(limit, empty, 1_006_000)).toEqual({ units: 1, fullInMs: 54_000 });
    expect(levelOf(limit, empty, 1_060_000)).toEqual({ units: 10, fullInMs: 0 });
    expect(levelOf(limit, empty, 2_000_000)).toEqual({ units: 10, fullInMs: 0 });
  });

  test('owes at most itself', () => {
    const owing = takeUnits(limit, 0, 1_000_000, 500);
    expect(levelOf(limit, owing, 1_000_000)).toEqual({ units: -10, fullInMs: 120_000 });
  });

  test('never gives more than its quota and what comes in meanwhile', () => {
    const steps = fc.array(fc.tuple(fc.nat(20_000), fc.integer({ min: 1, max: 5 })), { maxLength: 100 });
    fc.assert(
      fc.property(steps, (asked) => {
        let [nowMs, fullAtMs, given] = [0, 0, 0];
        for (const [passedMs, units] of asked) {
          nowMs += passedMs;
          if (levelOf(limit, fullAtMs, nowMs).units < units) continue;
          fullAtMs = takeUnits(limit, fullAtMs, nowMs, units);
          given += units;
        }
        expect(given).toBeLessThanOrEqual(limit.quota + nowMs / 6_000 + 1e-6);
      }),
    );
  });
});

test('limits are read', () => {
  expect(readRateLimit('600/60')).toEqual({ quota: 600, seconds: 60 });
  expect(readRateLimit('1000000/86400')).toEqual({ quota: 1_000_000, seconds: 86_400 });
});

test.each([
  '',
  '600',
  '600/',
  '/60',
  '0/60',
  '600/0',
  '1000001/60',
  '600/86401',
  '600/60s',
  '-1/60',
  '1.5/60',
  ' 600/60',
])('is no limit: %j', (text) => {
  expect(readRateLimit(text)).toBe(null);
});
