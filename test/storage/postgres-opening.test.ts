// Opening a database that cannot be used: the error names the database, the step and what to do.

import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { ownDatabase } from '../../src/storage/lifecycle/open.ts';
import { testDatabase } from '../support/database.ts';
import { freePort } from '../support/free-port.ts';
import { query } from '../support/postgres.ts';

const secretKey = Buffer.alloc(32, 7);
const remedy =
  'See whether DATABASE_URL is right, PostgreSQL runs there, and what its sessions wait for (pg_stat_activity); then try again.';

async function messageOfOpening(databaseUrl: string): Promise<string> {
  return ownDatabase({ databaseUrl, secretKey }).then(
    () => 'opened',
    (error: Error) => error.message,
  );
}

test('nobody listens', async () => {
  const port = await freePort();
  expect(await messageOfOpening(`postgresql://somebody:secret@127.0.0.1:${port}/sallyport`)).toBe(
    `No connection to the database postgresql://127.0.0.1:${port}/sallyport: connect ECONNREFUSED 127.0.0.1:${port}. ` +
      `This happened while it was asked whether it takes writes. ${remedy}`,
  );
});

test.each([
  ['_prisma_migrations', 'its migrations were looked up and applied'],
  ['ServerFact', 'the order of its events was looked up'],
])('another session has locked %s', async (table, step) => {
  const { url, engine } = await testDatabase();
  await query(url, `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET statement_timeout = 100`);
  const other = new pg.Client({ connectionString: url });
  await other.connect();
  onTestFinished(() => other.end());
  await other.query(`SET statement_timeout = 0; BEGIN; LOCK TABLE "${table}"`);
  expect(await messageOfOpening(url)).toBe(
    `The database ${engine.name} cannot be used: canceling statement due to statement timeout. ` +
      `This happened while ${step}. ${remedy}`,
  );
});
