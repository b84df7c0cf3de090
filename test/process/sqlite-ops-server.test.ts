// A server whose database file does not behave as it should.

import { spawnSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Sqlite } from '../../src/storage/sqlite/driver.ts';
import { start as startFixture } from '../storage/fixtures/temporary.ts';
import {
  apiKey,
  databaseFile,
  emptyFile,
  readyServer,
  rest,
  startServer,
  statusOf,
  temporaryDirectory,
  until,
} from './support.ts';

describe('probes', () => {
  test('do not keep a start alive that is refused, which says why', async () => {
    const file = emptyFile();
    const first = await readyServer(file);
    const second = await startServer(file);
    expect(await second.ended).toBe(1);
    expect(second.printed.errors).toContain('Sallyport cannot run. The database');
    expect(second.printed.errors).toContain('is in use by another process');
    expect((await rest(first.url, 'GET', '/ip_policies')).status).toBe(200);
  });

  test('say not ready once the file is gone', async () => {
    const server = await readyServer(emptyFile());
    expect([await statusOf(server.url, '/healthz'), await statusOf(server.url, '/readyz')]).toEqual([200, 200]);
    renameSync(server.database.path, `${server.database.path}.moved`);
    expect(await statusOf(server.url, '/readyz')).toBe(503);
    expect(await statusOf(server.url, '/healthz')).toBe(200);
    writeFileSync(server.database.path, 'another file');
    expect(await statusOf(server.url, '/readyz')).toBe(503);
    await expect.poll(() => server.printed.errors).toContain('is no longer the file that the server opened');
    rmSync(server.database.path);
    renameSync(`${server.database.path}.moved`, server.database.path);
    expect(await statusOf(server.url, '/readyz')).toBe(200);
  });
});

describe('a database that another program has locked', () => {
  test('makes writes wait, and nothing else', async () => {
    const server = await readyServer(emptyFile());
    const holder = startFixture('holder.ts', server.database.path);
    expect(await holder.line()).toBe('holding');
    const begun = performance.now();
    const writes = Array.from({ length: 20 }, (_, n) =>
      rest(server.url, 'POST', '/ip_policies', { description: `${n}` }),
    );
    let written = 0;
    for (const write of writes) void write.then(() => written++);
    await pause(300);
    for (const path of ['/healthz', '/readyz']) expect(await statusOf(server.url, path)).toBe(200);
    expect((await rest(server.url, 'GET', '/ip_policies')).status).toBe(200);
    // The answers did not wait for the lock, as the writes do.
    expect(written).toBe(0);
    await pause(1_000);
    holder.process.stdin?.write('go\n');
    expect((await Promise.all(writes)).map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 201));
    expect(performance.now() - begun).toBeGreaterThan(1_300);
    const metrics = await (await fetch(`${server.url}/metrics`)).text();
    expect(
      Number(/^sallyport_database_duration_seconds_sum\{kind="wait"\} (\S+)$/m.exec(metrics)?.[1]),
    ).toBeGreaterThan(1);
  });

  test('for longer than 5 seconds makes writes answer 503, and later ones succeed', async () => {
    const server = await readyServer(emptyFile());
    const holder = startFixture('holder.ts', server.database.path);
    expect(await holder.line()).toBe('holding');
    const answer = await rest(server.url, 'POST', '/ip_policies', {});
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '2']);
    expect(await answer.json()).toMatchObject({ error_code: 'UNAVAILABLE' });
    holder.process.stdin?.write('go\n');
    await until(async () => (await rest(server.url, 'POST', '/ip_policies', {})).status === 201);
  });
});

test('a full disk answers 503, keeps reads going, and writes succeed once there is room', async (context) => {
  const mount = temporaryDirectory();
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', mount]);
  // Only root can mount; otherwise the test is skipped.
  context.skip(mounted.status !== 0, 'a small tmpfs cannot be mounted here');
  onTestFinished(() => void spawnSync('umount', ['-l', mount]));
  const directory = join(mount, 'data');
  mkdirSync(directory);
  const server = await readyServer(databaseFile(join(directory, 'test.db')));
  const metadata = 'x'.repeat(4000);
  const statuses = new Map<number, number>();
  let refused: Response | undefined;
  for (let count = 0; refused === undefined && count < 3000; count++) {
    const answer = await rest(server.url, 'POST', '/ip_policies', { metadata, description: `${count}` });
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
    if (answer.status !== 201) refused = answer;
  }
  expect(statuses).toEqual(
    new Map([
      [201, expect.any(Number)],
      [503, 1],
    ]),
  );
  expect(refused?.headers.get('retry-after')).toBe('2');
  expect(await refused?.json()).toMatchObject({ error_code: 'UNAVAILABLE' });
  const count = async () => {
    const answer = await fetch(`${server.url}/graphql`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
      body: '{"query": "{ ipPolicies { totalCount } }"}',
    });
    return JSON.parse(await answer.text()).data.ipPolicies.totalCount;
  };
  const acknowledged = statuses.get(201);
  expect(await count()).toBe(acknowledged);
  expect(await statusOf(server.url, '/readyz')).toBe(200);
  expect(spawnSync('mount', ['-o', 'remount,size=64m', mount]).status).toBe(0);
  await until(async () => (await rest(server.url, 'POST', '/ip_policies', { metadata })).status === 201);
  expect(await count()).toBe((acknowledged ?? 0) + 1);
  server.child.kill('SIGTERM');
  expect(await server.ended).toBe(0);
  const database = new Sqlite(server.database.path, { readonly: true });
  expect(database.pragma('integrity_check', { simple: true })).toBe('ok');
  database.close();
});

test('a read-only file system is named in the answers, in the log and by /readyz, until it can be written again', async (context) => {
  const server = await readyServer(emptyFile());
  const directory = dirname(server.database.path);
  const mounted = spawnSync('mount', ['--bind', directory, directory]);
  // Only root can mount; otherwise the test is skipped.
  context.skip(mounted.status !== 0, 'a directory cannot be mounted here');
  onTestFinished(() => void spawnSync('umount', ['-l', directory]));
  expect(spawnSync('mount', ['-o', 'remount,bind,ro', directory]).status).toBe(0);
  const named =
    "The server's database takes no writes now, as during a failover. Retry; if it lasts, its operator must make it writable.";
  const readiness = await fetch(`${server.url}/readyz`);
  expect([readiness.status, await readiness.json()]).toEqual([503, expect.objectContaining({ msg: named })]);
  const refused = await rest(server.url, 'POST', '/ip_policies', {});
  expect([refused.status, await refused.json()]).toEqual([503, expect.objectContaining({ msg: named })]);
  expect((await rest(server.url, 'GET', '/ip_policies')).status).toBe(200);
  const told = () => server.log().filter(({ msg }) => /is read-only|healthy again/.test(String(msg)));
  expect(spawnSync('umount', ['-l', directory]).status).toBe(0);
  await until(async () => (await statusOf(server.url, '/readyz')) === 200);
  expect((await rest(server.url, 'POST', '/ip_policies', {})).status).toBe(201);
  await until(() => told().length === 2);
  expect(told().map(({ msg }) => msg)).toEqual([
    expect.stringContaining(`The file system of ${server.database.path} is read-only.`),
    'the database is healthy again',
  ]);
});
