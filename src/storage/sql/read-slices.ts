// Looking through rows in slices: no statement, and no turn of the event loop, takes longer for a longer table.
//
// A slice has as many rows as one turn can look through. How many that are depends on the rows, the disk and the machine, so each
// slice is as large as the time of the one before it suggests. `most` bounds that: a slice of light rows says nothing about the heavy
// ones that may follow.

import { createWorkQueue, type Departure } from '../../domain/concurrency/work-queue.ts';
import type { Dialect } from './dialect.ts';

/** How a caller follows work that looks through many rows. */
export interface Pace {
  /** Returns a signal that fires when nobody is waiting for the result any more. Called only if there are several slices. */
  readonly signal?: () => AbortSignal;
  /**
   * Notes that entries of an index were looked at; a row that had to be read counts as `entriesOfRow`. The next slice waits for the
   * promise. Throws if they are too many.
   */
  readonly looked?: (entries: number) => void | Promise<void>;
}

/** How many entries of an index cost as much as a row: 0.14 and 0.7 us on SQLite (measured). */
export const entriesOfRow = 5;

/** How many rows slices have. */
export interface SliceSizes {
  /** The first one. It runs at once unless `waits`, so that a short list never waits for a long one. */
  readonly first: number;
  /** The largest. */
  readonly most: number;
  /** Whether even the first slice waits for its turn: if its rows can be heavy. */
  readonly waits?: true;
  /** Whether heavy rows come into this process, so that a processor of the database's own is no reason for more of them. */
  readonly loads?: true;
}

/** Entries of an index, of which nothing else is needed: 20,000 take 3 ms on SQLite (measured). */
export const entrySlices: SliceSizes = { first: 1_000, most: 20_000 };
/** Rows that are read one by one for a condition: 2,000 take 1 to 3 ms on SQLite, 20 if none of them is in memory (measured). */
export const rowSlices: SliceSizes = { first: 500, most: 2_000 };
/** Rows whose text is searched: of the longest, 250 take 12 ms on SQLite (measured with the slowest text to search for). */
export const textSlices: SliceSizes = { first: 100, most: 250, waits: true };

/** Rows that are deleted, with their entries in some indexes: 500 take 5 ms on SQLite if they are in memory. */
export const deletedSlices: SliceSizes = { first: 100, most: 500, waits: true };

/** A slice that was looked through. */
export interface Slice<T> {
  readonly value: T;
  /** How many entries of an index were looked at. */
  readonly entries: number;
  readonly isLast: boolean;
}

/** Looks through rows of accounts. */
export interface Slicing {
  /**
   * Looks through rows slice by slice, each in the turn of its account.
   *
   * @param look looks through the next slice, of at most that many rows
   * @throws UNAVAILABLE if too many slices of the account are waiting, the reason of the signal, and what `look` and `looked` throw
   */
  slices<T>(
    accountId: string,
    sizes: SliceSizes,
    look: (rows: number) => Promise<Slice<T>>,
    pace?: Pace,
  ): AsyncGenerator<T>;
  /** Does a piece of work of its own slice, in the turn of an account. Throws as `slices`. */
  inTurn<T>(accountId: string, work: () => Promise<T>, departure?: Departure): Promise<T>;
}

/** What a slice should take, in milliseconds. */
const sliceMs = 5;
/** By how much a slice may be larger than the one before it, and how small slices may become. */
const growth = 2;
const fewest = 10;
/** How much larger slices are where the database has its own processor, and how many of them run at the same time. */
const elsewhere = 4;
/** Most slices of an account that may wait, one for each of its requests. */
const waitingMax = 1_000;

/**
 * Creates the slicing of a database.
 *
 * @param turnIsMoment whether statements run in this thread (`Dialect.turnIsMoment`): then one slice runs at a time, with a rest of
 *   the same length after it, whoever asks
 * @param monotonicMs a monotonic clock, in milliseconds
 */
export function createSlicing({ turnIsMoment }: Pick<Dialect, 'turnIsMoment'>, monotonicMs: () => number): Slicing {
  const queue = createWorkQueue({ atOnce: turnIsMoment ? 1 : elsewhere, rests: turnIsMoment, waitingMax });
  const sizeAfter = (rows: number, ms: number, most: number) =>
    Math.min(most, Math.max(fewest, Math.round(rows * Math.min(growth, sliceMs / ms))));

  return {
    async *slices(accountId, { first, most, waits = undefined, loads = undefined }, look, { signal, looked } = {}) {
      const factor = turnIsMoment || loads ? 1 : elsewhere;
      let rows = first * factor;
      let isFirst = waits !== true;
      for (;;) {
        const work = async () => {
          const begunMs = monotonicMs();
          const slice = await look(rows);
          return { slice, ms: monotonicMs() - begunMs };
        };
        const { slice, ms } = isFirst ? await work() : await queue.run(accountId, work, signal);
        isFirst = false;
        // Before the value is handed on, because whoever has enough asks for no more, and nobody would hear of a refusal.
        await looked?.(slice.entries);
        yield slice.value;
        if (slice.isLast) return;
        signal?.().throwIfAborted();
        rows = turnIsMoment ? sizeAfter(rows, ms, most) : most * factor;
      }
    },

    inTurn: (accountId, work, departure) => queue.run(accountId, work, departure),
  };
}

/** A list that is read in slices, within bounds `B`, which end at `E`. */
export interface SlicedList<B, E> {
  /** Finds the end of the next slice, of at most that many rows; undefined if it is the last. */
  readonly endOf: (rest: B, rows: number) => Promise<E | undefined>;
  /** Reads the first rows of the slice that meet the condition, at most `take`. */
  readonly read: (rest: B, until: E | undefined, take: number) => Promise<object[]>;
  /** Narrows the bounds to the rows after the slice. */
  readonly beyond: (rest: B, until: E) => B;
}

/** Reads the first rows of a list that meet a condition. Throws as `Slicing.slices`. */
export async function readInSlices<B, E>(
  slicesOf: (look: (rows: number) => Promise<Slice<void>>) => AsyncGenerator<void>,
  all: B,
  take: number,
  { endOf, read, beyond }: SlicedList<B, E>,
): Promise<object[]> {
  const found: object[] = [];
  let rest = all;
  const look = async (rows: number): Promise<Slice<void>> => {
    const until = await endOf(rest, rows);
    const some = await read(rest, until, take - found.length);
    found.push(...some);
    if (until !== undefined) rest = beyond(rest, until);
    const isLast = until === undefined || found.length === take;
    // Where the page is full, the statement stopped at its last row.
    return { value: undefined, entries: (isLast ? some.length : rows) * entriesOfRow, isLast };
  };
  for await (const _ of slicesOf(look));
  return found;
}
