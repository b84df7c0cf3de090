// Steps of time, at whose ends something is told, so that when it is told says nothing about how long it took. Pure except for the timer.

/** Steps that are being counted. */
export interface TimeSteps {
  /** Resolves at the end of a step: the first one at least so many milliseconds after the beginning. */
  until(ms: number): Promise<void>;
  /** Counts no more. */
  stop(): void;
}

/** Begins to count steps. The timer runs from now on: one that is set after some work would end a little sooner or later for it. */
export function beginSteps(stepMs: number): TimeSteps {
  let ended = 0;
  let told: (() => void) | undefined;
  let steps = Number.POSITIVE_INFINITY;
  const timer = setInterval(() => {
    ended += 1;
    if (ended >= steps) told?.();
  }, stepMs);
  return {
    until: (ms) =>
      new Promise((resolve) => {
        // The one that is running, even if it could have ended while the work kept the timer from it.
        steps = Math.max(ended + 1, Math.ceil(ms / stepMs));
        told = resolve;
      }),
    stop: () => clearInterval(timer),
  };
}
