// An outage of the database fails many requests at once: the log tells each of its causes once.

import { outageOf } from '../storage/errors.ts';

/** An outage is over once no request has failed for so many milliseconds. */
const overMs = 10_000;

/**
 * Returns a function that tells whether a failure is to be logged: not if it repeats one of the same outage. A failure that is no
 * outage always is.
 *
 * @param monotonicMs a clock, in milliseconds
 */
export function tellingOutagesOnce(monotonicMs: () => number): (work: string, error: unknown) => boolean {
  /** What was told of the present outage, by the work that failed. */
  const told = new Set<string>();
  let lastMs = Number.NEGATIVE_INFINITY;
  return (work, error) => {
    const outage = outageOf(error);
    if (outage === null) return true;
    const nowMs = monotonicMs();
    if (nowMs - lastMs >= overMs) told.clear();
    lastMs = nowMs;
    const both = `${work} ${outage}`;
    return !told.has(both) && Boolean(told.add(both));
  };
}
