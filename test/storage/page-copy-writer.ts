// A program that writes to a database without pause, for the test of backups. What a change does follows from its number, so that a
// copy of any moment can be compared with a database that was filled again from the beginning.

import { writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import type Database from 'better-sqlite3';
import { Sqlite } from '../../src/storage/sqlite/driver.ts';

/** Makes the tables, with `rows` rows of about a kilobyte. */
export function prepare(database: Database.Database, rows: number): void {
  database.exec(`
    CREATE TABLE "_prisma_migrations" (id TEXT);
    CREATE TABLE "Fact" (id INTEGER PRIMARY KEY, number INTEGER);
    CREATE TABLE "Item" (id INTEGER PRIMARY KEY, name TEXT, body BLOB);
    CREATE INDEX "Item_name" ON "Item" (name);
    INSERT INTO "Fact" VALUES (1, 0);
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows})
    INSERT INTO "Item" SELECT i, hex(i * 7919 % 100003), zeroblob(1000) FROM n;
    CREATE TABLE "Spare" AS SELECT body FROM "Item" LIMIT 3000;
  `);
}

/** Makes the change of a number: some rows get other values, of many lengths, some are gone, and some are new. */
export function change(database: Database.Database, number: number): void {
  let state = number * 2_654_435_761;
  const random = (below: number) => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 3_266_489_917) >>> 0;
    return (state >>> 3) % below;
  };
  database.transaction(() => {
    const put = database.prepare('INSERT OR REPLACE INTO "Item" VALUES (?, ?, ?)');
    for (let count = random(12); count >= 0; count--)
      put.run(1 + random(40_000), `${number} ${count}`, Buffer.alloc(random(9) === 0 ? 20_000 : random(2_000), count));
    database.prepare('DELETE FROM "Item" WHERE id = ?').run(1 + random(40_000));
    database.prepare('UPDATE "Fact" SET number = ?').run(number);
  })();
}

/** Makes the file smaller. */
export function vacuum(database: Database.Database): void {
  database.exec('DROP TABLE IF EXISTS "Spare"; VACUUM');
}

/** The change after which it vacuums. */
export const vacuumedAt = 1_009;

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [path = '', marker = ''] = process.argv.slice(2);
  const database = new Sqlite(path, { timeout: 5_000 });
  database.pragma('journal_mode = WAL');
  database.pragma('wal_autocheckpoint = 200');
  const last = database.prepare<[], number>('SELECT number FROM "Fact"').pluck().get() ?? 0;
  process.stdout.write('writing\n');
  const never = new Int32Array(new SharedArrayBuffer(4));
  for (let number = last + 1; ; number++) {
    change(database, number);
    if (number % 211 === 0) database.pragma('wal_checkpoint(TRUNCATE)');
    if (number === vacuumedAt) vacuum(database);
    if (number === vacuumedAt + 20) writeFileSync(marker, '');
    // A log that begins anew all the time cannot be followed on a busy machine.
    Atomics.wait(never, 0, 0, 1);
  }
}
