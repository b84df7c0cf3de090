// The server as those see it who run it: its probes, its log, its end, and a database that does not do what it should.

import { spawnSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { describe, expect, onTestFinished, test } from 'vitest';
import { start as startFixture } from '../storage/fixtures/temporary.ts';
import {
  apiKey,
  emptyDatabase,
  readyServer,
  rest,
  type Server,
  startServer,
  statusOf,
  temporaryDirectory,
  until,
  withMigration,
} from './support.ts';

describe('probes', () => {
  test('say alive and not ready while the database is migrated, and ready afterwards', async () => {
    withMigration(
      '29990101000000_slow',
      `CREATE TABLE slow AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 6000000) SELECT count(i) FROM n;`,
    );
    const server = await startServer(emptyDatabase());
    await until(async () => (await statusOf(server.url, '/healthz')) === 200);
    expect(await statusOf(server.url, '/healthz')).toBe(200);
    const notReady = await fetch(`${server.url}/readyz`);
    expect(await notReady.json()).toEqual({
      error_code: 'UNAVAILABLE',
      status_code: 503,
      msg: 'The server is starting: its database is being opened or migrated.',
      details: { operation_id: notReady.headers.get('x-request-id') },
    });
    expect([notReady.status, notReady.headers.get('retry-after')]).toEqual([503, '2']);
    expect((await rest(server.url, 'GET', '/ip_policies')).status).toBe(503);
    expect((await (await fetch(`${server.url}/metrics`)).text()).includes('\nsallyport_ready 0\n')).toBe(true);
    // The answers did not wait for the migration, which still goes on.
    expect(await statusOf(server.url, '/readyz')).toBe(503);
    expect(server.printed.out).toBe('');
    await until(async () => (await statusOf(server.url, '/readyz')) === 200);
    expect((await rest(server.url, 'GET', '/ip_policies')).status).toBe(200);
    expect(server.log().find(({ msg }) => msg === 'database migrated')).toMatchObject({
      migrations: expect.arrayContaining(['29990101000000_slow']),
    });
  });

  test('do not keep a start alive that is refused, which says why', async () => {
    const path = emptyDatabase();
    const first = await readyServer(path);
    const second = await startServer(path);
    expect(await second.ended).toBe(1);
    expect(second.printed.errors).toContain('Sallyport cannot run. The database');
    expect(second.printed.errors).toContain('is in use by another process');
    expect((await rest(first.url, 'GET', '/ip_policies')).status).toBe(200);
  });

  test('need no key, take GET and HEAD only, and say not ready once the file is gone', async () => {
    const server = await readyServer(emptyDatabase());
    expect([await statusOf(server.url, '/healthz'), await statusOf(server.url, '/readyz')]).toEqual([200, 200]);
    expect((await fetch(`${server.url}/healthz?key=1`, { method: 'HEAD' })).status).toBe(200);
    const posted = await fetch(`${server.url}/readyz`, { method: 'POST' });
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    renameSync(server.path, `${server.path}.moved`);
    expect(await statusOf(server.url, '/readyz')).toBe(503);
    expect(await statusOf(server.url, '/healthz')).toBe(200);
    writeFileSync(server.path, 'another file');
    expect(await statusOf(server.url, '/readyz')).toBe(503);
    await expect.poll(() => server.printed.errors).toContain('is no longer the file that the server opened');
    rmSync(server.path);
    renameSync(`${server.path}.moved`, server.path);
    expect(await statusOf(server.url, '/readyz')).toBe(200);
  });
});

describe('the log', () => {
  const secret = 'marker-of-what-was-sent';

  test('has one line for each request, and nothing of what was sent', async () => {
    const server = await readyServer(emptyDatabase(), { LOG_LEVEL: 'trace' });
    const post = (path: string, body: string, headers: Record<string, string> = {}) =>
      fetch(`${server.url}${path}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'X-Custom': secret, ...headers },
        body,
      });
    const auth = { Authorization: `Bearer ${apiKey}`, 'Service-Version': '2' };
    const graphql = (query: string) => post('/graphql', JSON.stringify({ query, variables: { d: secret } }), auth);
    const answers = [
      await post('/ip_policies', JSON.stringify({ description: secret }), auth),
      await post('/ip_policies', `{"${secret}": 1}`, auth),
      await post('/ip_policies', secret, auth),
      await post('/ip_policies', '{}', { ...auth, Authorization: `Bearer ${secret}-0123456789` }),
      await fetch(`${server.url}/ip_policies?limit=${secret}`, { headers: auth }),
      await fetch(`${server.url}/${secret}?a=${secret}`),
      await graphql('mutation Make($d: String) { createIpPolicy(input: { description: $d }) { ipPolicy { id } } }'),
      await graphql(`{ ipPolicy(id: "${secret}") { id } }`),
      await graphql(`{ ipPolicies { ${secret.replaceAll('-', '_')} } }`),
      await graphql(`{ ipPolicies { nodes { id } } viewer { account { name } } }`),
      await graphql(secret),
    ];
    const ids = answers.map(({ headers }) => headers.get('x-request-id'));
    const lines = () =>
      server.log().filter(({ msg, requestId }) => msg === 'request' && ids.includes(String(requestId)));
    await until(() => lines().length === ids.length);
    const account = expect.stringMatching(/^acct_/);
    const shown = lines().map(({ level, time, pid, hostname, msg, requestId, ms, operationName, ...line }) => {
      expect([typeof ms, requestId]).toEqual(['number', ids.shift()]);
      return Object.values(line);
    });
    // Surface, operation, account, code, method, status.
    expect(shown).toEqual([
      ['rest', 'POST /ip_policies', account, null, 'POST', 201],
      ['rest', 'POST /ip_policies', account, 'UNKNOWN_FIELD', 'POST', 400],
      ['rest', 'POST /ip_policies', account, 'MALFORMED_BODY', 'POST', 400],
      ['rest', 'POST /ip_policies', null, 'UNAUTHENTICATED', 'POST', 401],
      ['rest', 'GET /ip_policies', account, 'INVALID_INPUT', 'GET', 400],
      ['unknown', null, null, 'UNKNOWN_ROUTE', 'GET', 404],
      ['graphql', 'createIpPolicy', account, null, 'POST', 200],
      ['graphql', 'ipPolicy', account, expect.any(String), 'POST', 200],
      ['graphql', null, account, 'GRAPHQL_INVALID', 'POST', 200],
      ['graphql', 'several', account, null, 'POST', 200],
      ['graphql', null, account, 'GRAPHQL_SYNTAX', 'POST', 200],
    ]);
    expect(server.log().filter(({ operationName }) => operationName === 'Make')).toHaveLength(1);
    // A failure of the database, whose cause is logged too.
    const database = new Database(server.path);
    database.exec('DROP TABLE IpPolicyRule; DROP TABLE IpPolicy');
    database.close();
    const failed = await post('/ip_policies', JSON.stringify({ description: secret }), auth);
    expect(failed.status).toBe(500);
    await until(() => server.log().some(({ msg }) => msg === 'request failed'));
    expect(server.printed.errors).not.toContain(secret);
    expect(server.printed.errors).not.toContain(secret.replaceAll('-', '_'));
    expect(server.printed.errors).not.toContain(apiKey);
  });
});

describe('the end', () => {
  test('breaks no connection of 50 clients and loses no acknowledged write', async () => {
    const server = await readyServer(emptyDatabase());
    const acknowledged: string[] = [];
    const endings: string[] = [];
    const client = async (number: number) => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      for (let count = 0; ; count++) {
        const description = `${number} ${count}`;
        const outcome = await post(agent, server, description);
        if (outcome !== '201') {
          endings.push(outcome);
          break;
        }
        acknowledged.push(description);
      }
      agent.destroy();
    };
    const clients = Promise.all(Array.from({ length: 50 }, (_, number) => client(number)));
    await until(() => acknowledged.length > 200);
    server.child.kill('SIGTERM');
    const [code] = await Promise.all([server.ended, clients]);
    expect(code).toBe(0);
    // Each client learns of the end by a connection that it cannot make any more, never by one that breaks.
    expect(endings).toEqual(Array.from({ length: 50 }, () => 'ECONNREFUSED'));
    const database = new Database(server.path, { readonly: true });
    const stored = new Set(database.prepare('SELECT description FROM IpPolicy').pluck().all());
    database.close();
    expect(acknowledged.filter((description) => !stored.has(description))).toEqual([]);
  });

  test('is announced for DRAIN_SECONDS, in which requests are still served; a second signal ends it at once', async () => {
    const server = await readyServer(emptyDatabase(), { DRAIN_SECONDS: '20' });
    server.child.kill('SIGTERM');
    await until(async () => (await statusOf(server.url, '/readyz')) === 503);
    expect(await statusOf(server.url, '/healthz')).toBe(200);
    expect((await rest(server.url, 'POST', '/ip_policies', {})).status).toBe(201);
    const begun = performance.now();
    server.child.kill('SIGTERM');
    expect(await server.ended).toBe(null);
    // Long before the 20 seconds are over.
    expect(performance.now() - begun).toBeLessThan(10_000);
  });

  test('comes after DRAIN_SECONDS by itself', async () => {
    const server = await readyServer(emptyDatabase(), { DRAIN_SECONDS: '0.5' });
    const begun = performance.now();
    server.child.kill('SIGTERM');
    expect(await server.ended).toBe(0);
    expect(performance.now() - begun).toBeGreaterThan(490);
  });
});

describe('a database that another program has locked', () => {
  test('makes writes wait, and nothing else', async () => {
    const server = await readyServer(emptyDatabase());
    const holder = startFixture('holder.ts', server.path);
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
    const server = await readyServer(emptyDatabase());
    const holder = startFixture('holder.ts', server.path);
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
  // Only root can mount. Everywhere else this test tells nothing.
  context.skip(mounted.status !== 0, 'a small tmpfs cannot be mounted here');
  onTestFinished(() => void spawnSync('umount', ['-l', mount]));
  const directory = join(mount, 'data');
  mkdirSync(directory);
  const server = await readyServer(join(directory, 'test.db'));
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
  const database = new Database(server.path, { readonly: true });
  expect(database.pragma('integrity_check', { simple: true })).toBe('ok');
  database.close();
});

/** Makes a policy over a kept connection; gives the status, or the code of what broke. */
function post(agent: Agent, { url }: Server, description: string): Promise<string> {
  const headers = { Authorization: `Bearer ${apiKey}`, 'Service-Version': '2', 'Content-Type': 'application/json' };
  return new Promise((resolve) => {
    const broken = (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message);
    const request = httpRequest(`${url}/ip_policies`, { method: 'POST', agent, headers }, (response) => {
      response.on('error', broken);
      response.on('end', () => resolve(String(response.statusCode))).resume();
    });
    request.on('error', broken);
    request.end(JSON.stringify({ description }));
  });
}
