// Several processes behind one port, on a database that several may serve: this one starts them, hands them connections in turn
// (node:cluster), replaces one that ends, and ends them all.

import cluster, { type Worker } from 'node:cluster';
import { readConfig } from '../config.ts';
import { messageOf } from '../domain/wording.ts';
import { createLog } from '../telemetry/log.ts';
import { closeUnanswered } from './handed-connections.ts';
import { createRelay, type FromWorker, tellPrimary } from './peers.ts';
import type { EndSignals } from './signals.ts';

/** What a process does on behalf of all of them. */
export interface Duties {
  /** Prints that the server runs, and the first API key. */
  readonly welcomes: boolean;
  /** Keeps the database up, and counts what is in it for the metrics. */
  readonly keepsUp: boolean;
}

/** By the names under which they are given to a worker. */
const duties = {
  first: { welcomes: true, keepsUp: true },
  keeper: { welcomes: false, keepsUp: true },
  other: { welcomes: false, keepsUp: false },
} as const satisfies Record<string, Duties>;
type Duty = keyof typeof duties;

/** Not a setting: only a worker has it, from the process that has started it. */
const dutyVariable = 'SALLYPORT_WORKER_DUTY';

/** Gives the duties of this process: all of them where it has no others beside it. */
export function readDuties(): Duties {
  const given = cluster.isWorker ? process.env[dutyVariable] : 'first';
  return given === 'keeper' || given === 'other' ? duties[given] : duties.first;
}

/** Tells that this process serves. */
export function reportReady(): void {
  tellPrimary({ type: 'ready' });
}

/** Milliseconds before another worker is started: doubled each time that one ends before it is ready, so that none is started all the time. */
const restartMsMin = 1_000;
const restartMsMax = 30_000;

/**
 * Starts as many workers as are configured, and sees to them until a signal ends the process. The first one starts alone: it migrates
 * the database and makes the first account. If it cannot, it has printed why, and the process exits as it did.
 */
export function superviseWorkers(signals: EndSignals): void {
  try {
    const { workers, logLevel } = readConfig(process.env);
    supervise(workers, createLog(logLevel), signals);
  } catch (error) {
    process.stderr.write(`Sallyport cannot run. ${messageOf(error)}\n`);
    process.exitCode = 1;
  }
}

function supervise(count: number, log: ReturnType<typeof createLog>, signals: EndSignals): void {
  const dutyOf = new Map<Worker, Duty>();
  const ready = new Set<Worker>();
  const relay = createRelay(() => ready);
  let exitCode = 0;
  let restartMs = restartMsMin;
  // Times and long lists are sent as they are.
  cluster.setupPrimary({ serialization: 'advanced' });

  const start = (duty: Duty) => {
    if (signals.asked !== null) return;
    let worker: Worker;
    try {
      worker = cluster.fork({ [dutyVariable]: duty });
    } catch (error) {
      // Of want of files and processes Node tells by an event, of the rest, such as want of memory, so.
      lost(duty, false, null, messageOf(error));
      return;
    }
    dutyOf.set(worker, duty);
    closeUnanswered(worker);
    worker.on('error', ({ message }) => {
      // One that has not begun has no exit. The other errors are of what did not reach a worker that has just ended, such as Node's answer
      // when it had asked to listen: its exit follows.
      if (worker.process.pid === undefined) ended(worker, null, message);
    });
  };
  const end = async () => {
    await log.last('stopped');
    process.exit(exitCode);
  };
  cluster.on('message', (worker: Worker, message: FromWorker) => {
    relay.heard(worker, message);
    if (message.type !== 'ready') return;
    ready.add(worker);
    restartMs = restartMsMin;
    if (dutyOf.get(worker) === 'first') for (let others = 1; others < count; others++) start('other');
  });
  const ended = (worker: Worker, code: number | null, cause: string | null) => {
    const duty = dutyOf.get(worker) ?? 'other';
    const wasReady = ready.delete(worker);
    dutyOf.delete(worker);
    relay.ended(worker);
    lost(duty, wasReady, code, cause);
  };
  /**
   * Sees to it that another worker takes the place of one.
   *
   * @param code null if a signal ended it, or it never began: `cause` says so then
   */
  const lost = (duty: Duty, wasReady: boolean, code: number | null, cause: string | null) => {
    if (signals.asked !== null) {
      // It ended by this signal before it could catch any.
      if (cause === null || wasReady) exitCode ||= code ?? 1;
      if (dutyOf.size === 0) void end();
      return;
    }
    // Nobody is left to serve, which is for whatever started this process to deal with. A worker that could not start has said why.
    if (dutyOf.size === 0) {
      const isTold = wasReady || cause !== null;
      const told = isTold ? log.last(`the last worker has ended (${cause ?? `exit code ${code}`})`, 'error') : null;
      void Promise.resolve(told).then(() => process.exit(code || 1));
      return;
    }
    if (!wasReady) restartMs = Math.min(2 * restartMs, restartMsMax);
    log.trouble(
      `a worker has ended (${cause ?? `exit code ${code}`}); another one is started in ${restartMs / 1000} s`,
    );
    setTimeout(start, restartMs, duty === 'other' ? 'other' : 'keeper');
  };
  cluster.on('exit', ended);
  signals.whenAsked((signal) => {
    log.event({ signal }, 'stopping all workers');
    // A signal and not a message: a worker that is still loading hears it as well.
    for (const worker of dutyOf.keys()) worker.process.kill(signal);
    if (dutyOf.size === 0) void end();
  });
  start('first');
}
