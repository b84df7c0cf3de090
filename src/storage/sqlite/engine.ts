// SQLite as an engine: one database file with the files that belong to it, served by one process.

import type { Engine } from '../engine.ts';
import { backUp } from './backup.ts';
import { sqliteDialect } from './dialect.ts';
import { isThere, keyFileOf, makeFilesPrivate } from './files.ts';
import { lockDatabase } from './lock.ts';
import { migrateInWorker } from './migrate-worker.ts';
import { createMigrationTarget } from './migrations.ts';
import { openDatabase } from './open.ts';
import { examineStructure, reading } from './reading.ts';
import { restore } from './restore.ts';
import { checkSurroundings } from './surroundings.ts';

const remedy =
  'See whether its disk has room and can be written, and no other program has the file open; then try again.';

/** Creates the engine of a database file. Nothing is opened yet. */
export function createSqliteEngine(path: string): Engine {
  const keyed = { name: path, keyFile: keyFileOf(path) };
  const migrations = createMigrationTarget(path);
  return {
    ...keyed,
    title: 'SQLite',
    remedy,
    isShared: false,
    dialect: sqliteDialect,
    migrations,
    exists: async () => isThere(path),
    hold: async (purpose) => lockDatabase(path, { make: purpose === 'serve' }),
    // A file that cannot be written says so when it is locked.
    untilWritable: async () => {},
    makeFilesPrivate: () => makeFilesPrivate(path),
    migrateAside: () => migrateInWorker(path, migrations),
    open: (options) => openDatabase(path, options),
    reading: (work) => reading(path, work),
    examineStructure: async () => examineStructure(path),
    gauges: [],
    checkSurroundings: async () => checkSurroundings(path),
    backUp: (file, onProgress) => backUp(path, file, onProgress),
    restore: (options) => restore(keyed, options),
  };
}
