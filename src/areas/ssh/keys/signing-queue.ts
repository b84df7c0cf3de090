// The order in which certificates are signed.

import { KeyObject } from 'node:crypto';
import { createWorkQueue, type WorkQueue } from '../../../domain/concurrency/work-queue.ts';
import type { AuthorityKey } from '../authorities/authority-key.ts';
import { signsQuickly } from './signature.ts';

/** Most certificates that may be queued for one account, in each lane. */
const waitingMax = 1_000;

/** A signing queue in which accounts take turns. */
export interface SigningQueue {
  /**
   * Runs `sign` when it is the account's turn. Throws as `WorkQueue.run`.
   *
   * @param key the key that `sign` uses; it determines how long signing takes
   */
  run<T>(account: string, key: AuthorityKey, sign: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}

/**
 * Creates a queue with two lanes, so that a signature that takes microseconds never waits for one that takes milliseconds, and one for
 * each signer outside.
 *
 * Without the queue, a burst of signings would take the processor from all other requests, and the certificates would then be
 * stored in one burst as well: with 60 requests at once, other requests waited three to ten times as long (measured).
 */
export function createSigningQueue(): SigningQueue {
  // On the event loop, each signature in its own turn.
  const quick = createWorkQueue({ atOnce: 1, waitingMax });
  // In another thread. Two at once would occupy both processors of a small machine: other requests then waited 500 ms (measured).
  const slow = createWorkQueue({ atOnce: 1, waitingMax });
  // An agent does one thing after another, and may be slow or silent: it must hold up neither local keys nor another agent.
  const outside = new Map<string, WorkQueue>();
  const laneOf = (key: AuthorityKey): WorkQueue => {
    if (key.signer instanceof KeyObject) return signsQuickly(key) ? quick : slow;
    const { lane } = key.signer;
    const queue = outside.get(lane) ?? createWorkQueue({ atOnce: 1, waitingMax });
    outside.set(lane, queue);
    return queue;
  };
  return { run: (account, key, sign, signal) => laneOf(key).run(account, sign, signal) };
}
