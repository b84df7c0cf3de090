// Migrations on PostgreSQL beside servers that write: neither fails by the locks of the other.

import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { migrate } from '../../src/storage/lifecycle/migrate.ts';
import { execute, type TestDatabase, testDatabase } from '../support/database.ts';
import { migrationsWith } from './fixtures/migrations.ts';

const name = '29990101000000_notes';
const notes = ['AuditEvent', 'ApiKey', 'TlsEdge'].map((table) => `ALTER TABLE "${table}" ADD COLUMN "note" TEXT;`);

/** Begins a transaction that has written an edge. */
async function writing({ url }: TestDatabase): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  await client.query('BEGIN');
  await client.query(
    `INSERT INTO "TlsEdge" ("id", "accountId", "createdAt", "hostports") VALUES ('a', 'b', now(), '[]')`,
  );
  return client;
}

function begin(database: TestDatabase) {
  const directory = migrationsWith(database.engine.migrations, name, notes.join('\n'));
  const migrating = migrate(database.engine, { directory });
  const waits = async () => {
    const query = `SELECT count(*) FROM pg_stat_activity
      WHERE datname = current_database() AND application_name = 'sallyport command' AND wait_event_type = 'Lock'`;
    return Number((await execute(database, query))[0]?.[0]) > 0;
  };
  return { migrating, waits };
}

test('a transaction that takes its locks in the order opposite to the migration ends, and then the migration', async () => {
  const database = await testDatabase();
  const client = await writing(database);
  const { migrating, waits } = begin(database);
  await expect.poll(waits).toBe(true);
  // The migration holds this table, and waits for the other.
  await client.query('DELETE FROM "ApiKey"');
  await client.query('DELETE FROM "AuditEvent"');
  await client.query('COMMIT');
  expect(await migrating).toEqual([name]);
  expect(await execute(database, 'SELECT "id", "note" FROM "TlsEdge"')).toEqual([['a', null]]);
});

test('a transaction that does not end stops the migration, which leaves the database as it was and says what to do', async () => {
  const database = await testDatabase();
  const client = await writing(database);
  const { migrating } = begin(database);
  await expect(migrating).rejects.toThrow(
    `Cannot migrate the database ${database.engine.name}; it has been left as it was. ` +
      'Its tables are in use: stop the servers, or end the transaction that is open for long.',
  );
  await client.query('COMMIT');
  expect(await begin(database).migrating).toEqual([name]);
});
