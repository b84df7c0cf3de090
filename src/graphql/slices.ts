// Makes a large answer in slices: it goes on once it has a place and the turn of the event loop is not spent.

import { getOrInsertComputed } from '../domain/get-or-insert.ts';
import { keptOnce } from '../domain/kept-with.ts';
import { isLargeAnswer } from './budget.ts';
import type { Context } from './context.ts';
import { largeOperationCost, textUnitBytes } from './limits.ts';
import { inLaterTurn, isTurnSpent, noteWork } from './pacing.ts';

/**
 * Creates a field's reader of large stored texts. Each text of a row is counted and read once for all aliases in a document, in a later
 * turn of the event loop if the answer is large and enough has been done in this one. The reader throws QUERY_TOO_COMPLEX, and whatever
 * `read` throws.
 */
export function pacedReader<T>(
  read: (text: string) => T,
): (context: Context, row: object, text: string) => T | Promise<T> {
  // Rows are read anew for each request.
  const readOf = keptOnce((_row: object) => new Map<string, T | Promise<T>>());
  return (context, row, text) =>
    getOrInsertComputed(readOf(row), text, () => {
      context.budget.countText(text.length);
      return whenItMayGoOn(context, text.length / textUnitBytes, () => read(text));
    });
}

/** Gives everybody else a turn of the event loop if the answer is large and enough has been done in this one. */
export async function breathe(context: Context): Promise<void> {
  await whenItMayGoOn(context, 0, () => {});
}

/** Goes on with making an answer, as `inItsTurn` does, unless another part of it has made it too large meanwhile. */
export function whenItMayGoOn<T>(context: Context, cost: number, work: () => T): T | Promise<T> {
  const { budget } = context;
  const workUnlessRefused = () => {
    if (budget.excess !== null) throw budget.excess;
    return work();
  };
  if (budget.excess !== null) throw budget.excess;
  return inItsTurn(context, cost, workUnlessRefused);
}

/** Does work for an answer: at once for a small one; for a large one, once it has a place and the turn is not spent. */
export function inItsTurn<T>(context: Context, cost: number, work: () => T): T | Promise<T> {
  const { budget, identity } = context;
  if (budget.spent > largeOperationCost && !budget.place.isTaken) {
    return budget.place.take().then(() => inItsTurn(context, cost, work));
  }
  if (isLargeAnswer(budget) && isTurnSpent(cost)) return inLaterTurn(identity.accountId, cost, work);
  noteWork(cost);
  return work();
}
