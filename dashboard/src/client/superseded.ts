// Readings that were under way when a change of this page was answered: what they answer may be from before it.

import type { Exchange, Operation } from 'urql';
import { filter, makeSubject, merge, pipe, tap } from 'wonka';

/**
 * Asks again for what was under way when a change was answered, and gives only the later answer. The cache by itself would show the former one
 * as well, and what it has from the change no more: so it does once a reading was asked for twice before the change is answered (measured).
 */
export const supersededExchange: Exchange =
  ({ forward }) =>
  (operations) => {
    const { source: repeated, next: repeat } = makeSubject<Operation>();
    let changes = 0;
    /** How many changes had been answered when each was asked for. */
    const changesBefore = new WeakMap<Operation, number>();
    return pipe(
      merge([operations, repeated]),
      tap((operation) => changesBefore.set(operation, changes)),
      forward,
      filter(({ operation }) => {
        if (operation.kind === 'mutation') changes += 1;
        if (operation.kind !== 'query' || changesBefore.get(operation) === changes) return true;
        repeat(operation);
        return false;
      }),
    );
  };
