// Work of the server's own goes on in the time that requests leave.

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createSpareTime, largePieces } from '../../src/outgoing/spare-time.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Asks for turns; returns how many were given so far. */
function ask(share: () => number, count: number, { signal } = new AbortController()) {
  const spare = createSpareTime(largePieces, signal, share);
  const given: number[] = [];
  for (let number = 0; number < count; number += 1) void spare.turn().then(() => given.push(number));
  return given;
}

test('what is rare begins at once, however busy the server is', async () => {
  const given = ask(() => 1, 64);
  await vi.advanceTimersByTimeAsync(0);
  expect(given).toHaveLength(64);
});

test('beside requests, a few begin each second, in the order of the calls', async () => {
  const given = ask(() => 1, 1_000);
  await vi.advanceTimersByTimeAsync(10_000);
  const before = given.length;
  await vi.advanceTimersByTimeAsync(10_000);
  expect(given.length - before).toBeGreaterThanOrEqual(75);
  expect(given.length - before).toBeLessThanOrEqual(85);
  expect(given).toEqual(given.map((_, index) => index));
});

test('while there is time, more and more begin, up to a bound', async () => {
  const given = ask(() => 0.3, 40_000);
  await vi.advanceTimersByTimeAsync(10_000);
  const before = given.length;
  await vi.advanceTimersByTimeAsync(1_000);
  expect(given.length - before).toBeGreaterThan(1_900);
  expect(given.length - before).toBeLessThanOrEqual(2_001);
});

test('work that never had to wait makes way, too, when requests come', async () => {
  let share = 0.3;
  const spare = createSpareTime(largePieces, new AbortController().signal, () => share);
  let given = 0;
  const askEach = setInterval(() => void spare.turn().then(() => (given += 1)), 10);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(given).toBeGreaterThan(495);
  share = 1;
  await vi.advanceTimersByTimeAsync(1_000);
  const before = given;
  await vi.advanceTimersByTimeAsync(10_000);
  expect(given - before).toBeLessThanOrEqual(85);
  clearInterval(askEach);
});

test('nothing waits for the end of the server', async () => {
  const stopping = new AbortController();
  const given = ask(() => 1, 1_000, stopping);
  stopping.abort();
  await vi.advanceTimersByTimeAsync(0);
  expect(given).toHaveLength(1_000);
  expect(vi.getTimerCount()).toBe(0);
});
