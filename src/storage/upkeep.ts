// The upkeep of a database: what areas bring to it, and the rounds in which a server does it.

import type { BelievedClock } from '../domain/believed-clock.ts';
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

/** The rounds of what is due from time to time. */
export interface UpkeepRounds {
  /** Does a round. Callers during a round share it, and its failure. */
  run(): Promise<void>;
  /** Begins no further round. Resolves when the one under way has ended, which is cut short. */
  stop(): Promise<void>;
}

/** What rounds work with. */
interface RoundsOptions {
  readonly areas: readonly AreaUpkeep[];
  readonly server: ServerScope;
  readonly clock: BelievedClock;
  /** Done first in each round. Where it fails, so does the round. */
  readonly flush: () => Promise<void>;
  /** Told why a round, or the work of an area in it, has failed. The next round does it again. */
  readonly onFailure: (error: unknown) => void;
}

/** Milliseconds between two rounds, and how many of them make an hour. */
const everyMs = 60_000;
const roundsOfHour = 60;

/** Begins the rounds of a server. They keep no process alive. */
export function startRounds({ areas, server, clock, flush, onFailure }: RoundsOptions): UpkeepRounds {
  const stopping = new AbortController();
  const { signal } = stopping;
  const behind = new Set(areas);
  const due = new Set<AreaUpkeep>();
  let believedRounds = 0;
  const round = async () => {
    const believed = clock.read();
    await flush();
    await doForEach(behind, (area) => area.catchUp?.(server, signal), signal, onFailure);
    if (believed === null) return;
    // Once an hour, because it may look through everything.
    if (believedRounds++ % roundsOfHour === 0) for (const area of areas) due.add(area);
    await doForEach(due, (area) => area.hourly?.(server, believed, signal), signal, onFailure);
  };
  let underWay: Promise<void> | null = null;
  const run = () => {
    underWay ??= round().finally(() => {
      underWay = null;
    });
    return underWay;
  };
  const timer = setInterval(() => {
    run().catch(onFailure);
  }, everyMs);
  timer.unref();
  return {
    run,
    async stop() {
      clearInterval(timer);
      stopping.abort();
      // The caller that began the round gets its failure.
      await underWay?.catch(() => {});
    },
  };
}

/**
 * Does some work for areas, and takes those out of the set that are done. One that fails keeps no other from its work, and is left for
 * the next time.
 *
 * @param signal leaves the rest for another time
 */
async function doForEach<A>(
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
