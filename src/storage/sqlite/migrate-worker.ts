// Migrates in a separate thread: rebuilding a large table takes minutes, and SQLite works synchronously.

import { extname } from 'node:path';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import type { MigrationTarget } from '../engine.ts';
import { migrate, pendingMigrations } from '../lifecycle/migrate.ts';
import { createMigrationTarget } from './migrations.ts';

/** The data passed to the thread, which also distinguishes it from other threads that load this file. */
interface Task {
  readonly migratePath: string;
}

/** Applies the pending migrations of a database file, like `migrate`, without blocking this thread. */
export async function migrateInWorker(path: string, migrations: MigrationTarget): Promise<string[]> {
  // Starting a thread takes longer than finding out that there is nothing to do.
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
  // A failure ends the thread, which is how the main thread learns of it.
  void migrate({ migrations: createMigrationTarget(workerData.migratePath) }).then((applied) => {
    parentPort?.postMessage(applied);
  });
}
