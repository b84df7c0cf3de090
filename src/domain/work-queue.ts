// A queue for work that is scarce: a few pieces at once, and the accounts that wait take turns, so that none of them can
// keep the others waiting by asking for more. Pure but for the order of the event loop.

import { SallyportError } from './errors.ts';

/** How a queue shares. */
export interface WorkQueueOptions {
  /** How many pieces of work run at the same time. */
  readonly atOnce: number;
  /** How many of them may be of one account, where work can be drawn out; as many as run at all unless given. */
  readonly atOnceOfAccount?: number;
  /** Whether the queue rests after a piece for as long as that took, so that all else gets half of the time. */
  readonly rests?: boolean;
  /** How many pieces may wait for one account. What comes on top of them is refused, so that no queue grows for ever. */
  readonly waitingMax: number;
}

/** Shares a resource between accounts. */
export interface WorkQueue {
  /**
   * Does a piece of work when it is the turn of its account.
   *
   * @param account whose work it is
   * @param signal drops the work if it fires before the work begins; work that has begun goes on
   * @throws UNAVAILABLE when too much of this account is waiting already, the reason of the signal, and whatever the work
   *   throws
   */
  run<T>(account: string, work: () => T | Promise<T>, signal?: AbortSignal): Promise<T>;
}

interface Task {
  begin(): void;
}

/** Creates a queue of its own for one resource. */
export function createWorkQueue({
  atOnce,
  atOnceOfAccount = atOnce,
  rests = false,
  waitingMax,
}: WorkQueueOptions): WorkQueue {
  // In the order of their turns: whoever has had one goes to the end.
  const waiting = new Map<string, Task[]>();
  let running = 0;
  const runningOf = new Map<string, number>();
  const mayBegin = (account: string) => running < atOnce && (runningOf.get(account) ?? 0) < atOnceOfAccount;

  const enqueue = (account: string, task: Task) => {
    const tasks = waiting.get(account) ?? [];
    if (tasks.length >= waitingMax) {
      throw new SallyportError('UNAVAILABLE', 'Too many such requests are queued. Retry in a few seconds.');
    }
    tasks.push(task);
    waiting.set(account, tasks);
  };

  const leave = (account: string, task: Task) => {
    const tasks = waiting.get(account)?.filter((other) => other !== task) ?? [];
    if (tasks.length === 0) waiting.delete(account);
    else waiting.set(account, tasks);
  };

  const beginNext = () => {
    for (const [account, tasks] of waiting) {
      if (!mayBegin(account)) continue;
      const task = tasks.shift();
      waiting.delete(account);
      if (tasks.length > 0) waiting.set(account, tasks);
      task?.begin();
      return;
    }
  };

  const count = (account: string, change: 1 | -1) => {
    running += change;
    const ofAccount = (runningOf.get(account) ?? 0) + change;
    if (ofAccount === 0) runningOf.delete(account);
    else runningOf.set(account, ofAccount);
  };

  const perform = async <T>(account: string, work: () => T | Promise<T>): Promise<T> => {
    count(account, 1);
    const begunMs = performance.now();
    const end = () => {
      count(account, -1);
      // In a turn of its own, so that everybody else gets one between two pieces of work.
      setImmediate(beginNext);
    };
    try {
      return await work();
    } finally {
      // What a piece sets off in the same turn counts as well.
      if (rests) setImmediate(() => setTimeout(end, performance.now() - begunMs));
      else end();
    }
  };

  return {
    async run(account, work, signal) {
      signal?.throwIfAborted();
      if (mayBegin(account) && !waiting.has(account)) return perform(account, work);
      return new Promise((resolve, reject) => {
        const drop = () => {
          leave(account, task);
          reject(signal?.reason);
        };
        const task: Task = {
          begin() {
            signal?.removeEventListener('abort', drop);
            resolve(perform(account, work));
          },
        };
        enqueue(account, task);
        signal?.addEventListener('abort', drop, { once: true });
      });
    },
  };
}
