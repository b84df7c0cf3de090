// A queue for a scarce resource: only a few tasks run at once, and waiting accounts take turns, so that no account can delay the
// others by asking for more. If strangers can send requests, the senders within one account take turns as well. Pure except for
// the event loop: its order, and the timers of tasks that may wait only so long.

import { SallyportError } from '../errors.ts';
import { beginSteps } from './time-steps.ts';

export interface WorkQueueOptions {
  /** How many tasks run at the same time. */
  readonly atOnce: number;
  /** How many of them may belong to one owner, for work that can drag on; default: all of them. */
  readonly atOnceOfOwner?: number;
  /** Whether the queue rests after each task for as long as the task took, so that all other work gets half of the time. */
  readonly rests?: boolean;
  /**
   * The step, in milliseconds, at whose ends work that fails is told so, and the next begins; default: at once. How long it worked then
   * shows neither in its own answer nor in that of the next. It counts as the rest, too.
   */
  readonly failureStepMs?: number;
  /** How many tasks may be queued for one owner. More are refused, so that no queue grows without bound. */
  readonly waitingMax: number;
  /** How many of them may come from one sender; default: all of them. */
  readonly waitingMaxOfSender?: number;
  /** How many tasks may be queued for all owners together, if each task holds much memory; default: unlimited. */
  readonly waitingMaxOfAll?: number;
}

export interface WaitingOptions {
  /** The sender of the request, if it may be a stranger. */
  readonly sender?: string;
  /** Whether the task goes before those of the same sender that do not. */
  readonly ahead?: boolean;
  /** How long the task may wait, in milliseconds; default: forever. */
  readonly waitingMsMax?: number;
}

/**
 * Fires when nobody is waiting for the work any more. Given as a function, the signal is created only if the work has to queue,
 * because creating one costs as much as a short SQL statement.
 */
export type Departure = AbortSignal | (() => AbortSignal);

/** Shares a resource between owners: accounts, or objects that only a few tasks may work on at once. */
export interface WorkQueue {
  /**
   * Runs work when it is its owner's turn. If too many tasks are queued for one owner, the last task of the sender with the most
   * tasks is refused, even if it is already in the queue: a sender of many tasks must not keep out a sender of few. If too many
   * tasks are queued for all owners, a task of the owner with the most is refused.
   *
   * @param owner the id of the account, or a key that identifies the object
   * @param departure drops the work if it fires before the work begins; work that has begun goes on
   * @throws UNAVAILABLE if too many tasks are queued, or the task has waited too long; the reason of the signal; and whatever the
   *   work throws
   */
  run<T>(owner: string, work: () => T | Promise<T>, departure?: Departure, options?: WaitingOptions): Promise<T>;
  /** Refuses a task early, before what it works on has come, if its sender has as many waiting as it may. Throws UNAVAILABLE. */
  refuseIfFull(owner: string, sender: string): void;
}

const tooMany = 'Too many such requests are queued. Retry in a few seconds.';
const tooLong = 'The request has waited too long for those before it, and was not carried out. Retry in a few seconds.';

interface Task {
  readonly owner: string;
  readonly sender: string;
  readonly ahead: boolean;
  begin(): void;
  refuse(reason?: string): void;
}

/** Tasks waiting for one owner, by sender, in turn order. */
type Waiting = Map<string, Task[]>;

