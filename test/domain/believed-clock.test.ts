// When the clock of the machine is trusted.

import { expect, test } from 'vitest';
import { createBelievedClock } from '../../src/domain/access/believed-clock.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const start = Date.parse('2026-11-20T21:00:00Z');

/** Creates a machine whose clocks the test moves. */
function machine() {
  let [wall, monotonic] = [start, 1_000];
  const clock = createBelievedClock(
    () => wall,
    () => monotonic,
  );
  return {
    clock,
    /** Lets time pass and reads the clock every hour. */
    pass(hours: number) {
      for (let hour = 0; hour < hours; hour++) {
        wall += hourMs;
        monotonic += hourMs;
        clock.read();
      }
    },
    set(byMs: number) {
      wall += byMs;
    },
  };
}

test('is believed after 24 hours, and not before', () => {
  const { clock, pass } = machine();
  expect(clock.read()).toBe(null);
  pass(23);
  expect(clock.read()).toBe(null);
  pass(1);
  expect(clock.read()).toEqual(new Date(start + 24 * hourMs));
  pass(1000);
  expect(clock.read()).toEqual(new Date(start + 1024 * hourMs));
});

test.each([
  ['ahead', 5 * minuteMs + 1],
  ['back', -5 * minuteMs - 1],
  ['ahead by years', 5 * 365 * 24 * hourMs],
  ['to nothing', Number.NaN],
])('is not believed for 24 hours after it was set %s, however long it ran before', (_, byMs) => {
  const { clock, pass, set } = machine();
  pass(1000);
  set(byMs);
  expect(clock.read()).toBe(null);
  pass(23);
  expect(clock.read()).toBe(null);
});

test('is believed again 24 hours after a jump', () => {
  const { clock, pass, set } = machine();
  pass(20);
  set(365 * 24 * hourMs);
  pass(25);
  expect(clock.read()).toEqual(new Date(start + (20 + 365 * 24 + 25) * hourMs));
});

test('is believed through corrections of up to 5 minutes, which add up', () => {
  const { clock, pass, set } = machine();
  pass(12);
  set(3 * minuteMs);
  pass(12);
  expect(clock.read()).not.toBe(null);
  set(3 * minuteMs);
  expect(clock.read()).toBe(null);
});

test.each([
  ['at once', 0, true],
  ['after an hour', hourMs, true],
  ['on a machine whose clock is five minutes behind', -5 * minuteMs, true],
  ['after more than an hour', hourMs + 1, false],
  ['after the clock was set back', -5 * minuteMs - 1, false],
  ['with a clock that shows nothing', Number.NaN, false],
])('goes on with the proof of an earlier process %s: %d ms, %s', (_, pauseMs, isBelieved) => {
  const { clock, set } = machine();
  set(0);
  clock.read();
  clock.resume({ atMs: start - pauseMs, provenMs: 24 * hourMs });
  expect(clock.read() !== null).toBe(isBelieved);
});

test('tells what it has proved, no more than is needed, and nothing after a jump', () => {
  const { clock, pass, set } = machine();
  pass(5);
  expect(clock.proof()).toEqual({ atMs: start + 5 * hourMs, provenMs: 5 * hourMs });
  clock.resume({ atMs: start + 5 * hourMs, provenMs: 10 * hourMs });
  pass(1);
  expect(clock.proof().provenMs).toBe(16 * hourMs);
  pass(100);
  expect(clock.proof().provenMs).toBe(24 * hourMs);
  set(hourMs);
  clock.read();
  expect(clock.proof().provenMs).toBe(0);
});
