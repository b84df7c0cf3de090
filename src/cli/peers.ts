// Questions between the processes behind one port: each counts alone, and any of them may be asked for the counts of all. They ask
// through the process that started them (`workers.ts`), which forwards questions without understanding them.

import cluster, { type Worker } from 'node:cluster';
import type { Warnings } from '../domain/access/warnings.ts';
import type { MetricValues } from '../telemetry/metrics.ts';

/** The questions with their arguments and answers, which must be structured-cloneable. */
interface Questions {
  readonly metrics: { readonly asked: null; readonly answer: MetricValues };
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
  answer<Q extends keyof Questions>(question: Q, answer: Answers[Q]): void;
  /**
   * Asks all processes, including this one. Resolves with the answers that come within two seconds. A process that misses this
   * deadline is not waited for again until it answers a question.
   */
  ask<Q extends keyof Questions>(question: Q, asked: Questions[Q]['asked']): Promise<Questions[Q]['answer'][]>;
}

/** A message from a worker to the process that started it. */
export type FromWorker =
  | { readonly type: 'ready' }
  | { readonly type: 'ask'; readonly id: number; readonly question: string; readonly asked: unknown }
  /** `found` is empty if the worker has no answer. */
  | { readonly type: 'answer'; readonly id: number; readonly found: readonly unknown[] };

type ToWorker =
  | { readonly type: 'question'; readonly id: number; readonly question: string; readonly asked: unknown }
  | { readonly type: 'answers'; readonly id: number; readonly answers: readonly unknown[] };

/** Milliseconds after which a question is answered with the answers so far. */
const answerMsMax = 2_000;

/** Creates a worker's access to its peers. A process without peers asks itself. */
export function createPeers(): Peers {
  const answers: Partial<Record<string, (asked: never) => unknown>> = {};
  const find = async (question: string, asked: unknown): Promise<unknown[]> => {
    const answer = answers[question];
    // Questions and their arguments come from `ask`, in this process or another one of the same program.
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
      // Answers come from `answer`, in this process or another one of the same program.
      return found as Promise<Questions[Q]['answer'][]>;
    },
  };
}

/** Sends a message to the process that started this one. A no-op in any process that is not a worker. */
export function tellPrimary(message: FromWorker): void {
  // The channel is gone if that process has ended, and this one ends with it.
  if (cluster.isWorker && process.connected) process.send?.(message);
}

/** Listens to messages from the process that started this one. */
function onMessage(listener: (message: ToWorker) => void): void {
  if (cluster.isWorker) process.on('message', listener);
}

function tellWorker(worker: Worker, message: ToWorker): void {
  if (worker.isConnected()) worker.send(message);
}

/** Forwards questions of workers, and returns the answers. */
export interface Relay {
  heard(worker: Worker, message: FromWorker): void;
  ended(worker: Worker): void;
}

/** A pending question. */
interface Asked {
  readonly asker: Worker;
  readonly id: number;
  /** Workers that have not answered. */
  readonly asks: Set<Worker>;
  /** The workers among them whose answers are still waited for. */
  readonly waitsFor: Set<Worker>;
  readonly answers: unknown[];
  readonly timer: NodeJS.Timeout;
}

/**
 * Creates a relay.
 *
 * @param workers returns the workers to ask
 */
export function createRelay(workers: () => Iterable<Worker>): Relay {
  const underway = new Map<number, Asked>();
  // Workers that missed a deadline. They are still asked, but not waited for until they answer again.
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
      // Includes the asker even while it is still starting: it knows its own counts.
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
