// Copies a database while a server uses it, and puts a copy back while none does. A copy counts only once it is verified.

import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  closeSync,
  copyFileSync,
  createReadStream,
  createWriteStream,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import Database from 'better-sqlite3';
import { pendingMigrations } from './migrate.ts';
import { secretCheckFact, secretKeyProblem } from './secret-key.ts';
import { makeFilesPrivate } from './sqlite/files.ts';

/** What a verified copy holds. */
export interface CopyReport {
  readonly bytes: number;
  /** Rows by table, in the order of their names. */
  readonly tables: Readonly<Record<string, number>>;
  /** Whether something tells the right secret key from others: false only before the first start of a server. */
  readonly secretCheck: boolean;
}

/** What a restored database holds, and what became of the one before. */
export interface RestoreReport extends CopyReport {
  /** Where the replaced database is now; null when there was none. */
  readonly replaced: string | null;
  /** Migrations that the next start will apply. */
  readonly pending: readonly string[];
}

const busyTimeoutMs = 5000;
/** Pages copied between two looks at the clock: some milliseconds of work. */
const pagesAtOnce = 2_000;
/** Files that SQLite keeps beside a database whose last changes are not in it yet. */
const sidecars = ['-wal', '-journal'];

/**
 * Copies a database into a new file that only this user may read, as it is at one moment: a server may go on writing.
 * The file appears under its name only when it is complete and verified.
 *
 * @param onProgress told of the pages copied so far, and of all
 * @throws Error when the file exists, the database cannot be read, or the copy is not what was copied
 */
export async function backUp(
  path: string,
  to: string,
  onProgress: (done: number, total: number) => void = () => {},
): Promise<CopyReport> {
  if (!existsSync(path)) throw new Error(`There is no database ${path}.`);
  if (existsSync(to)) throw new Error(`${to} exists. A backup never overwrites: name another file.`);
  const copy = temporaryNeighbour(to);
  try {
    closeSync(openSync(copy, 'wx', 0o600));
    const source = new Database(path, { readonly: true, timeout: busyTimeoutMs });
    let expected: CopyReport['tables'];
    try {
      // One transaction around it all. Without, the copying begins anew whenever somebody writes, and a busy server
      // would never be done.
      source.exec('BEGIN');
      expected = countRows(source);
      await source.backup(copy, {
        progress: ({ totalPages, remainingPages }) => {
          onProgress(totalPages - remainingPages, totalPages);
          return pagesAtOnce;
        },
      });
    } finally {
      source.close();
    }
    const report = verify(copy);
    const different = Object.keys(expected).filter((table) => expected[table] !== report.tables[table]);
    if (different.length > 0) throw new Error(`The copy has other numbers of rows in ${different.join(', ')}.`);
    sync(copy);
    giveName(copy, to);
    sync(dirname(resolve(to)));
    return report;
  } finally {
    for (const file of [copy, ...besides(copy)]) rmSync(file, { force: true });
  }
}

/** What to restore, and where. */
export interface RestoreOptions {
  /** Path of the database to replace; it need not exist. The caller holds its lock. */
  readonly path: string;
  /** Path of the copy. It stays as it is. */
  readonly from: string;
  /** The configured secret key; null to use the key file of `path`. */
  readonly secretKey: Uint8Array | null;
  readonly now: Date;
}

/**
 * Puts a copy into the place of a database. What is verified is exactly what is put there, and at every moment the path
 * names one whole database, the old one or the new one. The old one is kept aside.
 *
 * @throws Error when the copy is damaged, comes from another program or a newer version, or was sealed under another
 *   secret key, or when another program has the database open; all is then as it was
 */
export async function restore({ path, from, secretKey, now }: RestoreOptions): Promise<RestoreReport> {
  if (!existsSync(from)) throw new Error(`There is no file ${from}.`);
  // A link stays a link to the database.
  const target = existsSync(path) ? realpathSync(path) : path;
  if (existsSync(path) && realpathSync(from) === target) throw new Error(`${from} is the database itself.`);
  const copy = temporaryNeighbour(target);
  try {
    await copyPrivately(from, copy);
    // A database that was moved aside whole may have its last changes in a file beside it.
    for (const ending of sidecars) {
      if (existsSync(`${from}${ending}`)) await copyPrivately(`${from}${ending}`, `${copy}${ending}`);
    }
    const { pending, ...report } = naming(copy, from, () => ({
      ...verify(copy, (sealedCheck) => secretKeyProblem(path, secretKey, sealedCheck, from)),
      pending: pendingMigrations(copy),
    }));
    takeOwner(copy, target);
    sync(copy);
    const replaced = existsSync(target) && !isUnused(target) ? keepAside(target, now) : null;
    renameSync(copy, target);
    sync(dirname(resolve(target)));
    return { ...report, pending, replaced };
  } finally {
    for (const file of [copy, ...besides(copy)]) rmSync(file, { force: true });
  }
}

/**
 * Makes a copy a single file and checks it: its structure, its references, and that it is a database of ours.
 *
 * @param keyProblem says what is wrong with the secret key for this copy, or null
 */
