// Migrates in a thread of its own: a large table takes minutes to be built anew, and SQLite works synchronously.

import { extname } from 'node:path';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import type { MigrationTarget } from '../engine.ts';
import { migrate, pendingMigrations } from '../migrate.ts';
import { createMigrationTarget } from './migrations.ts';

/** What the thread is given, which tells it from other threads that load this file. */
interface Task {
  readonly migratePath: string;
}

/** Applies the migrations that a database file lacks, as `migrate` does. This thread goes on meanwhile. */
export async function migrateInWorker(path: string, migrations: MigrationTarget): Promise<string[]> {
  // A thread takes longer to start than it takes to see that there is nothing to do.
  if ((await pendingMigrations({ migrations })).length === 0) return [];
  const task: Task = { migratePath: path };
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(`./migrate-worker${extname(import.meta.filename)}`, import.meta.url), {
      workerData: task,
    });
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', (code) => reject(new Error(`The migration ended early, with code ${code}.`)));
  });
}

function isTask(value: unknown): value is Task {
  return typeof value === 'object' && value !== null && 'migratePath' in value;
}

if (!isMainThread && isTask(workerData)) {
  // A failure ends the thread, which is how the main thread hears of it.
  void migrate({ migrations: createMigrationTarget(workerData.migratePath) }).then((applied) => {
    parentPort?.postMessage(applied);
  });
}
