// Several servers that start at the same time on one database.

import { expect, test } from 'vitest';
import { readyServer, rest, withMigration } from '../process/support.ts';
import { testDatabase } from '../support/database.ts';

test('five servers on an empty database: one migrates it, one makes the account, and all serve', async () => {
  const database = await testDatabase({ migrated: false });
  const start = () => readyServer(database, { BOOTSTRAP_API_KEY: undefined });
  const servers = await Promise.all(Array.from({ length: 5 }, start));
  expect(servers.map(({ log }) => log().filter(({ msg }) => msg === 'database migrated').length).sort()).toEqual([
    0, 0, 0, 0, 1,
  ]);
  const keys = servers.flatMap(({ printed }) => /^ {2}(\S{30,})$/m.exec(printed.out)?.[1] ?? []);
  expect(keys.length).toBe(1);
  const made = await rest(servers[0]?.url ?? '', 'POST', '/ip_policies', {}, keys[0]);
  expect(made.status).toBe(201);
  const { id } = JSON.parse(await made.text());
  const read = servers.map(({ url }) => rest(url, 'GET', `/ip_policies/${id}`, undefined, keys[0]));
  expect((await Promise.all(read)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
});

test('a migration that takes longer than changes may wait for a table is waited for by servers that start meanwhile', async () => {
  const database = await testDatabase({ migrated: false });
  const first = await readyServer(database);
  first.child.kill('SIGTERM');
  await first.ended;
  withMigration('99990101000000_slow', 'SELECT pg_sleep(6);');
  const servers = await Promise.all([readyServer(database), readyServer(database)]);
  expect(servers.map(({ log }) => log().filter(({ msg }) => msg === 'database migrated').length).sort()).toEqual([
    0, 1,
  ]);
});
