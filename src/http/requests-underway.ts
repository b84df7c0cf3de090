// The requests of each account that are under way: so many that no honest client meets the bound, and so few that those of
// another account never wait for long behind them.

import { SallyportError } from '../domain/errors.ts';
import type { Reply } from './request.ts';

/** Counts the requests that are under way. */
export interface RequestsUnderway {
  /**
   * Counts a request of an account until its answer has left, or its client.
   *
   * @throws TOO_MANY_REQUESTS where too many of them are under way
   */
  begin(reply: Reply, accountId: string): void;
  /** Counts a request no more, whose answer goes on: streams have a bound of their own. */
  end(reply: Reply): void;
}

/** Most requests of an account that are under way at once. */
const underwayMax = 1_000;

/** Creates the count of this process. */
export function createRequestsUnderway(): RequestsUnderway {
  const counts = new Map<string, number>();
  const accountOf = new WeakMap<Reply, string>();
  const end = (reply: Reply) => {
    const accountId = accountOf.get(reply);
    if (accountId === undefined) return;
    accountOf.delete(reply);
    const left = (counts.get(accountId) ?? 0) - 1;
    if (left > 0) counts.set(accountId, left);
    else counts.delete(accountId);
  };
  return {
    begin(reply, accountId) {
      const before = counts.get(accountId) ?? 0;
      if (before >= underwayMax) {
        throw new SallyportError(
          'TOO_MANY_REQUESTS',
          `The account has ${underwayMax} requests under way, the most that it may have. Wait for their answers before you send more.`,
        );
      }
      counts.set(accountId, before + 1);
      accountOf.set(reply, accountId);
      reply.on('close', () => end(reply));
    },
    end,
  };
}
