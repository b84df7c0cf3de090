// What the reads of a trail look at on SQLite, however long it is.

import { expect, test } from 'vitest';
import { sqliteDialect } from '../../src/storage/sqlite/dialect.ts';
import { beginning, createEventReads } from '../../src/storage/trail/event-reads.ts';
import { openBeside, testDatabase } from '../support/database.ts';

test('events by their ids, and accounts with events after a position, are found without a walk through the trail', async () => {
  const { connection } = await openBeside(await testDatabase());
  const plans: unknown[][] = [];
  const reads = createEventReads(
    {
      provider: connection.provider,
      adapterName: connection.adapterName,
      executeRaw: (query) => connection.executeRaw(query),
      async queryRaw(query) {
        const plan = await connection.queryRaw({ ...query, sql: `EXPLAIN QUERY PLAN ${query.sql}` });
        plans.push(plan.rows.map((row) => row.at(-1)));
        return connection.queryRaw(query);
      },
    },
    sqliteDialect,
  );
  expect(await reads.byIds('acct_1', ['evt_1', 'evt_2', 'evt_3'])).toEqual([]);
  expect(
    await reads.withMore(['acct_1', 'acct_2', 'acct_3'].map((accountId) => ({ accountId, ...beginning }))),
  ).toEqual([]);
  expect(plans).toEqual([
    [expect.stringMatching(/^SEARCH AuditEvent USING INDEX .*\bid=\?\)$/)],
    [
      'CO-ROUTINE p',
      'SCAN 4 CONSTANT ROWS',
      'SCAN p',
      expect.stringMatching(/^SEARCH AuditEvent EXISTS USING COVERING INDEX .*\(accountId=\? AND commitOrder>\?\)$/),
      'USE TEMP B-TREE FOR DISTINCT',
    ],
  ]);
});
