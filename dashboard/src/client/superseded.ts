// Readings that were under way when a change of this page was answered: what they answer may be from before it.

import type { Exchange, Operation } from 'urql';
import { filter, makeSubject, merge, pipe, tap } from 'wonka';

/**
 * Asks once more for what was under way when a change was answered, and leaves the former answer out. The cache by itself would show it, and
 * what it has from the change no more: so it does where a reading was asked for twice before the change was answered (measured).
 */
export const supersededExchange: Exchange =
  ({ forward }) =>
  (operations) => {
    const { source: repeated, next: repeat } = makeSubject<Operation>();
    let changes = 0;
    /** How many changes had been answered when each was asked for. */
    const changesBefore = new WeakMap<Operation, number>();
    return pipe(
      merge([
        pipe(
          operations,
          tap((operation) => changesBefore.set(operation, changes)),
        ),
        repeated,
      ]),
      forward,
      filter(({ operation }) => {
        if (operation.kind === 'mutation') changes += 1;
        if (operation.kind !== 'query' || (changesBefore.get(operation) ?? changes) >= changes) return true;
        // What comes then is shown in any case: while many changes follow each other, nothing would be.
        changesBefore.set(operation, Number.POSITIVE_INFINITY);
        repeat(operation);
        return false;
      }),
    );
  };
