// Several processes behind one port, on a database that several may serve. The primary process starts them, hands them connections
// in turn (node:cluster), replaces any that ends, and stops them all.

import cluster, { type Worker } from 'node:cluster';
import { readConfig } from '../config.ts';
import { messageOf } from '../domain/wording.ts';
import { createLog } from '../telemetry/log.ts';
import { closeUnanswered } from './handed-connections.ts';
import { linesOf, tell } from './output.ts';
import { createRelay, type FromWorker, tellPrimary } from './peers.ts';
import type { EndSignals } from './signals.ts';

/** What a process does on behalf of all. */
export interface Duties {
  /** Whether it prints that the server runs, and the first API key. */
  readonly welcomes: boolean;
  /** Whether it does the upkeep of the database, and counts its contents for the metrics. */
  readonly keepsUp: boolean;
}

const duties = {
  first: { welcomes: true, keepsUp: true },
  keeper: { welcomes: false, keepsUp: true },
  other: { welcomes: false, keepsUp: false },
} as const satisfies Record<string, Duties>;
type Duty = keyof typeof duties;

/** Not a setting: the primary process sets it for each worker. */
const dutyVariable = 'SALLYPORT_WORKER_DUTY';

/** Returns the duties of this process: all of them if it is the only one. */
export function readDuties(): Duties {
  const given = cluster.isWorker ? process.env[dutyVariable] : 'first';
  return given === 'keeper' || given === 'other' ? duties[given] : duties.first;
}

/** Reports to the primary process that this one serves. */
export function reportReady(): void {
  tellPrimary({ type: 'ready' });
}

/** Milliseconds before a worker is replaced: doubled each time that one ends before it is ready, to avoid constant restarts. */
const restartMsMin = 1_000;
const restartMsMax = 30_000;

/**
 * Starts the configured number of workers, and supervises them until a signal ends the process. The first worker starts alone: it
 * migrates the database and creates the first account. If it fails, it prints why, and this process exits with its exit code.
 */
export function superviseWorkers(signals: EndSignals): void {
  try {
    const { workers, logLevel } = readConfig(process.env);
    supervise(workers, createLog(logLevel), signals);
  } catch (error) {
    tell(...linesOf(error, 'Sallyport cannot run. '));
    process.exitCode = 1;
  }
}

function supervise(count: number, log: ReturnType<typeof createLog>, signals: EndSignals): void {
  const dutyOf = new Map<Worker, Duty>();
  const ready = new Set<Worker>();
  const relay = createRelay(() => ready);
  let exitCode = 0;
  let restartMs = restartMsMin;
  // Structured clone: sends times and long lists without converting them to JSON.
  cluster.setupPrimary({ serialization: 'advanced' });

  const start = (duty: Duty) => {
    if (signals.asked !== null) return;
    let worker: Worker;
    try {
      worker = cluster.fork({ [dutyVariable]: duty });
    } catch (error) {
      // Node reports a lack of files or processes by an event, and everything else, such as a lack of memory, by throwing.
      lost(duty, false, null, messageOf(error));
      return;
    }
    dutyOf.set(worker, duty);
    closeUnanswered(worker);
    worker.on('error', ({ message }) => {
      // A worker that never started emits no exit. Other errors are messages that did not reach a worker that has just ended, such
      // as Node's answer to its request to listen: its exit follows.
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
   * Arranges the replacement of a lost worker.
   *
   * @param code the exit code; null if a signal ended the worker, or it never started, as `cause` says
   */
  const lost = (duty: Duty, wasReady: boolean, code: number | null, cause: string | null) => {
    if (signals.asked !== null) {
      // A worker that the signal ended before it could catch it counts as stopped in order.
      if (cause === null || wasReady) exitCode ||= code ?? 1;
      if (dutyOf.size === 0) void end();
      return;
    }
    // No worker is left: exits, so that whatever started this process can react. A worker that could not start has printed why.
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
    // A signal rather than a message, because it also reaches a worker that is still loading.
    for (const worker of dutyOf.keys()) worker.process.kill(signal);
    if (dutyOf.size === 0) void end();
  });
  start('first');
}
