// A PostgreSQL that others use as well: they take all of its connections, or leave a transaction open.

import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { cli, type Environment, readyServer, rest, statusOf, until } from '../process/support.ts';
import { createCluster, query, send, urlOf } from '../support/postgres.ts';
import { times } from '../support/times.ts';

async function startCrowded(...settings: string[]) {
  const cluster = createCluster(['listen_addresses=', 'fsync=off', ...settings]);
  onTestFinished(() => cluster.stop());
  await cluster.start();
  const environment: Environment = {
    DATABASE_URL: cluster.url,
    SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
  };
  return { cluster, environment, server: await readyServer({ environment }) };
}

async function connectTo(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, application_name: 'somebody else' });
  await client.connect();
  client.on('error', () => {});
  onTestFinished(() => client.end().catch(() => {}));
  return client;
}

test('others take all connections: every request is served over those that the server has', async () => {
  const { cluster, server } = await startCrowded('max_connections=12', 'superuser_reserved_connections=0');
  expect((await rest(server.url, 'POST', '/ip_policies', {})).status).toBe(201);
  const others: pg.Client[] = [];
  try {
    for (;;) others.push(await connectTo(cluster.url));
  } catch (error) {
    expect(String(error)).toContain('too many clients');
  }
  // Each reader and writer sends one request after the other.
  const statuses = await Promise.all(
    times(24).map(async (client) => {
      const found: number[] = [];
      for (const _ of times(10)) {
        const method = client % 2 === 0 ? 'POST' : 'GET';
        found.push((await rest(server.url, method, '/ip_policies', method === 'GET' ? undefined : {})).status);
      }
      return found;
    }),
  );
  expect(new Set(statuses.flat())).toEqual(new Set([200, 201]));
  expect(others.length).toBeGreaterThan(0);
  // A connection that the server loses now cannot be opened again: of two shared by reads, the other one serves.
  await others.pop()?.end();
  const shared = await query(
    cluster.url,
    "SELECT pid FROM pg_stat_activity WHERE application_name = 'sallyport' AND query LIKE 'SELECT%' LIMIT 1",
  );
  others.push(await connectTo(cluster.url));
  await others.at(-1)?.query(`SELECT pg_terminate_backend(${String(shared[0]?.pid)})`);
  await until(async () => {
    try {
      await connectTo(cluster.url);
      return false;
    } catch {
      return true;
    }
  });
  expect(await Promise.all(times(20).map(() => statusOf(server.url, '/readyz')))).toEqual(times(20).map(() => 200));
  expect((await rest(server.url, 'POST', '/ip_policies', {})).status).toBe(201);
});

test('a transaction that is left open, in any database, is in the metrics and named by doctor, with how to end it', async () => {
  const { cluster, environment, server } = await startCrowded('max_connections=40', 'max_prepared_transactions=2');
  await send(cluster.url, 'CREATE DATABASE other');
  const doctorSays = async () => {
    const { out } = await cli({ environment }, ['doctor']);
    return /^.*live streams: .*$/m.exec(out)?.[0];
  };
  expect(await doctorSays()).toBe('ok    live streams: No open transaction holds them up.');
  const [first, second] = [await connectTo(urlOf(cluster.url, 'other')), await connectTo(urlOf(cluster.url, 'other'))];
  for (const client of [first, second]) {
    await client.query('BEGIN');
    await client.query(`CREATE TABLE ${client === first ? 't' : 'u'} ()`);
  }
  await first.query("PREPARE TRANSACTION 'it''s mine'");
  const { rows } = await second.query('SELECT pg_backend_pid() AS pid, pg_sleep(10.5)');
  const pid = String(rows[0].pid);
  const waits = 'warn  live streams: They wait for a transaction that has been open for';
  expect(await doctorSays()).toMatch(
    new RegExp(
      `^${waits} \\d+ seconds: the prepared transaction 'it's mine', in the database other, and 1 more. Let its coordinator end ` +
        "it, or run in that database: ROLLBACK PREPARED 'it''s mine'$",
    ),
  );
  const metrics = await (await fetch(`${server.url}/metrics`)).text();
  expect(Number(/^sallyport_oldest_transaction_seconds (\S+)$/m.exec(metrics)?.[1])).toBeGreaterThan(10);

  await first.query("ROLLBACK PREPARED 'it''s mine'");
  // Another role does not see since when it is open, but that it is.
  await send(cluster.url, 'CREATE ROLE stranger LOGIN', 'GRANT SELECT ON ALL TABLES IN SCHEMA public TO stranger');
  environment.DATABASE_URL = cluster.url.replace('postgres@', 'stranger@');
  expect(await doctorSays()).toBe(
    `${waits} a time that this role may not see: pid ${pid}, application "somebody else", in the database other. Let its program ` +
      `end it, or run as an administrator: SELECT pg_terminate_backend(${pid})`,
  );
});
