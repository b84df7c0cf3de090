// Durations, by a clock that stalls with the machine.

import { onTestFinished } from 'vitest';

/** Milliseconds between the turns of the clock, at least. */
const turnMs = 10;

/** How many turns make a second. */
export const second = 1_000 / turnMs;

/**
 * Starts a clock that counts the turns of a timer of this process, until the end of the test. A machine that does nothing for a second,
 * or has this process wait, lets one turn go by, and so breaks no bound that is in turns; a program that takes too long does.
 * Work that holds up the event loop of this process has no duration here: it is for what takes place in other processes, or is waited
 * for.
 *
 * @returns gives the turns so far
 */
export function startTurns(): () => number {
  let turns = 0;
  // Node begins the time to the next turn when one has ended, and makes up for none.
  const timer = setInterval(() => {
    turns += 1;
  }, turnMs);
  onTestFinished(() => clearInterval(timer));
  return () => turns;
}
