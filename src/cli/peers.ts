// What the processes behind one port ask each other: each counts alone, and one of them is asked what all have counted. They ask
// through the process that has started them (`workers.ts`), which passes questions on and knows nothing of them.

import cluster, { type Worker } from 'node:cluster';
import type { ActivityMinute, Warnings } from '../domain/activity.ts';
import type { MetricValues } from '../telemetry/metrics.ts';

/** What can be asked, and what one process answers: what a structured clone can hold. */
interface Questions {
  readonly metrics: { readonly asked: null; readonly answer: MetricValues };
  readonly minutes: {
    readonly asked: { readonly accountId: string; readonly length: number; readonly now: Date };
    readonly answer: readonly ActivityMinute[];
  };
  readonly warnings: {
    readonly asked: { readonly restrictionIds: readonly string[]; readonly now: Date };
    readonly answer: readonly Warnings[];
  };
}

/** How a process answers each question. */
export type Answers = {
  readonly [Q in keyof Questions]: (
    asked: Questions[Q]['asked'],
  ) => Questions[Q]['answer'] | Promise<Questions[Q]['answer']>;
};

/** The processes behind one port. */
export interface Peers {
  /** Whether this process is the only one. */
  readonly areNone: boolean;
  /** Sets how this process answers one of the questions. */
  answer<Q extends keyof Questions>(question: Q, answer: Answers[Q]): void;
  /**
   * Asks all processes, this one among them. Gives the answers that come within two seconds. A process that missed that is not waited for
   * again until it has answered.
   */
  ask<Q extends keyof Questions>(question: Q, asked: Questions[Q]['asked']): Promise<Questions[Q]['answer'][]>;
}

/** What a worker says to the process that has started it. */
export type FromWorker =
  | { readonly type: 'ready' }
  | { readonly type: 'ask'; readonly id: number; readonly question: string; readonly asked: unknown }
  /** `found` is empty where the worker has no answer. */
  | { readonly type: 'answer'; readonly id: number; readonly found: readonly unknown[] };

/** What it hears from there. */
type ToWorker =
  | { readonly type: 'question'; readonly id: number; readonly question: string; readonly asked: unknown }
  | { readonly type: 'answers'; readonly id: number; readonly answers: readonly unknown[] };

/** Milliseconds after which a question is answered with what has come. */
const answerMsMax = 2_000;

/** Creates what a worker asks its peers with. A process without others asks itself. */
export function createPeers(): Peers {
  const answers: Partial<Record<string, (asked: never) => unknown>> = {};
  const find = async (question: string, asked: unknown): Promise<unknown[]> => {
    const answer = answers[question];
    // Questions and what is asked with them come from `ask`, of this process or of one of the same program.
    return answer === undefined ? [] : [await answer(asked as never)];
  };
  const waiting = new Map<number, (answers: readonly unknown[]) => void>();
  let asked = 0;
  onMessage((message) => {
    if (message.type === 'question') {
      const { id, question } = message;
      const tell = (found: readonly unknown[]) => tellPrimary({ type: 'answer', id, found });
      find(question, message.asked).then(tell, () => tell([]));
    } else if (message.type === 'answers') {
      waiting.get(message.id)?.(message.answers);
      waiting.delete(message.id);
    }
  });
  return {
    areNone: cluster.isPrimary,
    answer(question, answer) {
      answers[question] = answer;
    },
    ask<Q extends keyof Questions>(question: Q, what: Questions[Q]['asked']) {
      const found = cluster.isPrimary
        ? find(question, what)
        : new Promise<readonly unknown[]>((resolve) => {
            asked += 1;
            waiting.set(asked, resolve);
            tellPrimary({ type: 'ask', id: asked, question, asked: what });
          });
      // They come from `answer`, of this process or of one of the same program.
      return found as Promise<Questions[Q]['answer'][]>;
    },
  };
}

/** Says something to the process that has started this one, where one has. */
export function tellPrimary(message: FromWorker): void {
  // Gone with that process, which this one ends with.
  if (cluster.isWorker && process.connected) process.send?.(message);
}

/** Listens to what the process says that has started this one. */
function onMessage(listener: (message: ToWorker) => void): void {
  if (cluster.isWorker) process.on('message', listener);
}

/** Says something to a worker. */
function tellWorker(worker: Worker, message: ToWorker): void {
  if (worker.isConnected()) worker.send(message);
}

/** Passes questions of workers on, and answers back. */
export interface Relay {
  /** Takes what a worker says. */
  heard(worker: Worker, message: FromWorker): void;
  /** Waits no longer for a worker that has ended. */
  ended(worker: Worker): void;
}

/** A question under way. */
interface Asked {
  readonly asker: Worker;
  readonly id: number;
  /** Those that have not answered. */
  readonly asks: Set<Worker>;
  /** Those of them without which the question is not answered yet. */
  readonly waitsFor: Set<Worker>;
  readonly answers: unknown[];
  readonly timer: NodeJS.Timeout;
}

/**
 * Creates a relay.
 *
 * @param workers those that are asked
 */
export function createRelay(workers: () => Iterable<Worker>): Relay {
  const underway = new Map<number, Asked>();
  // Those that have left a question without an answer. They are asked on, and nobody waits for them until they answer again.
  const silent = new WeakSet<Worker>();
  let count = 0;
  const end = (number: number, { asker, id, answers, timer }: Asked) => {
    clearTimeout(timer);
    underway.delete(number);
    tellWorker(asker, { type: 'answers', id, answers });
  };
  const answered = (number: number, worker: Worker, found: readonly unknown[]) => {
    const one = underway.get(number);
    if (one?.asks.delete(worker) !== true) return;
    one.waitsFor.delete(worker);
    one.answers.push(...found);
    if (one.waitsFor.size === 0) end(number, one);
  };
  return {
    heard(worker, message) {
      if (message.type === 'answer') {
        silent.delete(worker);
        answered(message.id, worker, message.found);
      }
      if (message.type !== 'ask') return;
      count += 1;
      const number = count;
      const { id, question, asked } = message;
      // One that is only just starting knows what it has counted itself.
      const asks = new Set([...workers(), worker]);
      const waitsFor = new Set([...asks].filter((each) => each === worker || !silent.has(each)));
      const timer = setTimeout(() => {
        for (const each of waitsFor) silent.add(each);
        end(number, one);
      }, answerMsMax);
      const one: Asked = { asker: worker, id, asks, waitsFor, answers: [], timer };
      underway.set(number, one);
      for (const each of asks) tellWorker(each, { type: 'question', id: number, question, asked });
    },
    ended(worker) {
      for (const number of [...underway.keys()]) answered(number, worker, []);
    },
  };
}
