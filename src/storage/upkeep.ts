// What an area brings to the care of the server.

import type { Check } from './engine.ts';
import type { ServerReads, ServerScope } from './server-scope.ts';

/** What an area brings to the care of the server. It has it in its `upkeep.ts`. */
export interface AreaUpkeep {
  /**
   * Does what is left to do with data of an earlier version: once, with the first round after the database was opened. It needs no
   * clock.
   *
   * @param signal fires when the database is about to close
   */
  readonly catchUp?: (scope: ServerScope, signal: AbortSignal) => Promise<void>;
  /**
   * Does what is due once an hour.
   *
   * @param now the time by a clock that is believed
   * @param signal fires when the database is about to close: what is left can wait for the next round
   */
  readonly hourly?: (scope: ServerScope, now: Date, signal: AbortSignal) => Promise<void>;
  readonly gauges?: readonly Gauge[];
  /** Looks for what an operator should know: the lines of `doctor`. */
  readonly check?: (database: ServerReads, now: Date) => Promise<Check[]>;
}

/** Numbers for metrics, each with its labels. */
export interface Gauge {
  readonly name: `sallyport_${string}`;
  readonly help: string;
  readonly labels: readonly string[];
  /** Counts: at most once a minute. The labels have few values at a time. */
  readonly count: (database: ServerReads, now: Date) => Promise<readonly Counted[]>;
}

/** A number with the values of its labels. */
export interface Counted {
  readonly labels: Readonly<Record<string, string>>;
  readonly count: number;
}

/**
 * Does some work for areas, and takes those out of the set that are done. One that fails keeps no other from its work, and is left for
 * the next time.
 *
 * @param signal leaves the rest for another time
 */
export async function doForEach<A>(
  areas: Set<A>,
  work: (area: A) => Promise<void> | undefined,
  signal: AbortSignal,
  onFailure: (error: unknown) => void,
): Promise<void> {
  for (const area of areas) {
    if (signal.aborted) return;
    try {
      await work(area);
      areas.delete(area);
    } catch (error) {
      onFailure(error);
    }
  }
}
