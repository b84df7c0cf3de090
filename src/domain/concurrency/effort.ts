// What one evaluation of many questions may take altogether, and the turns that it leaves to other work. Pure except for the event loop.

import { SallyportError } from '../errors.ts';

/** How evaluations account for their work and yield to other work. */
export interface Effort {
  /**
   * Counts work before it is done, in microseconds that it takes as measured. What no longer fits is not counted.
   *
   * @throws QUERY_TOO_COMPLEX if it is more than is left
   */
  spend(cost: number): void;
  /** Gives other work a turn if this turn has had enough. Throws the reason of the signal. */
  breathe(): Promise<void>;
}

/** How much is done in one turn of the event loop, in microseconds: as counted, or as it really took. */
const turnCost = 3_000;

/**
 * Creates the budget of one evaluation.
 *
 * @param most what it may take, in microseconds
 * @param signal ends it at the next pause when nobody is waiting for it any more
 */
export function createEffort(most: number, signal?: AbortSignal): Effort {
  let [left, spentInTurn, begunMs] = [most, 0, performance.now()];
  return {
    spend(cost) {
      if (cost > left) throw new SallyportError('QUERY_TOO_COMPLEX', 'The account has too much to look at.');
      left -= cost;
      spentInTurn += cost;
    },
    async breathe() {
      signal?.throwIfAborted();
      if (spentInTurn < turnCost && (performance.now() - begunMs) * 1_000 < turnCost) return;
      await new Promise((resolve) => setImmediate(resolve));
      signal?.throwIfAborted();
      [spentInTurn, begunMs] = [0, performance.now()];
    },
  };
}
