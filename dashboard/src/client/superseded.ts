// Queries in flight when a mutation of this page is answered: their answers may predate the mutation.

import type { Exchange, Operation } from 'urql';
import { filter, makeSubject, merge, pipe, tap } from 'wonka';

/**
 * Repeats each query that was in flight when a mutation was answered, and drops its first answer. The cache alone would show that
 * answer and lose what the mutation returned: it does so if a query was sent twice before the mutation was answered (measured).
 */
export const supersededExchange: Exchange =
  ({ forward }) =>
  (operations) => {
    const { source: repeated, next: repeat } = makeSubject<Operation>();
    let changes = 0;
    /** Number of mutations that had been answered when each operation was sent. */
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
        // The repeated answer is always shown: otherwise nothing would be shown during a long series of mutations.
        changesBefore.set(operation, Number.POSITIVE_INFINITY);
        repeat(operation);
        return false;
      }),
    );
  };
