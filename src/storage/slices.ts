// Reading in slices: if few of many rows may match, other work gets event loop turns in between.

import { setImmediate as nextTurn } from 'node:timers/promises';

/** Reads rows within the bounds `B`, in slices that end at `E`. */
export interface Slices<B, E> {
  /** Finds the end of the next slice; undefined if it is the last. */
  readonly endOf: (rest: B) => Promise<E | undefined>;
  /** Reads the first rows of the slice that meet the condition, at most `take`. */
  readonly read: (rest: B, until: E | undefined, take: number) => Promise<object[]>;
  /** Narrows the bounds to the rows after the slice. */
  readonly beyond: (rest: B, until: E) => B;
}

/**
 * Reads the first rows that meet a condition, in slices.
 *
 * @param signal returns a signal that fires when nobody is waiting for the rows any more, after which no further slice is read. It
 *   is called only after the first slice, which is nearly always the last: such a signal costs more than a small page
 * @throws the reason of the signal
 */
export async function inSlices<B, E>(
  all: B,
  take: number,
  { endOf, read, beyond }: Slices<B, E>,
  signal?: () => AbortSignal,
): Promise<object[]> {
  const found: object[] = [];
  for (let rest = all; ; ) {
    const until = await endOf(rest);
    found.push(...(await read(rest, until, take - found.length)));
    if (until === undefined || found.length === take) return found;
    await nextTurn();
    signal?.().throwIfAborted();
    rest = beyond(rest, until);
  }
}
