// When to trust the clock of the machine, for actions that cannot be undone, such as forgetting a revocation. Both clocks are
// arguments.

/** A clock that is trusted only after it has proved itself. */
export interface BelievedClock {
  /**
   * Compares the two clocks, and returns the time if the wall clock is trusted, and null otherwise. A jump is noticed only by the
   * next call, so call this every few minutes.
   */
  read(): Date | null;
}

/** How long the wall clock must have kept pace before it is trusted. */
const proofMs = 24 * 3_600_000;
/** How far the two clocks may have drifted apart since the proof began. NTP adjusts a clock by less. */
const differenceMsMax = 5 * 60_000;

/**
 * Creates a believed clock. The wall clock is trusted once it has kept pace with the monotonic one for 24 hours, within 5
 * minutes. A larger jump, in either direction, restarts the 24 hours.
 *
 * @param wallMs returns milliseconds since 1970, by the machine's clock
 * @param monotonicMs returns milliseconds since an arbitrary moment, by a clock that is never set
 */
export function createBelievedClock(wallMs: () => number, monotonicMs: () => number): BelievedClock {
  let begun = { wallMs: wallMs(), monotonicMs: monotonicMs() };
  return {
    read() {
      const now = { wallMs: wallMs(), monotonicMs: monotonicMs() };
      const elapsedMs = now.monotonicMs - begun.monotonicMs;
      // Written so that a clock that returns NaN is never trusted.
      if (!(Math.abs(now.wallMs - begun.wallMs - elapsedMs) <= differenceMsMax)) {
        begun = now;
        return null;
      }
      return elapsedMs < proofMs ? null : new Date(now.wallMs);
    },
  };
}
