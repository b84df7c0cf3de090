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

/**
 * Large bodies that are held in memory at once. Most of them are of one account only when others ask for none: a client may
 * take a minute to send one.
 */
const bodies = createWorkQueue({ atOnce: 128, atOnceOfAccount: 32, waitingMax: 4_000 });

/**
 * Takes in a body, when it is the turn of the account if the body may be large.
 *
 * @param bytes how many it has; infinitely many when nobody knows yet
 * @param signal gives what fires when the client has gone
 * @throws UNAVAILABLE when too many requests of the account wait already, and whatever `receive` throws
 */
export async function receiveInTurn<T>(
  account: string,
  bytes: number,
  receive: () => Promise<T>,
  signal: () => AbortSignal,
): Promise<T> {
  return bytes <= smallBodyBytesMax ? receive() : bodies.run(account, receive, signal());
}

/** One in each turn of the event loop: each takes a part of a turn, and many connections may ask in the same one. */
const readings = createWorkQueue({ atOnce: 1, waitingMax: 1_000 });

/**
 * Does work that reads what a client has sent, such as a large body or a new document, when it is the turn of the account.
 *
 * @throws UNAVAILABLE when too many requests of the account wait already, and whatever `read` throws
 */
export function readInTurn<T>(account: string, read: () => T, signal: AbortSignal): Promise<T> {
  return readings.run(account, read, signal);
}
