// A queue for work that is scarce: a few pieces at once, and the accounts that wait take turns, so that none of them can
// keep the others waiting by asking for more. Where strangers ask, those who ask for one account take turns as well. Pure but for
// the event loop: its order, and the time that a piece may wait.

import { SallyportError } from './errors.ts';

/** How a queue shares. */
export interface WorkQueueOptions {
  /** How many pieces of work run at the same time. */
  readonly atOnce: number;
  /** How many of them may belong to one owner, where work can be drawn out; all of them unless given. */
  readonly atOnceOfOwner?: number;
  /** Whether the queue rests after a piece for as long as that took, so that all else gets half of the time. */
  readonly rests?: boolean;
  /** How many pieces may wait for one owner. More are refused, so that no queue grows without bound. */
  readonly waitingMax: number;
  /** How many of them may come from one sender; all of them unless given. */
  readonly waitingMaxOfSender?: number;
  /** How many pieces may wait for all owners together, where each holds much memory; unbounded unless given. */
  readonly waitingMaxOfAll?: number;
}

/** How a piece of work waits. */
export interface WaitingOptions {
  /** Who asks for it, where that may be a stranger. */
  readonly sender?: string;
  /** How long it may wait, in milliseconds; for ever unless given. */
  readonly waitingMsMax?: number;
}

/**
 * Fires when nobody waits for a piece of work any more. A function makes the signal when it is needed, which is when the work has to
 * wait: to make one takes as long as a short statement.
 */
export type Departure = AbortSignal | (() => AbortSignal);

/** Shares a resource between owners: accounts, or objects of which each is worked on by a few at once. */
export interface WorkQueue {
  /**
   * Does a piece of work when it is the turn of its owner. If too much waits for one owner, the last piece of the sender with the
   * most is refused, even if it waits already: whoever asks for little is not kept out by whoever asks for much. If too much waits
   * for all owners, it is one of the owner with the most.
   *
   * @param owner whose work it is: the id of an account, or what tells an object from others
   * @param departure drops the work if it fires before the work begins; work that has begun goes on
   * @throws UNAVAILABLE when too much of this owner is waiting already, or this has waited for too long, the reason of the signal,
   *   and whatever the work throws
   */
  run<T>(owner: string, work: () => T | Promise<T>, departure?: Departure, options?: WaitingOptions): Promise<T>;
}

const tooMany = 'Too many such requests are queued. Retry in a few seconds.';
const tooLong = 'The request has waited too long for those before it, and was not carried out. Retry in a few seconds.';

interface Task {
  readonly owner: string;
  readonly sender: string;
  begin(): void;
  refuse(reason?: string): void;
}

/** What waits for an owner, by sender, in the order of their turns. */
type Waiting = Map<string, Task[]>;

/** Creates a queue of its own for one resource. */
export function createWorkQueue({
  atOnce,
  atOnceOfOwner = atOnce,
  rests = false,
  waitingMax,
  waitingMaxOfSender = waitingMax,
  waitingMaxOfAll = Number.POSITIVE_INFINITY,
}: WorkQueueOptions): WorkQueue {
  // In the order of their turns: whoever has had one goes to the end.
  const waiting = new Map<string, Waiting>();
  let running = 0;
  const runningOf = new Map<string, number>();
  const mayBegin = (owner: string) => running < atOnce && (runningOf.get(owner) ?? 0) < atOnceOfOwner;

  const enqueue = (task: Task) => {
    const senders: Waiting = waiting.get(task.owner) ?? new Map<string, Task[]>();
    const tasks = senders.get(task.sender) ?? [];
    senders.set(task.sender, tasks);
    waiting.set(task.owner, senders);
    tasks.push(task);
    if (tasks.length > waitingMaxOfSender) task.refuse();
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
    const end = () => {
      count(owner, -1);
      beginNext();
    };
    try {
      return await work();
    } finally {
      // In a turn of its own, so that everything else gets one between two pieces of work: also if what asks next comes in this turn, and
      // nothing waits yet. Work that a piece starts in the same turn counts as well.
      setImmediate(rests ? () => setTimeout(end, performance.now() - begunMs) : end);
    }
  };

  return {
    async run(owner, work, departure, { sender = '', waitingMsMax } = {}) {
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

/** Gives what waits for the sender with the most: for one before all others that have as many. */
function longest(first: readonly Task[], senders: Waiting): readonly Task[] {
  return [...senders.values()].reduce((most, tasks) => (tasks.length > most.length ? tasks : most), first);
}
