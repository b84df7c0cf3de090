// Replaces a database file that no server has open with a copy. The old file is kept.

import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  copyFileSync,
  createReadStream,
  createWriteStream,
  existsSync,
  linkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type Database from 'better-sqlite3';
import { messageOf } from '../../domain/wording.ts';
import type { KeyedDatabase, RestoreOptions, RestoreReport } from '../engine.ts';
import { secretKeyProblem } from '../keys/secret-key.ts';
import { isTaken, syncFile } from '../lifecycle/durable-files.ts';
import { writingFile } from '../lifecycle/file-problems.ts';
import { pendingMigrations } from '../lifecycle/migrate.ts';
import { Sqlite } from './driver.ts';
import { isDamageCode, systemCodes } from './errors.ts';
import { besides, makeFilesPrivate, sidecars, temporaryNeighbour } from './files.ts';
import { createMigrationTarget } from './migrations.ts';
import { verify } from './verify.ts';

/** Restores a database file, as `Engine.restore` says. The file need not exist. */
export async function restore(
  { name: path, keyFile }: KeyedDatabase,
  { from, secretKey, now, tell }: RestoreOptions,
): Promise<RestoreReport> {
  if (!existsSync(from)) throw new Error(`There is no file ${from}.`);
  // If the path is a link, it stays one: the database it points to is replaced.
  const target = existsSync(path) ? realpathSync(path) : path;
  if (existsSync(path) && realpathSync(from) === target) throw new Error(`${from} is the database itself.`);
  try {
    accessSync(from, constants.R_OK);
  } catch (error) {
    throw new Error(`This user may not read ${from}. Run the command as a user who may.`, { cause: error });
  }
  return writingFile(path, () => replace({ name: path, keyFile }, target, { from, secretKey, now, tell }), systemCodes);
}

/** Replaces the database file `target`, which the database names, perhaps through links. */
async function replace(
  { name: path, keyFile }: KeyedDatabase,
  target: string,
  { from, secretKey, now, tell }: RestoreOptions,
): Promise<RestoreReport> {
  const copy = temporaryNeighbour(target);
  try {
    await copyPrivately(from, copy);
    // A database that was moved aside with all its files may have its last changes in one beside it.
    for (const ending of sidecars) {
      if (existsSync(`${from}${ending}`)) await copyPrivately(`${from}${ending}`, `${copy}${ending}`);
    }
    const { pending, ...report } = await naming(copy, from, async () => {
      const { sealedCheck, ...verified } = verify(copy, 'compare');
      const problem = secretKeyProblem({ name: path, keyFile }, secretKey, sealedCheck, from);
      if (problem !== null) throw new Error(problem);
      return { ...verified, pending: await pendingMigrations({ migrations: createMigrationTarget(copy) }) };
    });
    takeOwner(copy, target);
    syncFile(copy);
    const replaced = existsSync(target) && !isUnused(target) ? keepAside(target, now, tell) : null;
    renameSync(copy, target);
    syncFile(dirname(resolve(target)));
    return { ...report, pending, replaced };
  } finally {
    for (const file of [copy, ...besides(copy)]) rmSync(file, { force: true });
  }
}

/** Copies a file into a new one that only this user may read. Other ways of copying keep the mode of the original. */
async function copyPrivately(from: string, to: string): Promise<void> {
  await pipeline(createReadStream(from), createWriteStream(to, { flags: 'wx', mode: 0o600 }));
}

/** Returns whether a database file is empty: it was created for a start that did not reach its migration. */
function isUnused(path: string): boolean {
  return [path, ...besides(path)].every((file) => !existsSync(file) || statSync(file).size === 0);
}

/** Keeps the database that is about to be replaced under a name with the current time, and returns that name. */
function keepAside(path: string, now: Date, tell: (message: string) => void): string {
  const fault = gatherIntoOneFile(path);
  makeFilesPrivate(path);
  const time = now.toISOString().replace(/[-:]|\.\d+/g, '');
  let aside = `${path}.replaced-${time}`;
  for (let count = 2; existsSync(aside); count++) aside = `${path}.replaced-${time}-${count}`;
  for (const ending of ['', ...sidecars]) {
    if (existsSync(`${path}${ending}`)) alsoName(`${path}${ending}`, `${aside}${ending}`);
  }
  // If they stayed, SQLite would apply them to the new database.
  for (const file of besides(path)) rmSync(file, { force: true });
  if (fault !== null) tell(`The replaced database is damaged (${fault}). It is kept as it is: ${aside}`);
  return aside;
}

/**
 * Moves the write-ahead log into its database.
 *
 * @returns null, or the error message if the database is damaged, which is one of the reasons to restore
 * @throws Error if another program has the database open, or it cannot be opened for another reason
 */
function gatherIntoOneFile(path: string): string | null {
  let database: Database.Database | undefined;
  try {
    database = new Sqlite(path, { timeout: 1000 });
    database.pragma('locking_mode = EXCLUSIVE');
    database.exec('BEGIN EXCLUSIVE; COMMIT');
    database.pragma('wal_checkpoint(TRUNCATE)');
    return null;
  } catch (error) {
    if (!(error instanceof Sqlite.SqliteError)) throw error;
    if (isDamageCode(error.code)) return error.message;
    const reason = error.code.startsWith('SQLITE_BUSY')
      ? `Another program has ${path} open. Stop it first.`
      : `Cannot set ${path} aside: ${error.message}.`;
    throw new Error(reason, { cause: error });
  } finally {
    database?.close();
  }
}

/** Gives a file the owner of the file that it replaces, so that a restore by root does not lock the server out. */
function takeOwner(file: string, replaces: string): void {
  const { uid, gid } = statSync(existsSync(replaces) ? replaces : dirname(resolve(replaces)));
  if (process.getuid?.() === 0) chownSync(file, uid, gid);
  chmodSync(file, 0o600);
}

/** Gives a file a second name, by a hard link; if the file system does not support links, by a copy. */
function alsoName(file: string, name: string): void {
  try {
    linkSync(file, name);
  } catch (error) {
    if (isTaken(error)) throw error;
    copyFileSync(file, name);
    syncFile(name);
  }
}

/** Does work on a temporary file. In the messages of its errors, replaces the temporary name with the one the operator knows. */
async function naming<T>(temporary: string, known: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const message = messageOf(error);
    throw new Error(message.replaceAll(temporary, known), { cause: error });
  }
}
