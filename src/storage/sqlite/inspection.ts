// Checks all pages of a database while a server uses it, in a separate thread: a gigabyte takes a second.

import { extname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import type Database from 'better-sqlite3';
import { Sqlite } from './driver.ts';
import { isDamageCode } from './errors.ts';
import { identityOf } from './files.ts';

/** Looks for damage. */
export interface Inspection {
  /**
   * Reads every page from the disk and checks its contents, unless that was done a moment ago: the thread works for at most
   * a fiftieth of the time, however often this is called. Reports damage to `onFault`.
   */
  run(): Promise<void>;
  /** Ends the thread. Waits only briefly if it is busy. */
  close(): Promise<void>;
  /** Resolves when the thread has ended, however long that takes. Call `close` first. */
  ended(): Promise<void>;
}

/** The data passed to the thread, which also distinguishes it from other threads that load this file. */
interface Task {
  readonly inspectPath: string;
  /** The identity of the file when the server opened it. */
  readonly identity: string | null;
}

/** Shortest rest between two inspections: in milliseconds, and as a multiple of the last inspection's duration. */
const restMsMin = 1_000;
const restFactor = 50;
/** Longest time that `close` waits for the thread, in milliseconds: SQLite cannot be interrupted. */
const endMsMax = 2_000;
/** A check that is too short for the log to have grown, in milliseconds, and the longest rest after a longer one. */
const [shortMs, gapMsMax] = [20, 200];
/** Page cache of the thread, in KiB. Small, because no page is read twice. */
const cacheKiB = 1_000;

/**
 * Creates the inspection of a database that was just opened. The thread starts with the first run, and opens the file only
 * once: the same file that the server has open. While another file is in its place, nothing is found, and the next run tries again.
 *
 * @param onFault called with SQLite's message if damage is found
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
      // From here on the thread keeps the process alive, so that the process does not exit in the middle of the stop.
      worker.ref();
      // Not terminated: that does not interrupt SQLite either, and crashes the process while the file is being opened.
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
  // An idle thread does not keep the process alive. An error ends the thread, and `ask` rejects when it exits.
  worker.unref();
  worker.on('error', () => {});
  return worker;
}

/** Has the thread inspect the database, and returns the fault it found, or null. Throws Error if the thread ends. */
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

/** Opens the file that the server has open; returns null if another file, or none, is in its place. */
function openSame({ inspectPath, identity }: Task): Database.Database | null {
  if (identityOf(inspectPath) !== identity) return null;
  const database = new Sqlite(inspectPath, { readonly: true, fileMustExist: true, timeout: 1_000 });
  // The file may have been replaced since the check above.
  if (identityOf(inspectPath) === identity) return database;
  database.close();
  return null;
}

/**
 * Returns the first fault of a database; null if there is none, or the file cannot be read at the moment. Checks one table after the
 * other, with a rest after each: as long as one reads, the log cannot begin anew, and grows with every change. Stops when nobody waits
 * for it any more.
 */
async function firstFault(database: Database.Database, isOver: () => boolean): Promise<string | null> {
  try {
    database.pragma(`cache_size = -${cacheKiB}`);
    // Drops the cache: cached pages say nothing about the disk.
    database.pragma('shrink_memory');
    const tables = database.prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name");
    for (const table of ['sqlite_schema', ...tables.pluck().all()]) {
      if (isOver()) break;
      const begunMs = performance.now();
      const check = database.prepare<[], string>(`PRAGMA quick_check("${table.replaceAll('"', '""')}")`);
      const found = check.pluck().get();
      if (found !== undefined && found !== 'ok') return found;
      const tookMs = performance.now() - begunMs;
      if (tookMs > shortMs) await pause(Math.min(tookMs, gapMsMax));
    }
    return null;
  } catch (error) {
    if (!(error instanceof Sqlite.SqliteError)) throw error;
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
  let looking: Promise<void> = Promise.resolve();
  let isOver = false;
  port.on('message', (message: string) => {
    isOver ||= message === 'close';
    // One after the other: a look rests in its middle.
    looking = looking.then(async () => {
      if (message === 'close') {
        database?.close();
        port.close();
        return;
      }
      database ??= openSame(task);
      port.postMessage(database === null ? null : await firstFault(database, () => isOver));
    });
  });
}
