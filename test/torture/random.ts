// Repeatable randomness for the runs: the same seed gives the same choices.

/** A source of random choices. */
export interface Random {
  /** Returns a number from 0 up to, but not including, 1. */
  next(): number;
  /** Returns an integer from 0 up to, but not including, `bound`. */
  below(bound: number): number;
  /** Returns an element of a list, which must not be empty. */
  of<T>(values: readonly T[]): T;
}

/** Creates a source from a seed (mulberry32: 32 bits of state are plenty for choosing what to send next). */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (bound: number) => Math.floor(next() * bound);
  return {
    next,
    below,
    of<T>(values: readonly T[]): T {
      const index = below(values.length);
      if (index >= values.length) throw new Error('There is nothing to choose from.');
      // Safe cast: the index is below the length.
      return values[index] as T;
    },
  };
}
