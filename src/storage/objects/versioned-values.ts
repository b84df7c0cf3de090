// Looks up, or makes, the values of many versioned rows, with other work running in between.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { createPauses } from '../../domain/concurrency/pauses.ts';
import { atOnce, inTurns, type Steps } from '../../domain/concurrency/steps.ts';
import type { AccountView } from './account-scope.ts';
import type { Made, Versioned, VersionedId } from './versioned.ts';

/** Rows and ids read, or looked at, per turn of the event loop. */
export const rowsAtOnce = 2_048;

/** Does work on a number of rows or ids: at once if they are few, because requests wait for it. */
export async function stepByStep<T>(
  { accountId }: AccountView,
  count: number,
  steps: Steps<T>,
  signal?: AbortSignal,
): Promise<T> {
  return count <= rowsAtOnce ? atOnce(steps) : inTurns(accountId, steps, signal);
}

export interface ValueSource<T> {
  readonly cache: Versioned<T>;
  /** Makes the value of a row, given its id. */
  readonly make: (scope: AccountView, id: string) => Promise<T>;
  /** Returns whether a value is still valid, if that depends on the time as well as on the version. */
  readonly isValid?: (value: T, now: Date) => boolean;
}

/**
 * Returns the valid value made from each row's version, in row order, and whether any value was not cached.
 *
 * @param held values of an earlier call, to which those of this call are added: the cache may have evicted them
 * @throws the reason of the signal
 */
export async function upToDate<T>(
  scope: AccountView,
  source: ValueSource<T>,
  held: Map<string, Made<T>>,
  rows: readonly VersionedId[],
  signal?: AbortSignal,
): Promise<{ values: T[]; made: boolean }> {
  const { cache, make } = source;
  const known = await stepByStep(scope, rows.length, knownOf(source, held, rows, scope.now()), signal);
  const made = known.includes(undefined);
  const values: T[] = [];
  const pauses = createPauses(rowsAtOnce);
  for (const [index, row] of rows.entries()) {
    const found = known[index] ?? (await cache.make(scope.accountId, row, () => make(scope, row.id)));
    values.push(found.value);
    if (!made) continue;
    held.set(row.id, found);
    if (pauses.due(1)) await nextTurn();
    signal?.throwIfAborted();
  }
  return { values, made };
}

function* knownOf<T>(
  { cache, isValid = () => true }: ValueSource<T>,
  held: ReadonlyMap<string, Made<T>>,
  rows: readonly VersionedId[],
  now: Date,
): Steps<(Made<T> | undefined)[]> {
  const known: (Made<T> | undefined)[] = [];
  for (const row of rows) {
    const before = held.get(row.id);
    const found = before?.version === row.version ? before : cache.kept(row);
    yield known.push(found !== undefined && isValid(found.value, now) ? found : undefined);
  }
  return known;
}
