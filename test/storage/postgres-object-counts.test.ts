// Transactions that count at the same time on PostgreSQL do not wait for each other.

import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { execute, testDatabase } from '../support/database.ts';
import { countsIn } from '../support/object-counts.ts';

const statements = {
  IpPolicy: `INSERT INTO "IpPolicy" ("id", "accountId", "createdAt") VALUES ($1, 'acct_a', now())`,
  TlsEdge: `INSERT INTO "TlsEdge" ("id", "accountId", "createdAt", "hostports") VALUES ($1, 'acct_a', now(), '[]')`,
};

test('transactions of one account count in any order, without waiting for the end of another', async () => {
  const database = await testDatabase();
  const begun = async () => {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    onTestFinished(() => client.end());
    // Any wait fails.
    await client.query("SET lock_timeout = '1ms'");
    await client.query('BEGIN');
    const create = (table: keyof typeof statements, id: string) => client.query(statements[table], [id]);
    return { client, create };
  };
  const all = await Promise.all([begun(), begun(), begun()]);
  for (const [n, { create }] of all.entries()) await create(n % 2 === 0 ? 'IpPolicy' : 'TlsEdge', `first${n}`);
  for (const [n, { create }] of all.entries()) await create(n % 2 === 0 ? 'TlsEdge' : 'IpPolicy', `second${n}`);
  const [undone, ...stored] = all;
  await undone?.client.query('ROLLBACK');
  for (const { client } of stored) await client.query('COMMIT');
  expect(await countsIn(database)).toEqual({
    kept: ['acct_a IpPolicy 2', 'acct_a TlsEdge 2'],
    rows: ['acct_a IpPolicy 2', 'acct_a TlsEdge 2'],
  });

  // Later ones count in the same rows.
  for (const n of [1, 2, 3]) {
    const { client, create } = await begun();
    await create('IpPolicy', `later${n}`);
    await client.query('COMMIT');
  }
  const counted = await execute(database, 'SELECT "kind", "slot", "count" FROM "ObjectCount" ORDER BY "kind", "slot"');
  expect(counted.map((row) => row.join(' '))).toEqual([
    'IpPolicy 0 3',
    'IpPolicy 1 1',
    'IpPolicy 2 1',
    'TlsEdge 1 1',
    'TlsEdge 2 1',
  ]);
});
