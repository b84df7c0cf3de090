// The requests of each account that are under way: so many that no honest client meets the bound, and so few that those of
// another account never wait for long behind them.

import { SallyportError } from '../domain/errors.ts';
import type { Reply } from './request.ts';

/** Counts the requests that are under way. */
export interface RequestsUnderway {
  /**
   * Counts a request of an account until its answer has left, or its client.
   *
   * @throws TOO_MANY_REQUESTS where too many of them are under way, with `Retry-After` on the answer
   */
  begin(reply: Reply, accountId: string): void;
}

/** Most requests of an account that are under way at once. */
const underwayMax = 1_000;
const retryAfterSeconds = 1;

/** Creates the count of this process. */
export function createRequestsUnderway(): RequestsUnderway {
  const underway = new Map<string, number>();
  return {
    begin(reply, accountId) {
      const before = underway.get(accountId) ?? 0;
      if (before >= underwayMax) {
        reply.setHeader('Retry-After', String(retryAfterSeconds));
        throw new SallyportError(
          'TOO_MANY_REQUESTS',
          `${underwayMax} requests of the account are under way. Wait for their answers before you send more.`,
        );
      }
      underway.set(accountId, before + 1);
      reply.on('close', () => {
        const left = (underway.get(accountId) ?? 0) - 1;
        if (left > 0) underway.set(accountId, left);
        else underway.delete(accountId);
      });
    },
  };
}
