// A backup of a database that others write to, while they move the log into the file, all the time.

import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type Database from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { Sqlite } from '../../src/storage/sqlite/driver.ts';
import { copyPages } from '../../src/storage/sqlite/page-copy.ts';
import { temporaryDirectory } from '../process/support.ts';
import { change, prepare, vacuum, vacuumedAt } from './page-copy-writer.ts';

const rowCount = 10_000;

/** Returns the number of the last change in a database, and a digest of its rows. */
function contentsOf(database: Database.Database): { number: number; digest: string; integrity: unknown } {
  const digest = createHash('sha256');
  const rows = database.prepare<[], [number, string, Buffer]>('SELECT id, name, body FROM "Item" ORDER BY id').raw();
  for (const [id, name, body] of rows.iterate()) digest.update(`${id} ${name} ${body.length}`).update(body);
  return {
    number: database.prepare<[], number>('SELECT number FROM "Fact"').pluck().get() ?? 0,
    digest: digest.digest('hex'),
    integrity: database.pragma('integrity_check', { simple: true }),
  };
}

/** Returns what a database must have after a number of changes. */
function contentsAfter(number: number): ReturnType<typeof contentsOf> {
  const database = new Sqlite(':memory:');
  prepare(database, rowCount);
  for (let count = 1; count <= number; count++) change(database, count);
  const contents = contentsOf(database);
  database.close();
  return contents;
}

interface Case {
  /** Pages of the log at which a change moves it into the file; with 0, it is never moved, so that the copy has to read all of it. */
  readonly logPages: number;
  /** Whether all of it has been moved at the moment of the copy, so that it may begin anew meanwhile. */
  readonly isMoved: boolean;
  /** Whether the file becomes smaller once most of it has been copied. */
  readonly isVacuumed: boolean;
  /** Whether the log begins anew several times between two looks at it. */
  readonly isMissed?: boolean;
}

test.for<Case>([
  { logPages: 200, isMoved: false, isVacuumed: false },
  { logPages: 200, isMoved: true, isVacuumed: true },
  { logPages: 200, isMoved: false, isVacuumed: false, isMissed: true },
  { logPages: 0, isMoved: false, isVacuumed: false },
  { logPages: 0, isMoved: true, isVacuumed: false },
])('a copy is of its moment: %o', async ({ logPages, isMoved, isVacuumed, isMissed }) => {
  const directory = temporaryDirectory();
  const path = join(directory, 'live.db');
  const live = new Sqlite(path);
  live.pragma('journal_mode = WAL');
  live.pragma('synchronous = OFF');
  prepare(live, rowCount);
  live.pragma(`wal_autocheckpoint = ${logPages}`);
  let number = 0;
  const changes = (count: number) => {
    for (let made = 0; made < count; made++) change(live, ++number);
  };
  changes(20);
  const copy = join(directory, 'copy.db');
  writeFileSync(copy, '');
  let parts = 0;
  const progress = (part: number) => {
    parts += 1;
    changes(isMissed && parts === 5 ? 200 : 1);
    if (isVacuumed && part === 1) vacuum(live);
    if (isMoved && part === 1) live.pragma('wal_checkpoint(PASSIVE)');
  };
  const moment = await copyPages(path, copy, progress, (database) => {
    const seen = { ...contentsOf(database), pages: database.pragma('page_count', { simple: true }) };
    // The rest is copied after these: they are not in it.
    changes(40);
    return seen;
  });
  live.close();
  const pages = statSync(copy).size / 4_096;
  const database = new Sqlite(copy);
  const contents = contentsOf(database);
  database.close();
  expect(parts).toBeGreaterThan(5);
  expect({ ...contents, pages }).toEqual(moment);
  expect(contents).toEqual(contentsAfter(number - 40));
});

/** Starts a program that writes without pause, shortly before it vacuums. */
async function startWriter(path: string, marker: string): Promise<ChildProcess> {
  const live = new Sqlite(path);
  live.pragma('journal_mode = WAL');
  live.pragma('synchronous = OFF');
  prepare(live, rowCount);
  for (let number = 1; number <= vacuumedAt - 100; number++) change(live, number);
  live.close();
  const script = join(import.meta.dirname, 'page-copy-writer.ts');
  const child = spawn(process.execPath, ['--import', 'tsx', script, path, marker], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  if (child.stdout !== null) await once(child.stdout, 'data');
  return child;
}

test('a copy is of one moment, beside a program that writes without pause, and one that vacuums and is killed', async () => {
  const directory = temporaryDirectory();
  const path = join(directory, 'live.db');
  const file = join(directory, 'copy.db');
  const marker = join(directory, 'vacuumed');
  const writer = await startWriter(path, marker);
  const copied = async (onProgress: (part: number) => void) => {
    writeFileSync(file, '');
    const moment = await copyPages(path, file, onProgress, contentsOf);
    if (moment === null) return null;
    const copy = new Sqlite(file, { readonly: true });
    const contents = contentsOf(copy);
    copy.close();
    expect(contents).toEqual(moment);
    expect(contents).toEqual(contentsAfter(contents.number));
    return contents.number;
  };
  // On a busy machine, it may be too fast to be followed.
  await expect.poll(() => copied(() => {})).not.toBe(null);

  const deadlineMs = performance.now() + 60_000;
  const untilVacuumed = (part: number) => {
    if (part < 0.5) return;
    while (!existsSync(marker)) {
      if (performance.now() > deadlineMs) throw new Error('The program that writes does not vacuum.');
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
    writer.kill('SIGKILL');
  };
  let number: number | null = null;
  while (number === null) number = await copied(untilVacuumed);
  expect(number).toBeGreaterThan(vacuumedAt);
});
