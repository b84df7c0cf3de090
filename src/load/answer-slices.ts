// Makes a large answer in slices. Each slice runs once the answer has a slot and the turn of the event loop is not spent.

import { keptOnce } from '../domain/concurrency/kept-with.ts';
import { getOrInsertComputed } from '../domain/values/maps.ts';
import type { Context } from '../graphql/kit/context.ts';
import type { Pace } from '../storage/sql/read-slices.ts';
import { isLargeAnswer } from './budget.ts';
import { largeOperationCost, textUnitBytes } from './limits.ts';
import { inLaterTurn, isTurnSpent, noteWork } from './pacing.ts';

/**
 * Creates a field's reader of large stored texts. Each text of a row is counted and read once for all aliases in a document, in a
 * later turn of the event loop if the answer is large and this turn is spent. The reader throws QUERY_TOO_COMPLEX, and whatever
 * `read` throws.
 */
export function pacedReader<T>(
  read: (text: string) => T,
): (context: Context, row: object, text: string) => T | Promise<T> {
  // Each request has its own row objects, so nothing is shared between requests.
  const readOf = keptOnce((_row: object) => new Map<string, T | Promise<T>>());
  return (context, row, text) =>
    getOrInsertComputed(readOf(row), text, () => {
      context.budget.countText(text.length);
      return whenItMayGoOn(context, text.length / textUnitBytes, () => read(text));
    });
}

/** Yields to the event loop if the answer is large and this turn is spent. Throws as `whenItMayGoOn`. */
export async function breathe(context: Context): Promise<void> {
  await whenItMayGoOn(context, 0, () => {});
}

/** How many entries of an index take as long to look at as the statements of a slice take besides: 0.1 ms (measured). */
const entriesOfSlice = 500;

/**
 * Returns how an answer follows work of the storage that looks through many rows: it counts them (`Budget.countLooked`) and, once it
 * is large, goes on only in its slot.
 */
export function paceOf(context: Context): Pace {
  return {
    signal: context.signal,
    looked(entries) {
      const units = context.budget.countLooked(entries + entriesOfSlice);
      if (units > 0) context.charge(units);
      return whenItMayGoOn(context, 0, () => {});
    },
  };
}

/** Does work for an answer as `inItsTurn` does, but throws QUERY_TOO_COMPLEX if another part has made it too large meanwhile. */
export function whenItMayGoOn<T>(context: Context, cost: number, work: () => T): T | Promise<T> {
  const { budget } = context;
  const workUnlessRefused = () => {
    if (budget.excess !== null) throw budget.excess;
    return work();
  };
  if (budget.excess !== null) throw budget.excess;
  return inItsTurn(context, cost, workUnlessRefused);
}

/** Does work for an answer: immediately if the answer is small; if it is large, once it has a slot and the turn is not spent. */
export function inItsTurn<T>(context: Context, cost: number, work: () => T): T | Promise<T> {
  const { budget, identity } = context;
  if (budget.spent > largeOperationCost && !budget.slot.isTaken) {
    return budget.slot.take().then(() => inItsTurn(context, cost, work));
  }
  if (isLargeAnswer(budget) && isTurnSpent(cost)) return inLaterTurn(identity.accountId, cost, work);
  noteWork(cost);
  return work();
}
