// In which order certificates are signed.

import { createWorkQueue } from '../work-queue.ts';
import type { AuthorityKey } from './certificate-authority.ts';
import { signsQuickly } from './signature.ts';

/** Certificates that may wait for one account, in each lane. */
const waitingMax = 1_000;

/** Lets accounts take turns at signing. */
export interface SigningQueue {
  /**
   * Signs when it is the turn of the account. Throws as `WorkQueue.run`.
   *
   * @param key the key that `sign` works with, which tells how long that takes
   */
  run<T>(account: string, key: AuthorityKey, sign: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}

/**
 * Creates a queue with two lanes, so that nobody who signs in microseconds waits for those who take milliseconds.
 *
 * All that came at once would take the processor from all other requests, and its certificates would then be stored in one
 * burst: with 60 requests at once, others waited three to ten times as long (measured).
 */
export function createSigningQueue(): SigningQueue {
  // On the event loop, in a turn of its own for each.
  const quick = createWorkQueue({ atOnce: 1, waitingMax });
  // In another thread. Two at once would take both processors of a small machine: the others then waited 500 ms (measured).
  const slow = createWorkQueue({ atOnce: 1, waitingMax });
  return {
    run: (account, key, sign, signal) => (signsQuickly(key) ? quick : slow).run(account, sign, signal),
  };
}
