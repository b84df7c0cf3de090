// Finds the secret key, and checks that it is the one the database was sealed with.

import {
  closeSync,
  existsSync,
  fchmodSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { remedies } from '../../domain/remedies.ts';
import { messageOf } from '../../domain/wording.ts';
import type { KeyedDatabase } from '../engine.ts';
import { giveName, syncFile } from '../lifecycle/durable-files.ts';
import { openingFile } from '../lifecycle/file-problems.ts';
import type { ServerReads } from '../objects/server-scope.ts';
import { sql } from '../sql/statement.ts';
import { createSecrets, secretKeyBytes } from './secrets.ts';

/** The text that is sealed to recognize the right key. */
const check = 'The secret key of this database is the right one.';
/** The name of the server fact that holds the sealed text. */
export const secretCheckFact = 'secret check';
/** The name of the server fact that holds the digests of a backup. A database that is in use has none. */
export const backupDigestsFact = 'backup digests';

const owner = 'ServerFact secret check';

/**
 * Parses a key from the text of a variable or file.
 *
 * @returns null for text that is not 32 bytes in hexadecimal, base64 or base64url
 */
export function readSecretKey(text: string): Uint8Array | null {
  const trimmed = text.trim();
  const encoding = /^[0-9a-f]{64}$/i.test(trimmed) ? 'hex' : /^[\w+/-]{43}=?$/.test(trimmed) ? 'base64' : null;
  return encoding === null ? null : Buffer.from(trimmed, encoding);
}

/** Reads the sealed check of a database; null if nothing has been sealed yet. */
export async function readSealedCheck({ rows, decode }: ServerReads): Promise<Uint8Array<ArrayBuffer> | null> {
  const [found] = await rows(sql`SELECT "value" FROM "ServerFact" WHERE "name" = ${secretCheckFact}`);
  return found === undefined ? null : decode.Bytes(found[0]);
}

/** Returns whether a key is the one that a database is sealed with. */
export function isRightKey(key: Uint8Array, sealedCheck: Uint8Array): boolean {
  try {
    return createSecrets(key, unused).open(sealedCheck, owner).toString() === check;
  } catch {
    return false;
  }
}

/** Seals the check text, by which the right key is later recognized. */
export function sealCheck(key: Uint8Array, randomBytes: (size: number) => Uint8Array): Uint8Array<ArrayBuffer> {
  return createSecrets(key, randomBytes).seal(Buffer.from(check), owner);
}

/** Returns the path of the file with the next key, used while the key of a key file is being changed. */
function nextFileOf(keyFile: string): string {
  return `${keyFile}.new`;
}

/**
 * Finds the secret key of a database: the configured one, or that of its key file. For a database that holds no secrets yet,
 * creates a key file that only this user may read.
 *
 * @param configured the key from the configuration; null to use the key file
 * @param sealedCheck the sealed check of the database; null if nothing is sealed yet
 * @throws Error that says what to do if the key is missing or wrong
 */
export function findSecretKey(
  database: KeyedDatabase,
  configured: Uint8Array | null,
  sealedCheck: Uint8Array | null,
  randomBytes: (size: number) => Uint8Array,
): Uint8Array {
  const { name, keyFile } = database;
  if (configured === null && keyFile !== null) finishKeyChange(keyFile, sealedCheck);
  const key = readRightKey(database, configured, sealedCheck, name);
  if (key !== null) return key;
  if (keyFile === null) throw new Error(needsVariable(name));
  const newKey = randomBytes(secretKeyBytes);
  const part = `${keyFile}.${Buffer.from(randomBytes(6)).toString('hex')}.part`;
  if (createKeyFile(keyFile, newKey, part)) return newKey;
  // Another process opened the new database at the same moment and was first: use its key.
  return findSecretKey(database, configured, sealedCheck, randomBytes);
}

/**
 * Returns what is wrong with the secret key that a start would use; null if it is the right one. Changes nothing.
 *
 * @param sealed what the message calls the sealed database: its own name, or a copy that is about to replace it
 */
export function secretKeyProblem(
  database: KeyedDatabase,
  configured: Uint8Array | null,
  sealedCheck: Uint8Array | null,
  sealed = database.name,
): string | null {
  if (sealedCheck === null) return null;
  // A start would move the next key into database.
  if (configured === null && database.keyFile !== null && nextKey(database.keyFile, sealedCheck) !== null) return null;
  try {
    readRightKey(database, configured, sealedCheck, sealed);
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

/** Reads the key that a start uses; null if there is no key yet and nothing is sealed. Throws like `findSecretKey`. */
function readRightKey(
  { name, keyFile }: KeyedDatabase,
  configured: Uint8Array | null,
  sealedCheck: Uint8Array | null,
  sealed: string,
): Uint8Array | null {
  if (configured !== null) {
    if (sealedCheck !== null && !isRightKey(configured, sealedCheck)) {
      throw new Error(
        `${remedies.setSecretKey} is not the key that ${sealed} was sealed with. Set the right one; without it the private ` +
          'keys in the database cannot be used.',
      );
    }
    return configured;
  }
  if (keyFile === null) throw new Error(needsVariable(name));
  if (!existsSync(keyFile)) {
    if (sealedCheck !== null) {
      throw new Error(
        `${sealed} was sealed with a secret key that is not here. Put its key file back to ${keyFile}, or set ` +
          `${remedies.setSecretKey}; without the key the private keys in the database cannot be used.`,
      );
    }
    return null;
  }
  const key = readKeyFile(keyFile);
  if (key === null) throw new Error(`${keyFile} is damaged: it must hold 32 bytes in base64. Put back a copy of it.`);
  if (sealedCheck !== null && !isRightKey(key, sealedCheck)) {
    throw new Error(`${keyFile} is not the key that ${sealed} was sealed with. Put the right file back.`);
  }
  return key;
}

function readKeyFile(path: string): Uint8Array | null {
  return readSecretKey(openingFile(path, () => readFileSync(path, 'utf8')));
}

function needsVariable(name: string): string {
  return `The database ${name} has no key file: set ${remedies.setSecretKey} to 32 random bytes, from "${remedies.makeSecretKey}".`;
}

/**
 * Stores the next key of a key file before anything is sealed with it. Once the database has switched to the key, the next call of
 * `findSecretKey`, at the next start or earlier, moves it into database.
 */
export function prepareKeyChange({ name, keyFile }: KeyedDatabase, key: Uint8Array): void {
  if (keyFile === null) throw new Error(needsVariable(name));
  // Overwrites what an interrupted change has left: it is no longer needed.
  writeKeyFile(nextFileOf(keyFile), key, 'w');
}

/** Completes a key change once the database has switched to the new key. */
function finishKeyChange(keyFile: string, sealedCheck: Uint8Array | null): void {
  if (sealedCheck === null || nextKey(keyFile, sealedCheck) === null) return;
  renameSync(nextFileOf(keyFile), keyFile);
  syncFile(dirname(keyFile));
}

/** Reads the key that a change has prepared, if the database has switched to it. */
function nextKey(keyFile: string, sealedCheck: Uint8Array): Uint8Array | null {
  const next = nextFileOf(keyFile);
  const key = existsSync(next) ? readKeyFile(next) : null;
  return key !== null && isRightKey(key, sealedCheck) ? key : null;
}

/**
 * Creates a key file, unless there is one. It is written under another name first, so that nobody reads half of it.
 *
 * @returns false if there is one already
 */
function createKeyFile(path: string, key: Uint8Array, part: string): boolean {
  writeKeyFile(part, key, 'wx');
  try {
    return giveName(part, path);
  } finally {
    rmSync(part, { force: true });
    syncFile(dirname(path));
  }
}

function writeKeyFile(path: string, key: Uint8Array, flag: 'w' | 'wx'): void {
  const file = openSync(path, flag, 0o600);
  try {
    fchmodSync(file, 0o600);
    writeSync(file, `${Buffer.from(key).toString('base64')}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  syncFile(dirname(path));
}

function unused(): never {
  throw new Error('Opening needs no randomness.');
}
