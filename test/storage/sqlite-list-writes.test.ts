// What statements that change many rows from a list look at on SQLite.

import { expect, test } from 'vitest';
import { createRowChangesOf } from '../../src/storage/objects/plain-writes.ts';
import { sqliteDialect } from '../../src/storage/sqlite/dialect.ts';
import { openBeside, testDatabase } from '../support/database.ts';

test('rows that change together are found by their keys, and the list is looked through once', async () => {
  const { connection } = await openBeside(await testDatabase());
  const rows = ['ipp_1', 'ipp_2'].map((id) => ({ found: { id, version: 1 }, columns: { description: 'changed' } }));
  const { statement } = createRowChangesOf(sqliteDialect)('acct_1').updateAll('IpPolicy', rows);
  const plan = await connection.queryRaw({ ...statement, sql: `EXPLAIN QUERY PLAN ${statement.sql}` });
  expect(plan.rows.map((row) => row.at(-1))).toEqual([
    expect.stringMatching(/^SCAN e VIRTUAL TABLE/),
    'SEARCH IpPolicy USING INDEX sqlite_autoindex_IpPolicy_1 (id=?)',
  ]);
});
