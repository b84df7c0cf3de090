// What the metrics count in the database.

import type { ServerReads } from '../objects/server-scope.ts';

export interface Gauge {
  readonly name: `sallyport_${string}`;
  readonly help: string;
  readonly labels: readonly string[];
  /** Counts the current values; called at most once a minute. Labels must have few values at a time. */
  readonly count: (database: ServerReads, now: Date) => Promise<readonly Counted[]>;
}

/** A count with the values of its labels. */
export interface Counted {
  readonly labels: Readonly<Record<string, string>>;
  readonly count: number;
}
