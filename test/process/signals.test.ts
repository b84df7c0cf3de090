// Signals, from the first moment of a process to its last, including as the first process of a container.

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, inject, test } from 'vitest';
import { byEngine, execute, type TestDatabase, testDatabase } from '../support/database.ts';
import { openSocket } from '../support/raw-socket.ts';
import {
  apiKey,
  type Process,
  readyServer,
  rest,
  type Server,
  startServer,
  statusOf,
  until,
  withMigration,
} from './support.ts';

const slowMigration = byEngine({
  sqlite: `CREATE TABLE slow AS
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 5000000) SELECT count(i) FROM n;`,
  postgresql: 'CREATE TABLE slow AS SELECT 1 AS "one"; SELECT pg_sleep(4);',
});

/** Returns how a process ended: its exit code, or the signal that ended it. */
async function ending({ child, ended }: Process): Promise<number | NodeJS.Signals | null> {
  await ended;
  return child.exitCode ?? child.signalCode;
}

test('a signal ends a process at every moment of its start', async () => {
  const database = await testDatabase({ migrated: false });
  for (const [turn, ms] of [20, 100, 300, 600, 1_000, 1_500].entries()) {
    const server = await startServer(database);
    const signal = turn % 2 === 0 ? 'SIGTERM' : 'SIGINT';
    await pause(ms);
    server.child.kill(signal);
    // Before our first line runs, the system's default handling of signals applies.
    expect([0, signal]).toContain(await ending(server));
    expect(server.printed.errors).not.toContain('cannot run');
  }
  const last = await readyServer(database);
  expect((await rest(last.url, 'GET', '/ip_policies')).status).toBe(200);
});

test('a signal in the middle of a migration closes the port and leaves the database as it was', async () => {
  const database = await testDatabase();
  const first = await readyServer(database);
  first.child.kill('SIGTERM');
  expect(await ending(first)).toBe(0);
  withMigration('29990101000000_slow', slowMigration);
  const server = await migratingServer(database);
  server.child.kill('SIGTERM');
  await until(async () => (await statusOf(server.url, '/healthz')) === 0);
  expect(await ending(server)).toBe(0);
  expect(server.log().map(({ msg }) => msg)).toEqual(['stopping', 'stopped']);
  if (inject('engine') === 'sqlite') expect(await execute(database, 'PRAGMA integrity_check')).toEqual([['ok']]);
  await expect(execute(database, 'SELECT * FROM slow')).rejects.toThrow(
    /no such table: slow|relation "slow" does not exist/,
  );
  expect(await execute(database, 'SELECT * FROM _prisma_migrations WHERE finished_at IS NULL')).toEqual([]);
});

test('a signal ends a process in order, and another one after it at once', async () => {
  const server = await readyServer(await testDatabase(), { DRAIN_SECONDS: '30' });
  server.child.kill('SIGINT');
  await until(async () => (await statusOf(server.url, '/readyz')) === 503);
  const begun = performance.now();
  server.child.kill('SIGTERM');
  expect(await ending(server)).toBe('SIGTERM');
  // Long before the 30 seconds have passed.
  expect(performance.now() - begun).toBeLessThan(15_000);
});

describe('as the first process of a container', () => {
  const inContainer = ['unshare', '--pid', '--fork', '--mount-proc', '--kill-child'];
  const isPossible = spawnSync('unshare', ['--pid', '--fork', '--mount-proc', 'true']).status === 0;
  const reason = 'only root may make a namespace of processes';

  /** Sends a signal to the process that has the pid 1 in its own namespace. */
  function signalFirst({ child }: Server, signal: NodeJS.Signals): void {
    const [inside] = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim().split(' ');
    expect(readFileSync(`/proc/${inside}/status`, 'utf8')).toMatch(/^NSpid:\s+\d+\s+1$/m);
    process.kill(Number(inside), signal);
  }

  test('a signal during the start ends it', async (context) => {
    context.skip(!isPossible, reason);
    withMigration('29990101000000_slow', slowMigration);
    const server = await migratingServer(await testDatabase(), inContainer);
    signalFirst(server, 'SIGTERM');
    expect(await ending(server)).toBe(0);
    expect(server.printed.out).toBe('');
  });

  test('a signal ends it in order', async (context) => {
    context.skip(!isPossible, reason);
    const server = await readyServer(await testDatabase(), {}, inContainer);
    signalFirst(server, 'SIGINT');
    expect(await ending(server)).toBe(0);
    expect(server.log().at(-1)?.msg).toBe('stopped');
  });

  test('a second signal ends it at once, with the code of the signal', async (context) => {
    context.skip(!isPossible, reason);
    const server = await readyServer(await testDatabase(), { DRAIN_SECONDS: '30' }, inContainer);
    signalFirst(server, 'SIGTERM');
    await until(async () => (await statusOf(server.url, '/readyz')) === 503);
    const begun = performance.now();
    signalFirst(server, 'SIGINT');
    expect(await ending(server)).toBe(130);
    expect(performance.now() - begun).toBeLessThan(15_000);
  });
});

test('a client that reads a page of megabytes for seconds gets all of it, although the process stops', async () => {
  const server = await readyServer(await testDatabase());
  const content = 'x'.repeat(200_000);
  for (let count = 0; count < 60; count++) {
    const edge = await rest(server.url, 'POST', '/edges/tls', { hostports: [`host${count}.example.com:443`] });
    const { id } = JSON.parse(await edge.text());
    const policy = { inbound: [{ actions: [{ type: 'custom-response', config: { content } }] }] };
    const set = await rest(server.url, 'PUT', `/edges/tls/${id}/policy`, policy);
    expect([set.status, (await set.text()).length > 200_000]).toEqual([200, true]);
  }
  const socket = await openSocket(server.url);
  const chunks: Buffer[] = [];
  const closed = new Promise((resolve) => socket.once('close', resolve));
  // About 4 MB per second.
  socket.on('data', (chunk) => {
    chunks.push(chunk);
    socket.pause();
    setTimeout(() => socket.resume(), chunk.length / 4_000);
  });
  socket.write(`GET /edges/tls HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${apiKey}\r\nService-Version: 2\r\n\r\n`);
  await until(() => chunks.length > 2);
  server.child.kill('SIGTERM');
  const begun = performance.now();
  await closed;
  expect(performance.now() - begun).toBeGreaterThan(1_500);
  const [head = '', body = ''] = Buffer.concat(chunks).toString().split('\r\n\r\n');
  expect(body.length).toBe(Number(/^Content-Length: (\d+)$/m.exec(head)?.[1]));
  expect(JSON.parse(body).tls_edges).toHaveLength(60);
  expect(body.length).toBeGreaterThan(12_000_000);
  expect(await ending(server)).toBe(0);
});

/** Starts a server whose migration takes seconds, and waits until it is in the middle of the migration. */
async function migratingServer(database: TestDatabase, wrapper: readonly string[] = []): Promise<Server> {
  const server = await startServer(database, {}, wrapper);
  await until(async () => (await statusOf(server.url, '/readyz')) === 503);
  await pause(300);
  return server;
}
