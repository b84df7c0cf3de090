// Large requests wait for their turn, whichever surface they come by: few of them are answered at once, and accounts take
// turns. So the memory that they need together is bounded, and nobody keeps the others waiting by asking for more.

import { createWorkQueue } from '../domain/work-queue.ts';
import type { Context } from './context.ts';
import type { Estimate } from './cost.ts';
import { largeOperationCost, smallBodyBytesMax } from './limits.ts';

/** Large answers made at once, and requests for them that may wait for one account. */
const answersAtOnce = 2;
const answersWaitingMax = 100;
const answers = createWorkQueue({ atOnce: answersAtOnce, waitingMax: answersWaitingMax });

/**
 * Makes an answer, when it is the turn of the account if the answer may become large.
 *
 * @throws UNAVAILABLE when too many requests of the account wait already, and whatever `make` throws
 */
export function makeAnswer<T>(context: Context, { cost, isRead }: Estimate, make: () => Promise<T>): Promise<T> {
  if (!isRead || cost <= largeOperationCost) return make();
  return answers.run(context.identity.accountId, make, context.signal);
}

const bodiesWaitingMax = 100;
/** One in each turn of the event loop: reading a large body and checking what is in it takes a part of a turn. */
const bodies = createWorkQueue({ atOnce: 1, waitingMax: bodiesWaitingMax });

/**
 * Reads a body, when it is the turn of the account if the body is large.
 *
 * @param signal fires when the client has gone
 * @throws UNAVAILABLE when too many bodies of the account wait already, and whatever `read` throws
 */
export async function readInTurn<T>(
  account: string,
  bytes: number,
  read: () => T,
  signal: () => AbortSignal,
): Promise<T> {
  return bytes <= smallBodyBytesMax ? read() : bodies.run(account, read, signal());
}
