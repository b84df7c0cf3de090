// Large requests wait for their turn on either surface: few of them are answered at once, and accounts take turns. This bounds the
// memory that they need together, and no account can keep the others waiting by asking for more.

import { createWorkQueue } from '../domain/concurrency/work-queue.ts';
import type { Context } from '../graphql/kit/context.ts';
import type { Slot } from './budget.ts';
import type { Estimate } from './cost.ts';
import { largeOperationCost, requestsUnderwayMax, smallBodyBytesMax, smallOperationCost, unitCost } from './limits.ts';

/**
 * Queue of large answers. One at a time for an account: it may hold its slot for long, such as one that has a list beside a plan, which
 * waits in a queue of its own.
 */
const answers = createWorkQueue({ atOnce: 2, atOnceOfOwner: 1, waitingMax: 100 });

/**
 * Queue of medium-sized answers, such as pages. Each takes 2 to 20 ms to make (measured), and without the limit per account, all
 * others would wait for every request of a client with many connections. As many may wait as an account may have in flight.
 */
const pages = createWorkQueue({ atOnce: 64, atOnceOfOwner: 4, waitingMax: requestsUnderwayMax });

/**
 * Medium-sized answers that have become large and wait for a slot among the large ones. They keep what they have read, but no
 * longer count as `pages`. Their number is limited to bound that memory; the rest keep their slots in `pages` while they wait.
 */
const grown = createWorkQueue({ atOnce: 64, atOnceOfOwner: 16, waitingMax: requestsUnderwayMax });

/**
 * Makes an answer. A medium-sized answer waits for others of its account. An answer that is expected to be large first waits for a
 * slot among the large ones; an answer that unexpectedly becomes large waits at that point (see `answer-slices.ts`). Work with a queue
 * of its own counts for neither.
 *
 * @throws UNAVAILABLE if too many requests of the account are waiting already, the errors of `Context.identifyAgain` if the request
 *   has waited, and whatever `make` throws
 */
export async function answerInTurn<T>(
  context: Context,
  { cost, queued, roots, isRead }: Estimate,
  make: () => Promise<T>,
): Promise<T> {
  // The first unit was charged when the request arrived.
  context.charge(roots - 1 + Math.floor(cost / unitCost));
  const slot = new LargeAnswerSlot(context);
  context.budget.slot = slot;
  const makeInSlot = async (hasWaited: boolean) => {
    try {
      if (hasWaited) await context.identifyAgain();
      return await make();
    } finally {
      slot.leave();
    }
  };
  // Whoever waits elsewhere for long would keep a slot from all other accounts meanwhile.
  const own = cost - queued;
  if (!isRead || own <= smallOperationCost) return makeInSlot(false);
  if (own <= largeOperationCost) return makePage(context, slot, makeInSlot);
  await slot.take();
  return makeInSlot(true);
}

/** Makes a medium-sized answer in its turn. Once it has a slot in `grown`, the next answer of its account gets a turn. */
function makePage<T>(context: Context, slot: LargeAnswerSlot, make: (hasWaited: boolean) => Promise<T>): Promise<T> {
  const { identity, signal } = context;
  return new Promise((resolve, reject) => {
    context.expectClient();
    let hasWaited = false;
    const hold = () =>
      new Promise<void>((leave) => {
        slot.onTake = (taken) => {
          const wait = () => {
            leave();
            return taken;
          };
          // The code that asked for the slot gets this error from `taken`.
          grown.run(identity.accountId, wait, signal()).catch(() => {});
        };
        make(hasWaited).then(resolve, reject).finally(leave);
      });
    pages.run(identity.accountId, hold, signal).catch(reject);
    // If there was no need to wait, `hold` has already run.
    hasWaited = true;
  });
}

class LargeAnswerSlot implements Slot {
  readonly #context: Context;
  #taking: Promise<void> | undefined;
  #leave: (() => void) | undefined;
  #hasLeft = false;
  /** Called when the slot is first requested, with the promise of getting it. */
  onTake: ((taken: Promise<void>) => void) | undefined;

  constructor(context: Context) {
    this.#context = context;
  }

  get isTaken(): boolean {
    return this.#leave !== undefined;
  }

  /** Takes the slot once, however many parts of the answer ask for it. */
  take(): Promise<void> {
    if (this.#taking !== undefined) return this.#taking;
    const { identity, signal } = this.#context;
    this.#taking = new Promise((resolve, reject) => {
      const hold = () =>
        new Promise<void>((leave) => {
          this.#leave = leave;
          // In a separate turn: otherwise, waiting answers that read everything at once would all be made in one turn.
          setImmediate(resolve);
          // Another part of the answer has failed while this one waited.
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
 * Large bodies that are held in memory at once. A client may take a minute to send one, so an account may occupy only a quarter of
 * the slots.
 */
const bodies = createWorkQueue({ atOnce: 128, atOnceOfOwner: 32, waitingMax: 4_000 });

/**
 * Receives a body. If the body may be large, waits for the account's turn first.
 *
 * @param bytes size of the body; infinity if not known yet
 * @param signal returns a signal that fires when the client has gone
 * @throws UNAVAILABLE if too many requests of the account are waiting already, and whatever `receive` throws
 */
export async function receiveInTurn<T>(
  account: string,
  bytes: number,
  receive: () => Promise<T>,
  signal: () => AbortSignal,
): Promise<T> {
  return bytes <= smallBodyBytesMax ? receive() : bodies.run(account, receive, signal());
}

/** One at a time, with a rest of the same length after each: many connections may send something to read in the same turn. */
const readings = createWorkQueue({ atOnce: 1, rests: true, waitingMax: requestsUnderwayMax });

/**
 * Reads client input, such as a large body or a new document, in the account's turn.
 *
 * @throws UNAVAILABLE if too many requests of the account are waiting already, and whatever `read` throws
 */
export function readInTurn<T>(account: string, read: () => T, signal: AbortSignal): Promise<T> {
  return readings.run(account, read, signal);
}
