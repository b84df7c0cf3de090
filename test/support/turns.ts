// Measures durations with a clock that stalls with the machine.

import { onTestFinished } from 'vitest';

/** Milliseconds between the turns of the clock, at least. */
const turnMs = 10;

/** How many turns make a second. */
export const second = 1_000 / turnMs;

/**
 * Starts a clock that counts the turns of a timer of this process, until the end of the test. If the machine stalls for a second,
 * or does not schedule this process, only one turn passes, so that no bound in turns is exceeded; a program that takes too long
 * does exceed it. Work that blocks the event loop of this process has no duration here: the clock is for what happens in other
 * processes or is awaited.
 *
 * @returns a function that returns the turns so far
 */
export function startTurns(): () => number {
  let turns = 0;
  // Node starts the next interval after a turn has ended, and does not make up for missed turns.
  const timer = setInterval(() => {
    turns += 1;
  }, turnMs);
  onTestFinished(() => clearInterval(timer));
  return () => turns;
}
