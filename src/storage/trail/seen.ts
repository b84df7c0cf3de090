// Which events could be read at a moment, although others may still appear before them: transactions get their numbers in one order
// and commit in another. Pure.

import * as z from 'zod';

/** The events of an account that could be read at a moment, as far as they were not settled. */
export interface Seen {
  /** The highest number of them. */
  readonly until: bigint;
  /** The numbers up to that of transactions that were in progress, whose events were not there yet. */
  readonly open: ReadonlySet<bigint>;
}

/** Returns whether an event that was not settled at the moment could be read then. */
export function wasSeen({ until, open }: Seen, { commitOrder }: { readonly commitOrder: bigint }): boolean {
  return commitOrder <= until && !open.has(commitOrder);
}

/** Returns it, from its highest number and the numbers of all transactions that were in progress, a JSON list of texts. */
export function seenOf(until: bigint, inProgress: string): Seen {
  const numbers = z.array(z.coerce.bigint()).parse(JSON.parse(inProgress));
  return { until, open: new Set(numbers.filter((number) => number <= until)) };
}

/** Writes it as JSON text, which `readSeen` reads. */
export function writeSeen({ until, open }: Seen): string {
  return JSON.stringify([until, ...open].map(String));
}

/** Reads what `writeSeen` has written. */
export function readSeen(text: string): Seen {
  const [until, ...open] = z.tuple([z.coerce.bigint()], z.coerce.bigint()).parse(JSON.parse(text));
  return { until, open: new Set(open) };
}
