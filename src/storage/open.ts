// Opens the database of a process: the server owns the file, the command line visits it.

import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type RestoreReport, restore } from './backup.ts';
import { migrate, pendingMigrations } from './migrate.ts';
import { migrateInWorker } from './migrate-worker.ts';
import { createRandomBytes } from './randomness.ts';
import { findSecretKey, prepareKeyChange } from './secret-key.ts';
import { secretKeyBytes } from './secrets.ts';
import type { TimingObserver } from './sqlite/connection.ts';
import { makeFilesPrivate } from './sqlite/files.ts';
import { DatabaseInUseError, lockDatabase } from './sqlite/lock.ts';
import { type Owner, openStorage, type Storage, type StorageOptions } from './storage.ts';

/** How long to wait for another process that has the file: a command has it no longer than its migration takes. */
const lockWaitMs = 1_000;
const lockRetryMs = 50;

/** What of the configuration tells where the data is. */
export interface DatabaseConfig {
  readonly databasePath: string;
  /** Null to use the key file beside the database. */
  readonly secretKey: Uint8Array | null;
}

/** What a server watches of its database. */
type Watching = Pick<StorageOptions, 'onTiming' | 'owner'>;

function open({ databasePath: path, secretKey }: DatabaseConfig, watching: Watching = {}): Promise<Storage> {
  return openStorage({
    path,
    now: () => new Date(),
    randomBytes: createRandomBytes(),
    secretKey: (sealedCheck) => findSecretKey(path, secretKey, sealedCheck, randomBytes),
    ...watching,
  });
}

/** The database of a server, with what it did to it. */
export interface OwnedDatabase {
  readonly storage: Storage;
  /** Names of the migrations that were applied, oldest first. */
  readonly applied: readonly string[];
  /** Paths of files that other users could read until now. */
  readonly madePrivate: readonly string[];
  /** False where this system has no lock that holds whatever the file is called. */
  readonly holdsFile: boolean;
  /** Closes the database and lets other servers have the file. */
  close(): Promise<void>;
}

/**
 * Opens a database for a server: takes the file for this process alone, and brings it up to date, in a thread of its own
 * so that the process goes on answering probes.
 *
 * @param watching.onTiming told of every statement that the server executes
 * @param watching.onTrouble told what is wrong with the database, as `Owner` says
 * @throws Error when another server has the file, after a second, or it cannot be migrated
 */
export async function ownDatabase(
  config: DatabaseConfig,
  { onTiming, onTrouble = () => {} }: { onTiming?: TimingObserver; onTrouble?: Owner['onTrouble'] } = {},
): Promise<OwnedDatabase> {
  const { databasePath: path } = config;
  const lock = await patiently(() => lockDatabase(path, { make: true }));
  try {
    const madePrivate = makeFilesPrivate(path);
    const applied = await migrateInWorker(path);
    const storage = await open(config, { onTiming, owner: { lockFile: lock.file, onTrouble } });
    return {
      storage,
      applied,
      madePrivate,
      holdsFile: lock.holdsFile,
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
 * Changes the secret key of a database that no server has open: to the given key where the configuration gives the key,
 * and else to a random one in the key file. Killed at any moment, it leaves a database that opens with its old key or with
 * its new one.
 *
 * @param newKey the key to set as SECRET_KEY from then on; null to use the key file
 * @returns how many secrets were sealed anew
 * @throws Error when the key comes from the configuration and no new one is given, or the other way round
 */
export async function changeSecretKey(config: DatabaseConfig, newKey: Uint8Array | null): Promise<number> {
  if ((config.secretKey === null) !== (newKey === null)) {
    throw new Error(
      config.secretKey === null
        ? 'The secret key is in a key file, which gets a random key: leave NEW_SECRET_KEY out.'
        : 'SECRET_KEY gives the secret key: set NEW_SECRET_KEY to the next one, from "openssl rand -base64 32".',
    );
  }
  const database = await ownDatabase(config);
  try {
    if (newKey !== null) return await database.storage.changeSecretKey(newKey);
    const key = randomBytes(secretKeyBytes);
    prepareKeyChange(config.databasePath, key);
    const count = await database.storage.changeSecretKey(key);
    // Opening once more puts the new key file in its place.
    await (await open(config)).close();
    return count;
  } finally {
    await database.close();
  }
}

/**
 * Opens a database beside the server that may be running, for short work.
 *
 * @throws Error when the file is not up to date and a server has it
 */
export async function visitDatabase(config: DatabaseConfig): Promise<Storage> {
  await applyMigrations(config);
  return open(config);
}

/**
 * Brings a database up to date, and gives the names of the migrations that were applied.
 *
 * @throws Error when something is pending and a server has the file, or it cannot be migrated
 */
export async function applyMigrations({ databasePath: path }: DatabaseConfig): Promise<string[]> {
  return patiently(() => {
    // Looked at anew each time: the process that had the file may have applied them, and may keep it.
    if (pendingMigrations(path).length === 0) return [];
    return locked(path, () => migrate({ path }));
  });
}

/**
 * Puts a copy into the place of a database that no server has open.
 *
 * @throws Error when a server has the file, and as `restore`
 */
export async function restoreDatabase(config: DatabaseConfig, from: string): Promise<RestoreReport> {
  const { databasePath: path, secretKey } = config;
  return locked(path, () => restore({ path, from, secretKey, now: new Date() }));
}

/** Does work, and for a moment begins it anew as long as another process has the file. */
async function patiently<T>(work: () => T | Promise<T>): Promise<T> {
  const giveUpAt = performance.now() + lockWaitMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof DatabaseInUseError) || performance.now() >= giveUpAt) throw error;
      await pause(lockRetryMs);
    }
  }
}

async function locked<T>(path: string, work: () => Promise<T>): Promise<T> {
  const lock = lockDatabase(path);
  try {
    return await work();
  } finally {
    lock.release();
  }
}
