// Where the secret key comes from, and that it is the one that the database was sealed with.

import {
  closeSync,
  existsSync,
  fchmodSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { createSecrets, secretKeyBytes } from './secrets.ts';

/** The sealed text that tells whether a key is the right one. */
const check = 'The secret key of this database is the right one.';
/** The fact that holds it. */
export const secretCheckFact = 'secret check';

const owner = 'ServerFact secret check';

/**
 * Reads a key from the text of a variable or file.
 *
 * @returns null for text that is not 32 bytes in hexadecimal, base64 or base64url
 */
export function readSecretKey(text: string): Uint8Array | null {
  const trimmed = text.trim();
  const encoding = /^[0-9a-f]{64}$/i.test(trimmed) ? 'hex' : /^[\w+/-]{43}=?$/.test(trimmed) ? 'base64' : null;
  return encoding === null ? null : Buffer.from(trimmed, encoding);
}

/** Tells whether a key is the one that a database is sealed with. */
export function isRightKey(key: Uint8Array, sealedCheck: Uint8Array): boolean {
  try {
    return createSecrets(key, unused).open(sealedCheck, owner).toString() === check;
  } catch {
    return false;
  }
}

/** Seals the text that later tells the right key from others. */
export function sealCheck(key: Uint8Array, randomBytes: (size: number) => Uint8Array): Uint8Array<ArrayBuffer> {
  return createSecrets(key, randomBytes).seal(Buffer.from(check), owner);
}

/** Path of the file with the key of a database, where no variable gives it. */
export function keyFileOf(databasePath: string): string {
  return `${databasePath}.key`;
}

/** Path of the file with the next key, while the key is being changed. */
function nextKeyFileOf(databasePath: string): string {
  return `${keyFileOf(databasePath)}.new`;
}

/**
 * Finds the secret key of a database: the configured one, or that of the key file beside the database. A database that
 * holds no secrets yet gets a key file of its own, which nobody else may read.
 *
 * @param configured the key from the configuration; null to use the key file
 * @param sealedCheck what the database has to check the key with; null when nothing is sealed yet
 * @throws Error that says what to do, when the key is missing or is not the right one
 */
export function findSecretKey(
  databasePath: string,
  configured: Uint8Array | null,
  sealedCheck: Uint8Array | null,
  randomBytes: (size: number) => Uint8Array,
): Uint8Array {
  if (configured === null) finishKeyChange(databasePath, sealedCheck);
  const key = readRightKey(databasePath, configured, sealedCheck, databasePath);
  if (key !== null) return key;
  const newKey = randomBytes(secretKeyBytes);
  const part = `${keyFileOf(databasePath)}.${Buffer.from(randomBytes(6)).toString('hex')}.part`;
  if (createKeyFile(keyFileOf(databasePath), newKey, part)) return newKey;
  // Another process opened the new database at the same moment and was first: its key is the one to use.
  return findSecretKey(databasePath, configured, sealedCheck, randomBytes);
}

/**
 * Says what is wrong with the secret key that a start would use, or null when it is the right one. Changes nothing.
 *
 * @param sealed what the check is of, for the message: the database, or a copy that is to take its place
 */
export function secretKeyProblem(
  databasePath: string,
  configured: Uint8Array | null,
  sealedCheck: Uint8Array | null,
  sealed = databasePath,
): string | null {
  if (sealedCheck === null) return null;
  // A start would put this one in its place.
  if (configured === null && nextKey(databasePath, sealedCheck) !== null) return null;
  try {
    readRightKey(databasePath, configured, sealedCheck, sealed);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Reads the key that a start uses; null when there is none yet, and nothing is sealed. Throws as `findSecretKey`. */
function readRightKey(
  databasePath: string,
  configured: Uint8Array | null,
  sealedCheck: Uint8Array | null,
  sealed: string,
): Uint8Array | null {
  if (configured !== null) {
    if (sealedCheck !== null && !isRightKey(configured, sealedCheck)) {
      throw new Error(
        `SECRET_KEY is not the key that ${sealed} was sealed with. Set the right one; without it the private ` +
          'keys in the database cannot be used.',
      );
    }
    return configured;
  }
  const file = keyFileOf(databasePath);
  if (!existsSync(file)) {
    if (sealedCheck !== null) {
      throw new Error(
        `${sealed} was sealed with a secret key that is not here. Put its key file back to ${file}, or set ` +
          'SECRET_KEY; without the key the private keys in the database cannot be used.',
      );
    }
    return null;
  }
  const key = readSecretKey(readFileSync(file, 'utf8'));
  if (key === null) throw new Error(`${file} is damaged: it must hold 32 bytes in base64. Put back a copy of it.`);
  if (sealedCheck !== null && !isRightKey(key, sealedCheck)) {
    throw new Error(`${file} is not the key that ${sealed} was sealed with. Put the right file back.`);
  }
  return key;
}

/**
 * Writes the next key of a key file down, before anything is sealed with it. Once the database has taken the key, the next
 * start, or `findSecretKey` at any other occasion, puts it in its place.
 */
export function prepareKeyChange(databasePath: string, key: Uint8Array): void {
  // What a change that was cut off has left is not needed any more.
  writeKeyFile(nextKeyFileOf(databasePath), key, 'w');
}

/** Ends a change of the key after the database has taken the new one. */
function finishKeyChange(databasePath: string, sealedCheck: Uint8Array | null): void {
  if (sealedCheck === null || nextKey(databasePath, sealedCheck) === null) return;
  renameSync(nextKeyFileOf(databasePath), keyFileOf(databasePath));
  syncDirectoryOf(databasePath);
}

/** Reads the key that a change has prepared, if the database has taken it. */
function nextKey(databasePath: string, sealedCheck: Uint8Array): Uint8Array | null {
  const next = nextKeyFileOf(databasePath);
  const key = existsSync(next) ? readSecretKey(readFileSync(next, 'utf8')) : null;
  return key !== null && isRightKey(key, sealedCheck) ? key : null;
}

/**
 * Makes a key file, unless there is one. It is written under another name first: nobody ever reads half of it.
 *
 * @returns false when there is one already
 */
function createKeyFile(path: string, key: Uint8Array, part: string): boolean {
  writeKeyFile(part, key, 'wx');
  try {
    giveName(part, path, key);
    return true;
  } catch (error) {
    if (isTaken(error)) return false;
    throw error;
  } finally {
    rmSync(part);
    syncDirectoryOf(path);
  }
}

function giveName(part: string, path: string, key: Uint8Array): void {
  try {
    linkSync(part, path);
  } catch (error) {
    if (isTaken(error)) throw error;
    // The file system knows no second names.
    writeKeyFile(path, key, 'wx');
  }
}

function isTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EEXIST';
}

/** Writes a key file, and waits until it is on the disk. */
function writeKeyFile(path: string, key: Uint8Array, flag: 'w' | 'wx'): void {
  const file = openSync(path, flag, 0o600);
  try {
    fchmodSync(file, 0o600);
    writeSync(file, `${Buffer.from(key).toString('base64')}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  syncDirectoryOf(path);
}

/** Waits until the names in the directory of a file are on the disk. */
function syncDirectoryOf(path: string): void {
  const directory = openSync(dirname(path), 'r');
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}

function unused(): never {
  throw new Error('Opening needs no randomness.');
}
