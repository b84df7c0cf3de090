// What `doctor` reads of a file to see whether its structure is intact.

import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { Sqlite } from '../../src/storage/sqlite/driver.ts';
import { examineStructure } from '../../src/storage/sqlite/reading.ts';
import { newPath } from '../process/support.ts';

test('of a large file, only the smallest tables are read, and the others are named', () => {
  const path = newPath();
  const database = new Sqlite(path);
  database.exec(`CREATE TABLE "Few" (a TEXT); CREATE TABLE "Many" (a TEXT);
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
    INSERT INTO "Many" SELECT hex(zeroblob(100)) FROM n;
    INSERT INTO "Few" SELECT a FROM "Many" LIMIT 60`);
  const leaf = Number(
    database.prepare(`SELECT min(pageno) FROM dbstat WHERE name = 'Few' AND pagetype = 'leaf'`).pluck().get(),
  );
  database.close();
  const large = { wholeBytes: 0, rows: 100 };
  expect(examineStructure(path)).toEqual({ faults: [], unread: [] });
  expect(examineStructure(path, large)).toEqual({ faults: [], unread: ['Many'] });

  const bytes = readFileSync(path);
  bytes.fill(0xa5, (leaf - 1) * 4096, leaf * 4096);
  writeFileSync(path, bytes);
  for (const bounds of [undefined, large])
    expect(() => examineStructure(path, bounds)).toThrow('database disk image is malformed');
});
