// Where the secret key comes from, and that it is the one that the database was sealed with.

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
import { messageOf } from '../domain/wording.ts';
import { giveName, syncFile } from './durable-files.ts';
import type { KeyPlace } from './engine.ts';
import { createSecrets, secretKeyBytes } from './secrets.ts';
import type { ServerReads } from './server-scope.ts';
import { sql } from './statement.ts';

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

/** Reads the sealed text that the key of a database is checked with; null if nothing has been sealed yet. */
export async function readSealedCheck({ rows, decode }: ServerReads): Promise<Uint8Array<ArrayBuffer> | null> {
  const [found] = await rows(sql`SELECT "value" FROM "ServerFact" WHERE "name" = ${secretCheckFact}`);
  return found === undefined ? null : decode.Bytes(found[0]);
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

/** Path of the file with the next key, while the key in a file is being changed. */
function nextFileOf(keyFile: string): string {
  return `${keyFile}.new`;
}

/**
 * Finds the secret key of a database: the configured one, or that of its key file. A database that holds no secrets yet gets a
 * key file, which nobody else may read.
 *
 * @param configured the key from the configuration; null to use the key file
 * @param sealedCheck what the database has to check the key with; null when nothing is sealed yet
 * @throws Error that says what to do, when the key is missing or is not the right one
 */
export function findSecretKey(
  place: KeyPlace,
  configured: Uint8Array | null,
  sealedCheck: Uint8Array | null,
  randomBytes: (size: number) => Uint8Array,
): Uint8Array {
  const { name, keyFile } = place;
  if (configured === null && keyFile !== null) finishKeyChange(keyFile, sealedCheck);
  const key = readRightKey(place, configured, sealedCheck, name);
  if (key !== null) return key;
  if (keyFile === null) throw new Error(needsVariable(name));
  const newKey = randomBytes(secretKeyBytes);
  const part = `${keyFile}.${Buffer.from(randomBytes(6)).toString('hex')}.part`;
  if (createKeyFile(keyFile, newKey, part)) return newKey;
  // Another process opened the new database at the same moment and was first: its key is the one to use.
  return findSecretKey(place, configured, sealedCheck, randomBytes);
}

/**
 * Says what is wrong with the secret key that a start would use, or null when it is the right one. Changes nothing.
 *
 * @param sealed what the check is of, for the message: the database, or a copy that is to take its place
 */
export function secretKeyProblem(
  place: KeyPlace,
  configured: Uint8Array | null,
  sealedCheck: Uint8Array | null,
  sealed = place.name,
): string | null {
  if (sealedCheck === null) return null;
  // A start would put this one in its place.
  if (configured === null && place.keyFile !== null && nextKey(place.keyFile, sealedCheck) !== null) return null;
  try {
    readRightKey(place, configured, sealedCheck, sealed);
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

/** Reads the key that a start uses; null when there is none yet, and nothing is sealed. Throws as `findSecretKey`. */
function readRightKey(
  { name, keyFile }: KeyPlace,
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
  if (keyFile === null) throw new Error(needsVariable(name));
  if (!existsSync(keyFile)) {
    if (sealedCheck !== null) {
      throw new Error(
        `${sealed} was sealed with a secret key that is not here. Put its key file back to ${keyFile}, or set ` +
          'SECRET_KEY; without the key the private keys in the database cannot be used.',
      );
    }
    return null;
  }
  const key = readSecretKey(readFileSync(keyFile, 'utf8'));
  if (key === null) throw new Error(`${keyFile} is damaged: it must hold 32 bytes in base64. Put back a copy of it.`);
  if (sealedCheck !== null && !isRightKey(key, sealedCheck)) {
    throw new Error(`${keyFile} is not the key that ${sealed} was sealed with. Put the right file back.`);
  }
  return key;
}

function needsVariable(name: string): string {
  return `The database ${name} has no key file: set SECRET_KEY to 32 random bytes, from "openssl rand -base64 32".`;
}

/**
 * Writes the next key of a key file down, before anything is sealed with it. Once the database has taken the key, the next
 * start, or `findSecretKey` at any other occasion, puts it in its place.
 */
export function prepareKeyChange({ name, keyFile }: KeyPlace, key: Uint8Array): void {
  if (keyFile === null) throw new Error(needsVariable(name));
  // What a change that was cut off has left is not needed any more.
  writeKeyFile(nextFileOf(keyFile), key, 'w');
}

/** Ends a change of the key after the database has taken the new one. */
function finishKeyChange(keyFile: string, sealedCheck: Uint8Array | null): void {
  if (sealedCheck === null || nextKey(keyFile, sealedCheck) === null) return;
  renameSync(nextFileOf(keyFile), keyFile);
  syncFile(dirname(keyFile));
}

/** Reads the key that a change has prepared, if the database has taken it. */
function nextKey(keyFile: string, sealedCheck: Uint8Array): Uint8Array | null {
  const next = nextFileOf(keyFile);
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
    return giveName(part, path);
  } finally {
    rmSync(part, { force: true });
    syncFile(dirname(path));
  }
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
  syncFile(dirname(path));
}

function unused(): never {
  throw new Error('Opening needs no randomness.');
}
