// Reading in slices: where few of many rows may be wanted, all else has its turn in between.

import { setImmediate as nextTurn } from 'node:timers/promises';

/** How rows between the bounds `B` are read in slices that end at `E`. */
export interface Slices<B, E> {
  /** Finds where the next slice ends; undefined where it is the last. */
  readonly endOf: (rest: B) => Promise<E | undefined>;
  /** Reads the first rows of the slice that meet the condition, so many at most. */
  readonly read: (rest: B, until: E | undefined, take: number) => Promise<object[]>;
  /** Narrows the bounds to what lies behind the slice. */
  readonly beyond: (rest: B, until: E) => B;
}

/**
 * Reads the first rows that meet a condition, in slices.
 *
 * @param signal gives what fires when nobody waits for them any more: no further slice is read then. Asked for after the first slice,
 * which nearly always is the last: such a signal costs more than a small page
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
