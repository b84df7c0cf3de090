// A queue for work that is scarce: a few pieces at once, and the accounts that wait take turns, so that none of them can
// keep the others waiting by asking for more. Where strangers ask, those who ask for one account take turns as well. Pure but for
// the order of the event loop.

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
  /** How many of them may be of one sender; as many as wait at all unless given. */
  readonly waitingMaxOfSender?: number;
  /** How many pieces may wait for all accounts together, where each holds much memory; without a bound unless given. */
  readonly waitingMaxOfAll?: number;
  /** How long a piece may wait, in milliseconds; for ever unless given. */
  readonly waitingMsMax?: number;
}

/** Shares a resource between accounts. */
export interface WorkQueue {
  /**
   * Does a piece of work when it is the turn of its account.
   *
   * @param account whose work it is
   * @param signal drops the work if it fires before the work begins; work that has begun goes on
   * @param sender who asks for it, where that may be a stranger. If too much waits for the account, the last piece of the sender
   *   with the most is refused, even if it waits already: whoever asks for little is not kept out by whoever asks for much. If too
   *   much waits for all accounts, it is one of the account with the most
   * @throws UNAVAILABLE when too much of this account is waiting already, or this has waited for too long, the reason of the signal, and whatever the work
   *   throws
   */
  run<T>(account: string, work: () => T | Promise<T>, signal?: AbortSignal, sender?: string): Promise<T>;
}

interface Task {
  readonly account: string;
  readonly sender: string;
  begin(): void;
  refuse(): void;
}

/** What waits for an account, by who asks for it, in the order of their turns. */
type Waiting = Map<string, Task[]>;

/** Creates a queue of its own for one resource. */
export function createWorkQueue({
  atOnce,
  atOnceOfAccount = atOnce,
  rests = false,
  waitingMax,
  waitingMaxOfSender = waitingMax,
  waitingMaxOfAll = Number.POSITIVE_INFINITY,
  waitingMsMax,
}: WorkQueueOptions): WorkQueue {
  // In the order of their turns: whoever has had one goes to the end.
  const waiting = new Map<string, Waiting>();
  let running = 0;
  const runningOf = new Map<string, number>();
  const mayBegin = (account: string) => running < atOnce && (runningOf.get(account) ?? 0) < atOnceOfAccount;

  const enqueue = (task: Task) => {
    const senders: Waiting = waiting.get(task.account) ?? new Map<string, Task[]>();
    const tasks = senders.get(task.sender) ?? [];
    senders.set(task.sender, tasks);
    waiting.set(task.account, senders);
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
    const { account, sender } = task;
    const senders = waiting.get(account);
    const others = senders?.get(sender)?.filter((other) => other !== task) ?? [];
    if (others.length > 0) senders?.set(sender, others);
    else senders?.delete(sender);
    if (senders?.size === 0) waiting.delete(account);
  };

  const beginNext = () => {
    for (const [account, senders] of waiting) {
      if (!mayBegin(account)) continue;
      const [[sender, [task, ...others]] = ['', []]] = senders;
      senders.delete(sender);
      if (others.length > 0) senders.set(sender, others);
      waiting.delete(account);
      if (senders.size > 0) waiting.set(account, senders);
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
    async run(account, work, signal, sender = '') {
      signal?.throwIfAborted();
      if (mayBegin(account) && !waiting.has(account)) return perform(account, work);
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
          account,
          sender,
          begin() {
            stop();
            resolve(perform(account, work));
          },
          refuse() {
            stop();
            leave(task);
            reject(new SallyportError('UNAVAILABLE', 'Too many such requests are queued. Retry in a few seconds.'));
          },
        };
        const late = waitingMsMax === undefined ? undefined : setTimeout(() => task.refuse(), waitingMsMax);
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
