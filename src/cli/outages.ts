// An outage of the database fails many requests at once: the log tells each of its causes once a minute, with the number of the
// failures in between.

import { LRUCache } from 'lru-cache';
import { outageOf } from '../storage/errors.ts';

/** How often a cause is told, in milliseconds. */
const everyMs = 60_000;
/** After which time a cause belongs to another outage, in milliseconds: what was not told of the one before is no news then. */
const forgottenMs = 600_000;
/** Most causes that are remembered; one that was forgotten is told again. */
const causesMax = 100;

/**
 * Returns a function that tells whether a failure is to be logged, by the number of its like that were not since one was; null if it
 * is not. Only the same outage repeats itself: any other failure is always logged.
 *
 * @param monotonicMs a clock, in milliseconds
 */
export function tellingOutagesOnce(monotonicMs: () => number): (work: string, error: unknown) => number | null {
  const causes = new LRUCache<string, { toldMs: number; untold: number }>({ max: causesMax });
  return (work, error) => {
    const outage = outageOf(error);
    if (outage === null) return 0;
    const cause = `${work} ${outage}`;
    const nowMs = monotonicMs();
    const known = causes.get(cause) ?? { toldMs: Number.NEGATIVE_INFINITY, untold: 0 };
    const sinceMs = nowMs - known.toldMs;
    if (sinceMs < everyMs) {
      known.untold += 1;
      return null;
    }
    causes.set(cause, { toldMs: nowMs, untold: 0 });
    return sinceMs < forgottenMs ? known.untold : 0;
  };
}