/** Creates a queue for one resource. */
export function createWorkQueue({
  atOnce,
  atOnceOfOwner = atOnce,
  rests = false,
  failureStepMs,
  waitingMax,
  waitingMaxOfSender = waitingMax,
  waitingMaxOfAll = Number.POSITIVE_INFINITY,
}: WorkQueueOptions): WorkQueue {
  // By owner, in turn order: an owner that has just had a turn moves to the end.
  const waiting = new Map<string, Waiting>();
  let running = 0;
  const runningOf = new Map<string, number>();
  const mayBegin = (owner: string) => running < atOnce && (runningOf.get(owner) ?? 0) < atOnceOfOwner;

  const enqueue = (task: Task) => {
    const senders: Waiting = waiting.get(task.owner) ?? new Map<string, Task[]>();
    const tasks = senders.get(task.sender) ?? [];
    senders.set(task.sender, tasks);
    waiting.set(task.owner, senders);
    const behind = task.ahead ? tasks.findIndex(({ ahead }) => !ahead) : -1;
    tasks.splice(behind === -1 ? tasks.length : behind, 0, task);
    if (tasks.length > waitingMaxOfSender) tasks.at(-1)?.refuse();
    else if (countOf(senders) > waitingMax) longest(tasks, senders).at(-1)?.refuse();
    else if (waitingMaxOfAll < Number.POSITIVE_INFINITY) {
      const all = [...waiting.values()];
      if (all.reduce((sum, each) => sum + countOf(each), 0) <= waitingMaxOfAll) return;
      const most = all.reduce((found, each) => (countOf(each) > countOf(found) ? each : found), senders);
      longest(most === senders ? tasks : [], most)
        .at(-1)
        ?.refuse();
    }
  };

  const leave = (task: Task) => {
    const { owner, sender } = task;
    const senders = waiting.get(owner);
    const others = senders?.get(sender)?.filter((other) => other !== task) ?? [];
    if (others.length > 0) senders?.set(sender, others);
    else senders?.delete(sender);
    if (senders?.size === 0) waiting.delete(owner);
  };

  const beginNext = () => {
    for (const [owner, senders] of waiting) {
      if (!mayBegin(owner)) continue;
      const [[sender, [task, ...others]] = ['', []]] = senders;
      senders.delete(sender);
      if (others.length > 0) senders.set(sender, others);
      waiting.delete(owner);
      if (senders.size > 0) waiting.set(owner, senders);
      task?.begin();
      return;
    }
  };

  const count = (owner: string, change: 1 | -1) => {
    running += change;
    const ofOwner = (runningOf.get(owner) ?? 0) + change;
    if (ofOwner === 0) runningOf.delete(owner);
    else runningOf.set(owner, ofOwner);
  };

  const perform = async <T>(owner: string, work: () => T | Promise<T>): Promise<T> => {
    count(owner, 1);
    const begunMs = performance.now();
    const tookMs = () => performance.now() - begunMs;
    const steps = failureStepMs === undefined ? undefined : beginSteps(failureStepMs);
    let hasRested = !rests;
    const end = () => {
      count(owner, -1);
      beginNext();
    };
    try {
      return await work();
    } catch (error) {
      if (steps !== undefined) {
        await steps.until(2 * tookMs());
        hasRested = true;
      }
      throw error;
    } finally {
      steps?.stop();
      // In its own event loop turn, so that everything else gets a turn between two tasks, even if the queue is empty now and the
      // next task is requested in this turn. Work that a task starts in the same turn counts as part of it.
      setImmediate(hasRested ? end : () => setTimeout(end, tookMs()));
    }
  };

  return {
    refuseIfFull(owner, sender) {
      const tasks = waiting.get(owner)?.get(sender) ?? [];
      if (tasks.length >= waitingMaxOfSender) throw new SallyportError('UNAVAILABLE', tooMany);
    },

    async run(owner, work, departure, { sender = '', ahead = false, waitingMsMax } = {}) {
      const waits = !mayBegin(owner) || waiting.has(owner);
      if (!waits && typeof departure === 'function') return perform(owner, work);
      const signal = typeof departure === 'function' ? departure() : departure;
      signal?.throwIfAborted();
      if (!waits) return perform(owner, work);
      return new Promise((resolve, reject) => {
        const stop = () => {
          signal?.removeEventListener('abort', drop);
          clearTimeout(late);
        };
        const drop = () => {
          stop();
          leave(task);
          reject(signal?.reason);
        };
        const task: Task = {
          owner,
          sender,
          ahead,
          begin() {
            stop();
            resolve(perform(owner, work));
          },
          refuse(reason = tooMany) {
            stop();
            leave(task);
            reject(new SallyportError('UNAVAILABLE', reason));
          },
        };
        const late = waitingMsMax === undefined ? undefined : setTimeout(() => task.refuse(tooLong), waitingMsMax);
        signal?.addEventListener('abort', drop, { once: true });
        enqueue(task);
      });
    },
  };
}

function countOf(senders: Waiting): number {
  let count = 0;
  for (const tasks of senders.values()) count += tasks.length;
  return count;
}

/** Returns the tasks of the sender with the most; `first` wins a tie. */
function longest(first: readonly Task[], senders: Waiting): readonly Task[] {
  return [...senders.values()].reduce((most, tasks) => (tasks.length > most.length ? tasks : most), first);
}
