// Several servers that start at the same time on one database.

import { expect, test } from 'vitest';
import { endOf, readyServer, rest, start, withMigration } from '../process/support.ts';
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

test('without SECRET_KEY a server says that it needs one', async () => {
  const { url } = await testDatabase({ migrated: false });
  const { code, out, errors } = await endOf(start('main', [], { DATABASE_URL: url, PORT: '0' }));
  expect([code, out]).toEqual([1, '']);
  expect(errors).toMatch(/^Sallyport cannot run\. .*SECRET_KEY/m);
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

test('the secret key is not changed while a server runs, and the old one starts none afterwards', async () => {
  const database = await testDatabase({ migrated: false });
  const server = await readyServer(database);
  const change = () =>
    endOf(
      start('cli', ['secret', 'rotate'], {
        ...database.environment,
        NEW_SECRET_KEY: Buffer.alloc(32, 8).toString('base64'),
      }),
    );
  const refused = await change();
  expect([refused.code, refused.out]).toEqual([1, '']);
  expect(refused.errors).toContain('stop them first');
  server.child.kill('SIGTERM');
  expect(await server.ended).toBe(0);
  expect((await change()).code).toBe(0);
  const wrong = await endOf(start('main', [], { ...database.environment, PORT: '0' }));
  expect(wrong.errors).toContain('SECRET_KEY is not the key');
});
