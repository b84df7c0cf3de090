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
  if (!isRead) return make();
  if (cost <= largeOperationCost) return makeSmall(context, make);
  return answers.run(context.identity.accountId, make, context.signal);
}

/** What tells, of answers that are being made and were thought to be small, when they have been made. */
const ended = new WeakMap<Context, Promise<unknown>>();
const turns = new WeakMap<Context, Promise<void>>();

async function makeSmall<T>(context: Context, make: () => Promise<T>): Promise<T> {
  let end = () => {};
  ended.set(context, new Promise<void>((resolve) => (end = resolve)));
  try {
    return await make();
  } finally {
    end();
  }
}

/**
 * Waits for the turn of an answer that was thought to be small and turns out to be large, before more is made of it.
 * It has its turn until it is made. Others never wait.
 *
 * @param coming about what the next part of the answer will cost
 * @throws UNAVAILABLE when too many requests of the account wait already, and the reason of the signal
 */
export async function waitIfLarge(context: Context, coming = 0): Promise<void> {
  const end = ended.get(context);
  if (end === undefined || context.budget.spent + coming <= largeOperationCost) return;
  const turn = turns.get(context) ?? takeTurn(context, end);
  turns.set(context, turn);
  await turn;
}

function takeTurn({ identity, signal }: Context, end: Promise<unknown>): Promise<void> {
  return new Promise((resolve, reject) => {
    const hold = () => {
      resolve();
      return end;
    };
    answers.run(identity.accountId, hold, signal).catch(reject);
  });
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
