// The requests that are under way, of each account and of each network without an API key: so many that no honest client meets the
// bound, and so few that those of another account never wait for long behind them.

import { SallyportError } from '../domain/errors.ts';
import { requestsUnderwayMax } from '../graphql/limits.ts';
import type { Reply } from './request.ts';

/** Counts the requests that are under way. */
export interface RequestsUnderway {
  /**
   * Counts a request of an account or a network until its answer has left, or its client.
   *
   * @throws TOO_MANY_REQUESTS where too many of them are under way
   */
  begin(reply: Reply, asker: string): void;
  /** Counts a request no more, whose answer goes on: streams have a bound of their own. */
  end(reply: Reply): void;
}

/**
 * Creates the count of this process.
 *
 * @param what names whose requests are counted, for messages
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
