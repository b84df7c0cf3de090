// When to trust the clock of the machine, for actions that cannot be undone, such as forgetting a revocation. Both clocks are
// arguments.

/** A clock that is trusted only after it has proved itself. */
export interface BelievedClock {
  /**
   * Compares the two clocks, and returns the time if the wall clock is trusted, and null otherwise. A jump is noticed only by the
   * next call, so call this every few minutes.
   */
  read(): Date | null;
  /** Returns what is proved so far, as of the last `read`, for a later process. */
  proof(): ClockProof;
  /**
   * Goes on with the proof of an earlier process, unless the clock shows that much time has passed since, or that it was set back:
   * nobody has watched it meanwhile.
   */
  resume(earlier: ClockProof): void;
}

/** How long a wall clock has kept pace. */
export interface ClockProof {
  /** The time that it showed in the end, in milliseconds since 1970. */
  readonly atMs: number;
  /** Milliseconds for which it had kept pace, in one process after the other. */
  readonly provenMs: number;
}

/** How long the wall clock must have kept pace before it is trusted. */
const proofMs = 24 * 3_600_000;
/** How far the two clocks may have drifted apart since the proof began. NTP adjusts a clock by less. */
const differenceMsMax = 5 * 60_000;
/**
 * How much later the wall clock may be when a process goes on with the proof of an earlier one: enough to restart, install an update
 * or move to another machine. A clock that was set ahead meanwhile is wrong by no more than that.
 */
export const pauseMsMax = 3_600_000;

/**
 * Creates a believed clock. The wall clock is trusted once it has kept pace with the monotonic one for 24 hours, within 5
 * minutes. A larger jump, in either direction, restarts the 24 hours.
 *
 * @param wallMs returns milliseconds since 1970, by the machine's clock
 * @param monotonicMs returns milliseconds since an arbitrary moment, by a clock that is never set
 */
export function createBelievedClock(wallMs: () => number, monotonicMs: () => number): BelievedClock {
  let begun = { wallMs: wallMs(), monotonicMs: monotonicMs() };
  let last = begun;
  /** What earlier processes have proved. */
  let earlierMs = 0;
  const provenMs = () => Math.min(earlierMs + last.monotonicMs - begun.monotonicMs, proofMs);
  return {
    read() {
      const now = { wallMs: wallMs(), monotonicMs: monotonicMs() };
      const elapsedMs = now.monotonicMs - begun.monotonicMs;
      last = now;
      // Written so that a clock that returns NaN is never trusted.
      if (!(Math.abs(now.wallMs - begun.wallMs - elapsedMs) <= differenceMsMax)) {
        begun = now;
        earlierMs = 0;
        return null;
      }
      return provenMs() >= proofMs ? new Date(now.wallMs) : null;
    },
    proof: () => ({ atMs: last.wallMs, provenMs: provenMs() }),
    resume(earlier) {
      const pauseMs = last.wallMs - earlier.atMs;
      if (pauseMs >= -differenceMsMax && pauseMs <= pauseMsMax) {
        earlierMs = Math.min(Math.max(0, earlier.provenMs), proofMs);
      }
    },
  };
}
