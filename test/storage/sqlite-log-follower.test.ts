// What is seen of a write-ahead log that others write to, and begin anew.

import { openSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Sqlite } from '../../src/storage/sqlite/driver.ts';
import { followLog } from '../../src/storage/sqlite/log-follower.ts';
import { temporaryDirectory } from '../process/support.ts';

/** Opens a database with a table of one row per page, and follows its log. The files stay open until the process ends. */
function followed() {
  const path = join(temporaryDirectory(), 'live.db');
  const database = new Sqlite(path);
  database.pragma('journal_mode = WAL');
  database.pragma('wal_autocheckpoint = 0');
  database.exec('CREATE TABLE "Item" (id INTEGER PRIMARY KEY, body BLOB)');
  const put = database.prepare('INSERT OR REPLACE INTO "Item" VALUES (?, randomblob(3000))');
  const write = database.transaction((from: number, count: number) => {
    for (let id = from; id < from + count; id++) put.run(id);
  });
  write(1, 40);
  const pageOf = (id: number) => {
    const pages = database.prepare<[], { page: number; first: number }>(
      `SELECT pageno AS page, pageno AS first FROM dbstat WHERE name = 'Item' AND pagetype = 'leaf' ORDER BY path`,
    );
    return pages.all()[id - 1]?.page ?? 0;
  };
  const move = () => database.pragma('wal_checkpoint(PASSIVE)');
  // The last change has begun the log anew, so that a beginning follows another one.
  move();
  write(40, 1);
  const follower = followLog(openSync(`${path}-shm`, 'r'), openSync(`${path}-wal`, 'r'), 4_096);
  const changed = () => {
    const pages: number[] = [];
    for (let from = 1; ; ) {
      const run = follower.changed.takeRun(from, 1);
      if (run === null) return pages;
      pages.push(run.first);
      from = run.first + 1;
    }
  };
  return { database, write, move, pageOf, follower, changed };
}

test('pages of the log may change in the file once it has begun anew, also those that were not seen before', () => {
  const { write, move, pageOf, follower, changed } = followed();
  write(1, 4);
  expect(follower.look()).not.toBe(null);
  expect([1, 2, 3, 4].every((id) => follower.inLog.has(pageOf(id)))).toBe(true);
  expect(changed()).toEqual([]);
  write(11, 2);
  move();
  write(21, 1);
  expect(follower.look()).not.toBe(null);
  expect([...follower.inLog.keys()]).toEqual([pageOf(21)]);
  expect(changed()).toEqual([1, 2, 3, 4, 11, 12, 40].map(pageOf).sort((one, other) => one - other));
});

test.for<[string, (of: ReturnType<typeof followed>) => void]>([
  [
    'what was not seen is overwritten',
    ({ write, move }) => {
      write(11, 2);
      move();
      write(21, 10);
    },
  ],
  [
    'the log has begun anew twice',
    ({ write, move }) => {
      move();
      write(11, 1);
      move();
      write(21, 1);
    },
  ],
  [
    'the log was emptied',
    ({ database, write }) => {
      write(11, 1);
      database.pragma('wal_checkpoint(TRUNCATE)');
    },
  ],
])('something was missed if %s; then it goes on', ([, happens]) => {
  const all = followed();
  const { write, pageOf, follower } = all;
  write(1, 4);
  expect(follower.look()).not.toBe(null);
  happens(all);
  expect(follower.look()).toBe(null);
  write(31, 1);
  // After an emptied log, the next beginning does not follow from it.
  follower.look();
  write(32, 1);
  expect(follower.look()).not.toBe(null);
  expect(follower.inLog.has(pageOf(32))).toBe(true);
});
