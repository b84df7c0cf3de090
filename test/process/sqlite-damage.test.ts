// A server whose database is damaged while it runs, or loses its files: what probes, clients and the log say.

import { copyFileSync, openSync, renameSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { Sqlite } from '../../src/storage/sqlite/driver.ts';
import { command } from './one-process.ts';
import {
  cli,
  databaseFile,
  emptyFile,
  readyServer,
  rest,
  type Server,
  statusOf,
  temporaryDirectory,
  until,
} from './support.ts';

/** Returns the problems that the log reports. */
const troubles = (server: Server) =>
  server
    .log()
    .filter(({ level, requestId }) => level === 50 && requestId === undefined)
    .map(({ msg }) => msg)
    // It is stored every ten seconds, and cannot be while writes are stopped.
    .filter((msg) => !String(msg).startsWith('activity could not be stored'));
const failures = (server: Server) => server.log().filter(({ msg }) => msg === 'request failed');

/** Creates policies that fill many pages. */
async function fill({ url }: Server, count: number) {
  const metadata = 'x'.repeat(2000);
  await Promise.all(
    Array.from({ length: count }, async (_, n) =>
      expect((await rest(url, 'POST', '/ip_policies', { description: `policy ${n}`, metadata })).status).toBe(201),
    ),
  );
}

/** Overwrites a page of a table or index, in the database file itself. */
function damage(path: string, name: string, place: number) {
  const database = new Sqlite(path);
  database.pragma('wal_checkpoint(TRUNCATE)');
  const pages = database
    .prepare<[string], number>("SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY pageno")
    .pluck()
    .all(name);
  database.close();
  const page = pages[Math.floor(pages.length * place)] ?? 0;
  expect(pages.length).toBeGreaterThan(3);
  writeSync(openSync(path, 'r+'), Buffer.alloc(4096, 0xa5), 0, 4096, (page - 1) * 4096);
}

const readiness = async ({ url }: Server) => {
  const answer = await fetch(`${url}/readyz`);
  return [answer.status, JSON.parse(await answer.text()).msg];
};
const notReady = [503, "Something is wrong with the database; the server's log says what, and what to do."];
const unavailable = {
  error_code: 'UNAVAILABLE',
  status_code: 503,
  msg: "The server's database is damaged or has been moved. Its operator must repair it.",
  details: { operation_id: expect.any(String) },
};

describe('a damaged page', () => {
  test.each([
    ['of a table', 'IpPolicy', 0.5],
    ['of an index', 'IpPolicy_accountId_id_idx', 0.3],
  ])('%s turns readiness, which the log explains once, and stops writes', async (_, name, place) => {
    const server = await readyServer(emptyFile());
    await fill(server, 300);
    expect(await readiness(server)).toEqual([200, undefined]);
    damage(server.database.path, name, place);
    await until(async () => (await statusOf(server.url, '/readyz')) === 503);
    for (let probe = 0; probe < 5; probe++) expect(await readiness(server)).toEqual(notReady);
    await pause(1_500);
    expect(await readiness(server)).toEqual(notReady);
    expect(troubles(server)).toEqual([
      expect.stringMatching(
        /^The database \S+test\.db is damaged: .+\. Writes are stopped; .* restore the last backup with "sallyport restore <file>"\. See "A damaged database" in docs\/operations\.md\.$/,
      ),
    ]);
    const written = await rest(server.url, 'POST', '/ip_policies', {});
    expect([written.status, written.headers.get('retry-after')]).toEqual([503, '2']);
    expect(await written.json()).toEqual(unavailable);
    expect(await statusOf(server.url, '/healthz')).toBe(200);
    expect(await (await fetch(`${server.url}/metrics`)).text()).toContain('\nsallyport_ready 0\n');
    expect(failures(server)).toEqual([]);
    server.child.kill('SIGTERM');
    expect(await server.ended).toBe(0);
  });

  test('that a request meets is 503, and turns readiness without a look for it', async () => {
    const { path } = emptyFile();
    const first = await readyServer(databaseFile(path));
    await fill(first, 300);
    const copy = join(temporaryDirectory(), 'copy.db');
    expect((await command(databaseFile(path), ['backup', copy])).code).toBe(0);
    first.child.kill('SIGTERM');
    expect(await first.ended).toBe(0);
    damage(path, 'IpPolicy', 0.99);
    const server = await readyServer(databaseFile(path));
    const answers = await Promise.all(Array.from({ length: 4 }, () => rest(server.url, 'GET', '/ip_policies')));
    expect(answers.map(({ status }) => status)).toEqual([503, 503, 503, 503]);
    expect(await answers[0]?.json()).toEqual(unavailable);
    const graphql = await fetch(`${server.url}/graphql`, {
      method: 'POST',
      headers: { Authorization: 'Bearer operator-chosen-key-0123456789', 'Content-Type': 'application/json' },
      body: '{"query": "{ ipPolicies { nodes { description } } }"}',
    });
    expect(JSON.parse(await graphql.text()).errors).toMatchObject([{ extensions: { code: 'UNAVAILABLE' } }]);
    // Reported by the statement, before any probe has asked.
    await until(() => troubles(server).length > 0);
    expect(troubles(server)).toEqual([expect.stringContaining('is damaged: database disk image is malformed')]);
    expect(await readiness(server)).toEqual(notReady);
    expect(failures(server)).toEqual([]);
    // The log's advice helps.
    server.child.kill('SIGTERM');
    expect(await server.ended).toBe(0);
    expect(await cli(databaseFile(path), ['restore', copy])).toMatchObject({ code: 0, errors: '' });
    const restored = await readyServer(databaseFile(path));
    expect((await rest(restored.url, 'GET', '/ip_policies')).status).toBe(200);
    expect(await readiness(restored)).toEqual([200, undefined]);
  });

  test('is looked for by probes at a cost that is bounded, however many there are', async () => {
    const server = await readyServer(emptyFile());
    await fill(server, 100);
    const cpu = async () => {
      const metrics = await (await fetch(`${server.url}/metrics`)).text();
      return Number(/^process_cpu_seconds_total (\S+)$/m.exec(metrics)?.[1]);
    };
    const ask = async (path: string) => {
      const before = await cpu();
      for (let count = 0; count < 150; count++) expect(await statusOf(server.url, path)).toBe(200);
      return (await cpu()) - before;
    };
    await ask('/healthz');
    await ask('/readyz');
    const [alive, ready] = [await ask('/healthz'), await ask('/readyz')];
    // Two to three inspections of the file, and small statements.
    expect(ready).toBeLessThan(3 * alive + 0.5);
  });
});

describe('files that are gone', () => {
  test('the log: nothing acknowledged is lost, even when the process is killed', async () => {
    const { path } = emptyFile();
    const server = await readyServer(databaseFile(path));
    await fill(server, 40);
    expect(statSync(`${path}-wal`).size).toBeGreaterThan(40_000);
    rmSync(`${path}-wal`);
    await until(() => troubles(server).length > 0);
    expect(await readiness(server)).toEqual(notReady);
    expect(troubles(server)).toEqual([
      `${path}-wal is gone. Writes are stopped; acknowledged changes are being saved into ${path}. Restart the ` +
        'server. See "Files that are gone" in docs/operations.md.',
    ]);
    const written = await rest(server.url, 'POST', '/ip_policies', {});
    expect([written.status, await written.json()]).toEqual([503, unavailable]);
    expect((await rest(server.url, 'GET', '/ip_policies')).status).toBe(200);
    server.child.kill('SIGKILL');
    await server.ended;
    const again = await readyServer(databaseFile(path));
    const { ip_policies: policies } = JSON.parse(await (await rest(again.url, 'GET', '/ip_policies')).text());
    expect(policies).toHaveLength(40);
    expect(await readiness(again)).toEqual([200, undefined]);
  });

  test('the log, while another program reads: all of it is saved once that ends, and the log says so', async () => {
    const { path } = emptyFile();
    const server = await readyServer(databaseFile(path));
    await fill(server, 5);
    const reader = new Sqlite(path, { readonly: true });
    reader.exec('BEGIN');
    expect(reader.prepare('SELECT count(*) FROM IpPolicy').pluck().get()).toBe(5);
    await fill(server, 35);
    rmSync(`${path}-wal`);
    await until(() => troubles(server).length === 2);
    expect(troubles(server)[1]).toBe(
      `Some acknowledged changes are not saved in ${path} yet: the database is being read. The server retries ` +
        'every second. Do not stop it until it logs that everything is saved. See "Files that are gone" in docs/operations.md.',
    );
    await pause(2_500);
    expect(troubles(server)).toHaveLength(2);
    reader.exec('COMMIT');
    await until(() => troubles(server).length === 3);
    expect(troubles(server)[2]).toBe(`All acknowledged changes are saved in ${path}. Restart the server.`);
    server.child.kill('SIGKILL');
    await server.ended;
    reader.close();
    const again = await readyServer(databaseFile(path));
    const { ip_policies: policies } = JSON.parse(await (await rest(again.url, 'GET', '/ip_policies')).text());
    expect(policies).toHaveLength(40);
  });

  test.each(['-wal', '-shm', '.lock', ''])(
    '%s replaced by another file turns readiness until a restart',
    async (ending) => {
      const { path } = emptyFile();
      const server = await readyServer(databaseFile(path));
      await fill(server, 3);
      const file = `${path}${ending}`;
      copyFileSync(file, `${file}.copy`);
      renameSync(`${file}.copy`, file);
      await until(() => troubles(server).length > 0);
      for (let probe = 0; probe < 3; probe++) expect(await readiness(server)).toEqual(notReady);
      const what = ending === '.lock' ? 'was removed or replaced' : 'is no longer the file that the server opened';
      expect(troubles(server)).toEqual([expect.stringContaining(`${file} ${what}`)]);
      expect((await rest(server.url, 'GET', '/ip_policies')).status).toBe(200);
      // A missing lock file is not dangerous yet: the database file is locked too.
      expect((await rest(server.url, 'POST', '/ip_policies', {})).status).toBe(ending === '.lock' ? 201 : 503);
      expect(failures(server)).toEqual([]);
      if (ending !== '.lock') return;
      server.child.kill('SIGTERM');
      expect(await server.ended).toBe(0);
      expect(await readiness(await readyServer(databaseFile(path)))).toEqual([200, undefined]);
    },
  );

  test('the database: writes are refused until it is back, which needs no restart', async () => {
    const server = await readyServer(emptyFile());
    await fill(server, 3);
    renameSync(server.database.path, `${server.database.path}.moved`);
    await until(() => troubles(server).length > 0);
    expect((await rest(server.url, 'POST', '/ip_policies', {})).status).toBe(503);
    writeFileSync(server.database.path, 'another file');
    expect(await readiness(server)).toEqual(notReady);
    const service = async () => {
      const answer = await rest(server.url, 'POST', '/graphql', { query: '{ service { healthy problems } }' });
      return JSON.parse(await answer.text()).data.service;
    };
    const problem = "Something is wrong with the database; the server's log says what, and what to do.";
    expect(await service()).toEqual({ healthy: false, problems: [problem] });
    renameSync(`${server.database.path}.moved`, server.database.path);
    await until(async () => (await statusOf(server.url, '/readyz')) === 200);
    expect(await service()).toEqual({ healthy: true, problems: [] });
    expect((await rest(server.url, 'POST', '/ip_policies', {})).status).toBe(201);
    await until(() => server.log().some(({ msg }) => msg === 'the database is healthy again'));
    expect(await (await fetch(`${server.url}/metrics`)).text()).toContain('\nsallyport_ready 1\n');
  });
});
