// Changes of many objects wait for each other.

import { createWorkQueue } from '../../domain/concurrency/work-queue.ts';
import { requestsUnderwayMax } from '../../load/limits.ts';
import type { Context } from './context.ts';

/** One at a time per account: a thousand objects take 50 ms of this process, and hold the only writer of SQLite for as long. */
const changesOfMany = createWorkQueue({ atOnce: 4, atOnceOfOwner: 1, waitingMax: requestsUnderwayMax });

/**
 * Makes a change of many objects once those of the same account that came before it are made. Throws UNAVAILABLE if too many wait,
 * the errors of `Context.identifyAgain` if it has waited, and whatever the change throws.
 */
export function afterOthersOfAccount<T>(context: Context, change: () => Promise<T>): Promise<T> {
  const { identity, identifyAgain, signal } = context;
  let hasWaited = false;
  const work = async () => {
    if (hasWaited) await identifyAgain();
    return change();
  };
  const made = changesOfMany.run(identity.accountId, work, signal);
  // If there was no need to wait, the change has already begun.
  hasWaited = true;
  return made;
}
