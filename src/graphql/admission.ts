// Large requests wait for their turn, whichever surface they come by: few of them are answered at once, and accounts take
// turns. So the memory that they need together is bounded, and nobody keeps the others waiting by asking for more.

import { createWorkQueue } from '../domain/work-queue.ts';
import type { Place } from './budget.ts';
import type { Context } from './context.ts';
import type { Estimate } from './cost.ts';
import { largeOperationCost, requestsUnderwayMax, smallBodyBytesMax, smallOperationCost, unitCost } from './limits.ts';

/** Large answers made at once, and requests for them that may wait for one account. */
const answersAtOnce = 2;
const answersWaitingMax = 100;
const answers = createWorkQueue({ atOnce: answersAtOnce, waitingMax: answersWaitingMax });

/**
 * Medium-sized answers, such as pages, that are made at once, and those of one account. They take 2 to 20 ms each (measured), and a
 * client with many connections would otherwise make everybody wait for all of its own. As many may wait as an account may have under way.
 */
const pages = createWorkQueue({ atOnce: 64, atOnceOfOwner: 4, waitingMax: requestsUnderwayMax });

/**
 * Medium-sized answers that have become large and wait for a place among the large ones. They hold what they have read and no longer
 * count among `pages`; there are only so many, so that their memory is bounded. Others wait where they are.
 */
const grown = createWorkQueue({ atOnce: 64, atOnceOfOwner: 16, waitingMax: requestsUnderwayMax });

/**
 * Makes an answer. A medium-sized one waits for others of its account. One that is expected to become large waits for a place among the
 * large ones first; one that unexpectedly becomes large waits as soon as it does (see `slices.ts`).
 *
 * @throws UNAVAILABLE when too many requests of the account wait already, as `Context.identifyAgain` for one that has waited, and whatever
 *   `make` throws
 */
export async function makeAnswer<T>(
  context: Context,
  { cost, roots, isRead }: Estimate,
  make: () => Promise<T>,
): Promise<T> {
  // The first unit was taken when the request came.
  context.charge(roots - 1 + Math.floor(cost / unitCost));
  const place = new LargeAnswerPlace(context);
  context.budget.place = place;
  const makeInPlace = async (hasWaited: boolean) => {
    try {
      if (hasWaited) await context.identifyAgain();
      return await make();
    } finally {
      place.leave();
    }
  };
  if (!isRead || cost <= smallOperationCost) return makeInPlace(false);
  if (cost <= largeOperationCost) return makePage(context, place, makeInPlace);
  await place.take();
  return makeInPlace(true);
}

/** Makes a medium-sized answer in its turn. Once it waits among `grown`, the next one of its account has its turn. */
function makePage<T>(context: Context, place: LargeAnswerPlace, make: (hasWaited: boolean) => Promise<T>): Promise<T> {
  const { identity, signal } = context;
  return new Promise((resolve, reject) => {
    context.expectClient();
    let hasWaited = false;
    const hold = () =>
      new Promise<void>((leave) => {
        place.onTake = (taken) => {
          const wait = () => {
            leave();
            return taken;
          };
          // The caller that asked for the place gets this error from `taken`.
          grown.run(identity.accountId, wait, signal()).catch(() => {});
        };
        make(hasWaited).then(resolve, reject).finally(leave);
      });
    pages.run(identity.accountId, hold, signal).catch(reject);
    // What need not wait has begun.
    hasWaited = true;
  });
}

class LargeAnswerPlace implements Place {
  readonly #context: Context;
  #taking: Promise<void> | undefined;
  #leave: (() => void) | undefined;
  #hasLeft = false;
  /** Told once that the place is asked for, with what waits for it. */
  onTake: ((taken: Promise<void>) => void) | undefined;

  constructor(context: Context) {
    this.#context = context;
  }

  get isTaken(): boolean {
    return this.#leave !== undefined;
  }

  /** Takes the place once, however many parts of the answer ask for it. */
  take(): Promise<void> {
    if (this.#taking !== undefined) return this.#taking;
    const { identity, signal } = this.#context;
    this.#taking = new Promise((resolve, reject) => {
      const hold = () =>
        new Promise<void>((leave) => {
          this.#leave = leave;
          // In a turn of its own: what waits would otherwise be answered in one, if all it reads is read at once.
          setImmediate(resolve);
          // The answer has failed elsewhere while this part of it waited.
          if (this.#hasLeft) leave();
        });
      answers.run(identity.accountId, hold, signal()).catch(reject);
    });
    this.onTake?.(this.#taking);
    return this.#taking;
  }

  leave(): void {
    this.#hasLeft = true;
    this.#leave?.();
  }
}

/**
 * Large bodies that are held in memory at once. Most of them are of one account only when others ask for none: a client may
 * take a minute to send one.
 */
const bodies = createWorkQueue({ atOnce: 128, atOnceOfOwner: 32, waitingMax: 4_000 });

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

/** One after the other, with as much time for all else in between: many connections may ask in the same turn. */
const readings = createWorkQueue({ atOnce: 1, rests: true, waitingMax: requestsUnderwayMax });

/**
 * Does work that reads what a client has sent, such as a large body or a new document, when it is the turn of the account.
 *
 * @throws UNAVAILABLE when too many requests of the account wait already, and whatever `read` throws
 */
export function readInTurn<T>(account: string, read: () => T, signal: AbortSignal): Promise<T> {
  return readings.run(account, read, signal);
}
