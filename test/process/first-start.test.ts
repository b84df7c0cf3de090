// What an operator sees first: the welcome, the key, and clear refusals.

import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { contentsOf, execute, type NamedDatabase, testDatabase } from '../support/database.ts';
import { apiKey, type Environment, endOf, readyServer, rest, run, start, until } from './support.ts';

/** Starts a server as an operator does the first time. */
const startServer = (database: NamedDatabase, environment: Environment = {}) =>
  readyServer(database, { BOOTSTRAP_API_KEY: undefined, ...environment });

const callsIn = (welcome: string) => [...welcome.matchAll(/^ {2}(curl .*)$/gm)].map(([, call = '']) => call);

/** Runs a call from the welcome in a shell, as if it were pasted. */
async function paste(call: string, environment: Record<string, string> = {}) {
  const { code, out } = await endOf(run('bash', ['-c', call], { ...environment, no_proxy: '*' }));
  expect([call, code]).toEqual([call, 0]);
  return JSON.parse(out);
}

test('the first start prints one key and two calls that work when pasted; the second prints no key', async () => {
  const database = await testDatabase({ migrated: false });
  const first = await startServer(database);
  const [token = '', ...more] = first.printed.out.match(/^ {2}(sallyport_\S+)$/m)?.slice(1) ?? [];
  expect(more).toEqual([]);
  expect(token).toMatch(/^sallyport_[\w-]{51}$/);
  const [create = '', list = '', ...others] = callsIn(first.printed.out);
  expect(others).toEqual([]);
  expect(await paste(create)).toMatchObject({ description: 'office', uri: expect.stringContaining(first.url) });
  expect(await paste(list)).toEqual({
    data: { ipPolicies: { totalCount: 1, nodes: [{ id: expect.stringMatching(/^ipp_/), description: 'office' }] } },
  });
  expect(first.printed.errors).not.toContain(token);
  // If the output is recorded, so is the key. The welcome also says what to look at.
  expect(first.printed.out).toContain('the key is now in the record. Replace it: ');
  for (const path of ['/', '/graphql', '/docs']) expect(first.printed.out).toContain(`\n  ${first.url}${path} `);
  first.child.kill('SIGTERM');
  expect(await first.ended).toBe(0);

  const second = await startServer(database);
  expect(second.printed.out).toBe(`Sallyport is listening on ${second.url}\n`);
  expect((await rest(second.url, 'GET', '/ip_policies', undefined, token)).status).toBe(200);
  expect((await contentsOf(database)).includes(token)).toBe(false);
});

test('the start says where it listens, and what clients use when that is another address', async () => {
  const database = await testDatabase({ migrated: false });
  const baseUrl = 'https://sallyport.example.com';
  const server = await startServer(database, { BASE_URL: baseUrl, BOOTSTRAP_API_KEY: apiKey });
  expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect((await rest(server.url, 'GET', '/ip_policies')).status).toBe(200);
  expect(server.printed.out).toContain(`URLs in answers start with ${baseUrl} (BASE_URL)\n`);
  expect(callsIn(server.printed.out)[0]).toContain(`curl -X POST ${baseUrl}/ip_policies`);
  // A chosen key is not in the output, so there is no warning.
  expect(server.printed.out).not.toContain('record');
  await until(() => server.printed.errors.includes('"msg":"ready"'));
  expect(server.printed.errors).toContain(`"listening":"${server.url}","baseUrl":"${baseUrl}"`);
});

test('BOOTSTRAP_API_KEY is the first key, and is never printed, logged or stored', async () => {
  const database = await testDatabase({ migrated: false });
  const server = await startServer(database, { BOOTSTRAP_API_KEY: apiKey, LOG_LEVEL: 'trace' });
  const [create = '', list = ''] = callsIn(server.printed.out);
  expect(create).toContain('$BOOTSTRAP_API_KEY');
  await paste(create, { BOOTSTRAP_API_KEY: apiKey });
  expect((await paste(list, { BOOTSTRAP_API_KEY: apiKey })).data.ipPolicies.totalCount).toBe(1);
  expect((await rest(server.url, 'GET', '/ip_policies', undefined, `${apiKey}x`)).status).toBe(401);
  server.child.kill('SIGTERM');
  const { code, out, errors } = await endOf(server);
  expect(code).toBe(0);
  expect(out + errors).not.toContain(apiKey);
  expect((await contentsOf(database)).includes(apiKey)).toBe(false);

  // Another value changes nothing on a database that has its key.
  const again = await startServer(database, { BOOTSTRAP_API_KEY: 'another-key-0123456789' });
  expect((await rest(again.url, 'GET', '/ip_policies', undefined, 'another-key-0123456789')).status).toBe(401);
  expect((await rest(again.url, 'GET', '/ip_policies')).status).toBe(200);
});

test('a start that cannot listen does not use up the first key', async () => {
  const busy = createServer();
  await new Promise<void>((resolve) => busy.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void busy.close());
  // A listening TCP server has an address with a port.
  const { port } = busy.address() as AddressInfo;
  const database = await testDatabase({ migrated: false });
  const { code, out, errors } = await endOf(start('main', [], { PORT: String(port), ...database.environment }));
  expect([code, out]).toEqual([1, '']);
  expect(errors).toContain(`Sallyport cannot run. listen EADDRINUSE: address already in use 127.0.0.1:${port}`);
  const next = await startServer(database);
  expect(callsIn(next.printed.out)).toHaveLength(2);
  expect(next.printed.out).toMatch(/^ {2}sallyport_\S+$/m);
});

test('a bad configuration names every bad variable at once, and repeats no value', async () => {
  const bad = {
    PORT: 'hush-port',
    DATABASE_URL: 'mysql://user:hush-database@db/x',
    BASE_URL: 'https://hush-base/path',
    TRUST_PROXY: 'hush-proxy',
    CORS_ORIGINS: 'https://ok.example,hush-origin',
    VERSION_HEADERS: 'hush header',
    BOOTSTRAP_API_KEY: 'hush-key',
    LOG_LEVEL: 'hush-level',
  };
  const { code, out, errors } = await endOf(start('main', [], bad));
  expect([code, out]).toEqual([1, '']);
  for (const name of Object.keys(bad)) expect(errors).toContain(`  ${name}: `);
  expect(errors).not.toContain('hush');
  expect(errors).not.toMatch(/\bat .*\.ts/);
});

test('a database of a newer version, or of another program, is refused and left alone', async () => {
  const database = await testDatabase({ migrated: false });
  const server = await startServer(database, { BOOTSTRAP_API_KEY: apiKey });
  server.child.kill('SIGTERM');
  await endOf(server);
  await execute(
    database,
    `INSERT INTO _prisma_migrations SELECT 'x', checksum, finished_at, '29990101000000_future', logs, rolled_back_at, started_at,
       applied_steps_count FROM _prisma_migrations LIMIT 1`,
  );
  const before = await contentsOf(database);
  const newer = await endOf(start('main', [], { PORT: '0', ...database.environment }));
  expect([newer.code, newer.out]).toEqual([1, '']);
  expect(newer.errors).toContain(
    `Sallyport cannot run. The database ${database.engine.name} is newer than this program`,
  );
  expect(newer.errors).toContain('29990101000000_future');
  expect((await contentsOf(database)).equals(before)).toBe(true);
});
