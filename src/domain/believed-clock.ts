// When to believe the clock of the machine: for what cannot be undone, such as forgetting a revocation. Both clocks are
// arguments.

/** A clock that is believed only after it has proved itself. */
export interface BelievedClock {
  /**
   * Compares the two clocks, and gives the time when it is believed; null otherwise. What happens between two calls is
   * judged by the second one, so call it every few minutes.
   */
  read(): Date | null;
}

/** How long the wall clock must have kept pace before it is believed. */
const proofMs = 24 * 3_600_000;
/** What the two clocks may differ by since the proof began: a clock that is set by NTP is moved by less. */
const differenceMsMax = 5 * 60_000;

/**
 * Creates a believed clock. The wall clock is believed once it has kept pace with the monotonic one for 24 hours, within 5
 * minutes. A larger jump, in either direction, starts the 24 hours anew.
 *
 * @param wallMs milliseconds since 1970, as the machine says
 * @param monotonicMs milliseconds since any moment, by a clock that nobody sets
 */
export function createBelievedClock(wallMs: () => number, monotonicMs: () => number): BelievedClock {
  let begun = { wallMs: wallMs(), monotonicMs: monotonicMs() };
  return {
    read() {
      const now = { wallMs: wallMs(), monotonicMs: monotonicMs() };
      const elapsedMs = now.monotonicMs - begun.monotonicMs;
      // A clock that gives NaN keeps pace with nothing.
      if (!(Math.abs(now.wallMs - begun.wallMs - elapsedMs) <= differenceMsMax)) {
        begun = now;
        return null;
      }
      return elapsedMs < proofMs ? null : new Date(now.wallMs);
    },
  };
}
