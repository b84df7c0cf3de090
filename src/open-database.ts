// Opens the database of a process: the server owns the file, the command line visits it.

import { randomBytes } from 'node:crypto';
import type { Config } from './config.ts';
import { migrate, pendingMigrations } from './storage/migrate.ts';
import { findSecretKey } from './storage/secret-key.ts';
import { lockDatabase } from './storage/sqlite/lock.ts';
import { openStorage, type Storage } from './storage/storage.ts';

/** What of the configuration tells where the data is. */
export type DatabaseConfig = Pick<Config, 'databasePath' | 'secretKey'>;

function open({ databasePath: path, secretKey }: DatabaseConfig): Promise<Storage> {
  return openStorage({
    path,
    now: () => new Date(),
    randomBytes,
    secretKey: (sealedCheck) => findSecretKey(path, secretKey, sealedCheck, randomBytes),
  });
}

/** The database of a server, with what it did to it. */
export interface OwnedDatabase {
  readonly storage: Storage;
  /** Names of the migrations that were applied, oldest first. */
  readonly applied: readonly string[];
  /** Closes the database and lets other servers have the file. */
  close(): Promise<void>;
}

/**
 * Opens a database for a server: takes the file for this process alone, and brings it up to date.
 *
 * @throws Error when another server has the file, or it cannot be migrated
 */
export async function ownDatabase(config: DatabaseConfig): Promise<OwnedDatabase> {
  const { databasePath: path } = config;
  const lock = lockDatabase(path);
  try {
    const applied = await migrate({ path });
    const storage = await open(config);
    return {
      storage,
      applied,
      async close() {
        await storage.close();
        lock.release();
      },
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/**
 * Opens a database beside the server that may be running, for short work.
 *
 * @throws Error when the file is not up to date and a server has it
 */
export async function visitDatabase(config: DatabaseConfig): Promise<Storage> {
  const { databasePath: path } = config;
  if (pendingMigrations(path).length > 0) {
    const lock = lockDatabase(path);
    try {
      await migrate({ path });
    } finally {
      lock.release();
    }
  }
  return open(config);
}