function verify(copy: string, keyProblem: (sealedCheck: Uint8Array | null) => string | null = () => null): CopyReport {
  const database = new Database(copy, { timeout: busyTimeoutMs });
  try {
    // The write-ahead log goes into the file. A server sets the mode that it needs again.
    database.pragma('journal_mode = DELETE');
    const found = database.pragma('integrity_check(3)', { simple: true });
    if (found !== 'ok') throw new Error(`The copy ${copy} is damaged: ${String(found)}`);
    const broken = database.pragma('foreign_key_check');
    if (!Array.isArray(broken) || broken.length > 0) {
      throw new Error(`The copy ${copy} is damaged: rows refer to rows that do not exist.`);
    }
    const tables = countRows(database);
    if (!('_prisma_migrations' in tables)) throw new Error(`${copy} is no database of this program.`);
    const sealedCheck = 'ServerFact' in tables ? readSealedCheck(database) : null;
    const problem = keyProblem(sealedCheck);
    if (problem !== null) throw new Error(problem);
    return { bytes: statSync(copy).size, tables, secretCheck: sealedCheck !== null };
  } finally {
    database.close();
  }
}

/** Counts the rows of every table. */
export function countRows(database: Database.Database): Record<string, number> {
  const names = database
    .prepare<[], string>(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name",
    )
    .pluck()
    .all();
  return Object.fromEntries(
    names.map((name) => [
      name,
      database
        .prepare<[], number>(`SELECT count(*) FROM "${name.replaceAll('"', '""')}"`)
        .pluck()
        .get() ?? 0,
    ]),
  );
}

/** Reads what the secret key is checked with; null when nothing has been sealed yet. */
export function readSealedCheck(database: Database.Database): Uint8Array | null {
  const query = database.prepare<[string], Buffer>('SELECT value FROM ServerFact WHERE name = ?').pluck();
  return query.get(secretCheckFact) ?? null;
}

/** Copies a file into a new one that only this user may read: other means give it the mode of the first. */
async function copyPrivately(from: string, to: string): Promise<void> {
  await pipeline(createReadStream(from), createWriteStream(to, { flags: 'wx', mode: 0o600 }));
}

/** Tells whether a database is a file that was made for a start which did not come to its migration. */
function isUnused(path: string): boolean {
  return [path, ...besides(path)].every((file) => !existsSync(file) || statSync(file).size === 0);
}

/** Keeps the database that is about to be replaced under a name that tells when, and gives the name. */
function keepAside(path: string, now: Date): string {
  gatherIntoOneFile(path);
  makeFilesPrivate(path);
  const time = now.toISOString().replace(/[-:]|\.\d+/g, '');
  let aside = `${path}.replaced-${time}`;
  for (let count = 2; existsSync(aside); count++) aside = `${path}.replaced-${time}-${count}`;
  for (const ending of ['', ...sidecars]) {
    if (existsSync(`${path}${ending}`)) alsoName(`${path}${ending}`, `${aside}${ending}`);
  }
  // Left where they are, they would be taken for the changes of the database that comes now.
  for (const file of besides(path)) rmSync(file, { force: true });
  return aside;
}

/** Moves the write-ahead log into its database. Throws Error while another program has it open. */
function gatherIntoOneFile(path: string): void {
  let database: Database.Database | undefined;
  try {
    database = new Database(path, { timeout: 1000 });
    database.pragma('locking_mode = EXCLUSIVE');
    database.exec('BEGIN EXCLUSIVE; COMMIT');
    database.pragma('wal_checkpoint(TRUNCATE)');
  } catch (error) {
    if (error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY')) {
      throw new Error(`Another program has ${path} open. Stop it first.`, { cause: error });
    }
    // A damaged database is one of the reasons to restore: it is kept as it is, with the files beside it.
  } finally {
    database?.close();
  }
}

function besides(path: string): string[] {
  return [...sidecars, '-shm'].map((ending) => `${path}${ending}`);
}

/** Gives a file to whom the one belongs that it replaces: an operator who is root must not lock the server out. */
function takeOwner(file: string, replaces: string): void {
  const { uid, gid } = statSync(existsSync(replaces) ? replaces : dirname(resolve(replaces)));
  if (process.getuid?.() === 0) chownSync(file, uid, gid);
  chmodSync(file, 0o600);
}

/** Names a file in the same directory, which can therefore be renamed to the other in one step. */
function temporaryNeighbour(path: string): string {
  return join(dirname(resolve(path)), `.${basename(path)}.${randomBytes(6).toString('hex')}.part`);
}

/** Gives a file a second name; where the file system knows no such thing, copies it. */
function alsoName(file: string, name: string): void {
  try {
    linkSync(file, name);
  } catch (error) {
    if (isTaken(error)) throw error;
    copyFileSync(file, name);
    sync(name);
  }
}

/** Gives a file its final name, unless another has it by now. */
function giveName(file: string, name: string): void {
  try {
    linkSync(file, name);
  } catch (error) {
    if (isTaken(error) || existsSync(name)) throw new Error(`${name} exists. A backup never overwrites.`);
    // The file system knows no second names.
    renameSync(file, name);
  }
}

function isTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EEXIST';
}

/** Waits until a file, or the names in a directory, are on the disk. */
function sync(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Does work on a temporary file, and names in its errors the file that the operator knows. */
function naming<T>(temporary: string, known: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new Error(message.replaceAll(temporary, known), { cause: error });
  }
}
