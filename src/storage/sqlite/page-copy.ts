// Copies the pages of a database that others write to. SQLite moves its log into the file meanwhile, as always: pages that may have
// changed are copied again, until few are left. Only for those is a moment held. Holding one for the whole copy would let the log grow
// all the time, and each commit takes longer with it.

import { accessSync, closeSync, constants, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type Database from 'better-sqlite3';
import { identityOf, realPathOf } from './files.ts';
import { followLog, frameAt, frameHeaderBytes, type LogFollower, type LogPosition } from './log-follower.ts';
import { openToRead } from './reading.ts';

const bytesAtOnce = 1_048_576;
/** Pages after which the copy waits for the disk. */
const pagesUntilSync = 2_048;
/** How often the log is looked at. It begins anew after thousands of pages, which take longer. */
const lookEveryMs = 10;
/** Pages that are few enough to be copied while a moment is held: it takes some tens of milliseconds. */
const fewPages = 4_096;
/** Rounds after which even more are copied in a held moment. */
const roundsMax = 12;
/** How often everything is copied anew because something was missed. */
const missesMax = 3;
/** How often a moment is tried in which nobody commits: each try takes a fraction of a millisecond. */
const momentsMax = 10_000;

/**
 * Copies a database, as it is at one moment, into a file that exists. This process must have no other connection to it: when the
 * files are closed, the system drops all locks that the process has on them (POSIX).
 *
 * @param onProgress called with the fraction of the file that has been copied
 * @param look reads something of the database at that moment
 * @returns null if the log cannot be followed, because there is none, or because much more is written than this process can follow.
 *   The file's contents are of no use then.
 */
export async function copyPages<T>(
  path: string,
  copy: string,
  onProgress: (part: number) => void,
  look: (database: Database.Database) => T,
): Promise<T | null> {
  const identity = identityOf(path);
  const database = openToRead(path);
  const descriptors: number[] = [];
  let target: FileHandle | undefined;
  try {
    if (database.pragma('journal_mode', { simple: true }) !== 'wal') return null;
    // As long as a connection has read once, nobody can remove the log or its index.
    readSomething(database);
    const real = realPathOf(path);
    // An index that this user may only read is not used by SQLite if nobody else has it open.
    if (!mayWrite(`${real}-shm`)) return null;
    const openSource = (ending: string) => {
      const descriptor = openSync(`${real}${ending}`, 'r');
      descriptors.push(descriptor);
      return descriptor;
    };
    const [file, log, index] = [openSource(''), openSource('-wal'), openSource('-shm')];
    // The files may be those of another database if it was replaced just now.
    if (identityOf(path) !== identity) return null;
    target = await open(copy, 'r+');
    const pageBytes = Number(database.pragma('page_size', { simple: true }));
    const copying = { database, file, log, target, pageBytes, follower: followLog(index, log, pageBytes) };
    const moment = await copyRounds(copying, onProgress);
    if (moment === null) return null;
    const seen = look(database);
    await copyMoment(copying, moment);
    return seen;
  } finally {
    database.close();
    await target?.close();
    for (const descriptor of descriptors) closeSync(descriptor);
  }
}

/** What is copied, and where to. */
interface Copying {
  readonly database: Database.Database;
  /** Descriptors of the database and of its log. */
  readonly file: number;
  readonly log: number;
  readonly target: FileHandle;
  readonly pageBytes: number;
  readonly follower: LogFollower;
}

/**
 * Copies until few changed pages are left, and begins a transaction.
 *
 * @returns where the log is in that transaction; null if it cannot be followed
 */
async function copyRounds(copying: Copying, onProgress: (part: number) => void): Promise<LogPosition | null> {
  const { database, file, target, pageBytes, follower } = copying;
  const pagesOfFile = () => Math.ceil(fstatSync(file).size / pageBytes);
  let misses = 0;
  let isMissed = false;
  const look = () => {
    if (follower.look() === null) isMissed = true;
  };
  look();
  follower.changed.addUpTo(pagesOfFile());
  for (let round = 1; ; round++) {
    const pages = follower.changed.size;
    let copied = 0;
    // Whoever commits waits for what is not on the disk yet, and this one looks at the log while it waits itself.
    const timer = setInterval(look, lookEveryMs);
    try {
      await copyChanged(copying, async (count) => {
        look();
        copied += count;
        if (round === 1) onProgress(Math.min(1, copied / pages));
        if (copied % pagesUntilSync < count) await target.datasync();
      });
    } finally {
      clearInterval(timer);
    }
    if (!isMissed && follower.changed.size > fewPages && round < roundsMax) continue;
    const moment = isMissed ? null : begin(database, follower);
    if (moment !== null) return moment;
    misses += 1;
    if (misses > missesMax) return null;
    isMissed = false;
    look();
    follower.changed.addUpTo(pagesOfFile());
  }
}

/** Begins a transaction at a moment at which all of the log has been seen. Returns null if something was missed. */
function begin(database: Database.Database, follower: LogFollower): LogPosition | null {
  for (let tries = 0; tries < momentsMax; tries++) {
    const before = follower.look();
    if (before === null) return null;
    database.exec('BEGIN');
    readSomething(database);
    const position = follower.position();
    if (position?.index.equals(before.index)) return position;
    database.exec('ROLLBACK');
  }
  return null;
}

/** Copies what is left, in the transaction that holds the moment. */
async function copyMoment(copying: Copying, { frames, moved, pages }: LogPosition): Promise<void> {
  const { file, log, target, pageBytes, follower } = copying;
  const last = pages === 0 ? Math.floor(fstatSync(file).size / pageBytes) : pages;
  // If all of the log has been moved, nobody moves anything more, but the log may begin anew. If not, it stays as it is, and only
  // pages that it has may change in the file.
  const isMoved = moved === frames;
  if (isMoved) for (const page of follower.inLog.keys()) follower.changed.add(page);
  await copyChanged(copying, async () => {});
  if (!isMoved) {
    const page = Buffer.alloc(pageBytes);
    for (const [number, frame] of follower.inLog) {
      if (number > last) continue;
      if (readSync(log, page, 0, pageBytes, frameAt(frame, pageBytes) + frameHeaderBytes) < pageBytes)
        throw new Error('The log of the database has become shorter while it was copied. Was it replaced? Try again.');
      writeSync(target.fd, page, 0, pageBytes, (number - 1) * pageBytes);
    }
  }
  await target.truncate(last * pageBytes);
}

/** Copies the pages that may have changed, as they are in the file. Those of them that change from now on are added anew. */
async function copyChanged(copying: Copying, onCopied: (count: number) => Promise<void>): Promise<void> {
  const { file, target, pageBytes, follower } = copying;
  const buffer = Buffer.alloc(bytesAtOnce);
  const pagesAtOnce = Math.floor(bytesAtOnce / pageBytes);
  for (let from = 1; ; ) {
    const run = follower.changed.takeRun(from, pagesAtOnce);
    if (run === null) return;
    from = run.first + run.count;
    const at = (run.first - 1) * pageBytes;
    // Less is read where the file has become shorter.
    const count = readSync(file, buffer, 0, run.count * pageBytes, at);
    writeSync(target.fd, buffer, 0, count, at);
    await onCopied(run.count);
  }
}

function readSomething(database: Database.Database): void {
  database.prepare('SELECT count(*) FROM sqlite_master').get();
}

function mayWrite(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
