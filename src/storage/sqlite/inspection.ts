// Looks through the pages of a database while a server uses it, in a thread of its own: a gigabyte takes a second.

import { extname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import Database from 'better-sqlite3';
import { isDamageCode } from './errors.ts';
import { identityOf } from './files.ts';

/** Looks for damage. */
export interface Inspection {
  /**
   * Reads every page from the disk and checks what it holds, unless that was done a moment ago: the thread works for at most
   * a fiftieth of the time, however often it is asked. Tells of what it finds.
   */
  run(): Promise<void>;
  /** Ends the thread. Waits only a moment for one that is busy. */
  close(): Promise<void>;
  /** Resolves when the thread has ended, however long that takes. Call `close` first. */
  ended(): Promise<void>;
}

/** What the thread is given, which tells it from other threads that load this file. */
interface Task {
  readonly inspectPath: string;
  /** Which file that was when the server opened it. */
  readonly identity: string | null;
}

/** Shortest time between two inspections, in milliseconds, and how many times as long as the last one it must be. */
const restMsMin = 1_000;
const restFactor = 50;
/** Longest time that `close` waits for the thread, in milliseconds: SQLite cannot be interrupted. */
const endMsMax = 2_000;
/** Kibibytes of pages that the thread keeps: none is looked at twice. */
const cacheKiB = 1_000;

/**
 * Creates the inspection of a database that was just opened. The thread starts with the first run, and opens the file once:
 * that which the server has. While another one lies in its place nothing is found, and the next run tries again.
 *
 * @param onFault told of damage, in SQLite's words
 */
export function createInspection(path: string, onFault: (fault: string) => void): Inspection {
  const task: Task = { inspectPath: path, identity: identityOf(path) };
  let worker: Worker | undefined;
  let running: Promise<void> | undefined;
  let restUntilMs = 0;
  let closed = false;
  let ended = Promise.resolve();

  const start = () => {
    const started = startThread(task);
    ended = new Promise((resolve) => {
      started.once('exit', () => {
        if (worker === started) worker = undefined;
        resolve();
      });
    });
    return started;
  };
  const runNow = async () => {
    const begunMs = performance.now();
    worker ??= start();
    const fault = await ask(worker);
    if (fault !== null) onFault(fault);
    const endedMs = performance.now();
    restUntilMs = endedMs + Math.max(restMsMin, restFactor * (endedMs - begunMs));
  };
  return {
    run() {
      if (closed || (running === undefined && performance.now() < restUntilMs)) return Promise.resolve();
      running ??= runNow().finally(() => {
        running = undefined;
      });
      return running;
    },
    async close() {
      closed = true;
      if (worker === undefined) return;
      // From here on the thread keeps the process alive, which must not end in the middle of its stop.
      worker.ref();
      // Asked, not terminated: that does not interrupt SQLite either, and breaks the process when the file is being opened.
      worker.postMessage('close');
      await Promise.race([ended, pause(endMsMax, undefined, { ref: false })]);
    },
    ended: () => ended,
  };
}

function startThread(task: Task): Worker {
  const worker = new Worker(new URL(`./inspection${extname(import.meta.filename)}`, import.meta.url), {
    workerData: task,
  });
  // A thread that idles keeps no process alive. What goes wrong in it ends it, and whoever waits for it hears of that.
  worker.unref();
  worker.on('error', () => {});
  return worker;
}

/** Has the thread look, and gives what it found. Throws Error when the thread ends. */
function ask(worker: Worker): Promise<string | null> {
  return new Promise((resolve, reject) => {
    const found = (fault: string | null) => {
      worker.off('exit', ended);
      resolve(fault);
    };
    const ended = () => {
      worker.off('message', found);
      reject(new Error('The thread that inspects the database has ended.'));
    };
    worker.once('message', found);
    worker.once('exit', ended);
    worker.postMessage('look');
  });
}

/** Opens the file that the server has; null when another one, or none, is in its place. */
function openSame({ inspectPath, identity }: Task): Database.Database | null {
  if (identityOf(inspectPath) !== identity) return null;
  const database = new Database(inspectPath, { readonly: true, fileMustExist: true, timeout: 1_000 });
  // It may have been replaced since it was looked at.
  if (identityOf(inspectPath) === identity) return database;
  database.close();
  return null;
}

/** Finds the first fault of a database; null when there is none. A file that cannot be read now has none. */
function firstFault(database: Database.Database): string | null {
  try {
    database.pragma(`cache_size = -${cacheKiB}`);
    // Pages that were read before say nothing about the disk.
    database.pragma('shrink_memory');
    const found = database.prepare<[], string>('PRAGMA quick_check(1)').pluck().get();
    return found === undefined || found === 'ok' ? null : found;
  } catch (error) {
    if (!(error instanceof Database.SqliteError)) throw error;
    return isDamageCode(error.code) ? error.message : null;
  }
}

function isTask(value: unknown): value is Task {
  return typeof value === 'object' && value !== null && 'inspectPath' in value;
}

if (!isMainThread && parentPort !== null && isTask(workerData)) {
  const port = parentPort;
  const task = workerData;
  let database: Database.Database | null = null;
  port.on('message', (message: string) => {
    if (message === 'close') {
      database?.close();
      port.close();
      return;
    }
    database ??= openSame(task);
    port.postMessage(database === null ? null : firstFault(database));
  });
}
