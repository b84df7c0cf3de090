// Work that takes the processors for long is done one piece after the other, so that it does not take them from everybody.

import { SallyportError } from '../domain/errors.ts';

/** Does one piece of work after the other. */
export type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * Creates a queue of its own for one kind of work.
 *
 * @param waitingMax how many pieces may wait; what comes on top of them is refused with UNAVAILABLE, not kept for ever
 */
export function createTurns(waitingMax: number): InTurn {
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  return async (work) => {
    if (waiting >= waitingMax) {
      throw new SallyportError(
        'UNAVAILABLE',
        'The server has too much of this work to do. Repeat it in a few seconds.',
      );
    }
    waiting += 1;
    const turn = last.then(work).finally(() => {
      waiting -= 1;
    });
    last = turn.catch(() => {});
    return turn;
  };
}

/** Generates keys: one RSA key takes a thread for up to seconds, and signatures need the same threads. */
export const generateInTurn = createTurns(32);
