// Limits the requests in flight of each account, and of each network without an API key: high enough that no honest client reaches
// the limit, and low enough that another account's requests never wait for long behind them.

import { SallyportError } from '../domain/errors.ts';
import type { Reply } from '../pipeline/request.ts';
import { requestsUnderwayMax } from './limits.ts';

/** Counts the requests in flight. */
export interface RequestsUnderway {
  /**
   * Counts a request of an account or network until its answer has been sent or its client has disconnected.
   *
   * @throws TOO_MANY_REQUESTS if too many of them are in flight
   */
  begin(reply: Reply, asker: string): void;
  /** Stops counting a request whose answer goes on: streams have their own limit. */
  end(reply: Reply): void;
}

/**
 * Creates the counter of this process.
 *
 * @param what whose requests are counted, for messages
 */
export function createRequestsUnderway(what: 'account' | 'network of the client' = 'account'): RequestsUnderway {
  const counts = new Map<string, number>();
  const askerOf = new WeakMap<Reply, string>();
  const end = (reply: Reply) => {
    const asker = askerOf.get(reply);
    if (asker === undefined) return;
    askerOf.delete(reply);
    const left = (counts.get(asker) ?? 0) - 1;
    if (left > 0) counts.set(asker, left);
    else counts.delete(asker);
  };
  return {
    begin(reply, asker) {
      const before = counts.get(asker) ?? 0;
      if (before >= requestsUnderwayMax) {
        throw new SallyportError(
          'TOO_MANY_REQUESTS',
          `The ${what} has ${requestsUnderwayMax} requests under way, the most that it may have. Wait for their answers before you send more.`,
        );
      }
      counts.set(asker, before + 1);
      askerOf.set(reply, asker);
      reply.on('close', () => end(reply));
    },
    end,
  };
}
