// The server as its operators see it: its probes, its log and its end.

import { describe, expect, test } from 'vitest';
import { byEngine, execute, testDatabase } from '../support/database.ts';
import { read } from '../support/source-files.ts';
import { apiKey, readyServer, rest, startServer, statusOf, until, withMigration } from './support.ts';

describe('probes', () => {
  test('say alive and not ready while the database is migrated, and ready afterwards', async () => {
    withMigration(
      '29990101000000_slow',
      byEngine({
        sqlite: `CREATE TABLE slow AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 6000000) SELECT count(i) FROM n;`,
        postgresql: 'SELECT pg_sleep(4);',
      }),
    );
    const server = await startServer(await testDatabase());
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
    // The answers did not wait for the migration, which is still running.
    expect(await statusOf(server.url, '/readyz')).toBe(503);
    expect(server.printed.out).toBe('');
    await until(async () => (await statusOf(server.url, '/readyz')) === 200);
    expect((await rest(server.url, 'GET', '/ip_policies')).status).toBe(200);
    expect(server.log().find(({ msg }) => msg === 'database migrated')).toMatchObject({
      migrations: expect.arrayContaining(['29990101000000_slow']),
    });
  });

  test('need no key, and take GET and HEAD only', async () => {
    const server = await readyServer(await testDatabase());
    expect([await statusOf(server.url, '/healthz'), await statusOf(server.url, '/readyz')]).toEqual([200, 200]);
    const { version } = JSON.parse(read('package.json'));
    const alive = await fetch(`${server.url}/healthz`);
    // The programs of the tests are not built from a repository.
    expect(await alive.json()).toEqual({ status: 'alive', version, commit: null });
    expect((await fetch(`${server.url}/healthz?key=1`, { method: 'HEAD' })).status).toBe(200);
    const posted = await fetch(`${server.url}/readyz`, { method: 'POST' });
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'HEAD, GET, OPTIONS']);
  });
});

describe('the log', () => {
  const secret = 'marker-of-what-was-sent';

  test('has one line for each request, and nothing of what was sent', async () => {
    const server = await readyServer(await testDatabase(), { LOG_LEVEL: 'trace' });
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
    // A database failure, whose cause is logged too.
    await execute(server.database, 'ALTER TABLE "IpPolicy" RENAME TO "Gone"');
    const failed = await post('/ip_policies', JSON.stringify({ description: secret }), auth);
    expect(failed.status).toBe(500);
    await until(() => server.log().some(({ msg }) => msg === 'request failed'));
    expect(server.printed.errors).not.toContain(secret);
    expect(server.printed.errors).not.toContain(secret.replaceAll('-', '_'));
    expect(server.printed.errors).not.toContain(apiKey);
  });
});

describe('the end', () => {
  test('is announced for DRAIN_SECONDS, in which requests are still served; a second signal ends it at once', async () => {
    const server = await readyServer(await testDatabase(), { DRAIN_SECONDS: '20' });
    server.child.kill('SIGTERM');
    await until(async () => (await statusOf(server.url, '/readyz')) === 503);
    expect(await statusOf(server.url, '/healthz')).toBe(200);
    expect((await rest(server.url, 'POST', '/ip_policies', {})).status).toBe(201);
    const begun = performance.now();
    server.child.kill('SIGTERM');
    expect(await server.ended).toBe(null);
    // Long before the 20 seconds have passed.
    expect(performance.now() - begun).toBeLessThan(10_000);
  });

  test('comes after DRAIN_SECONDS by itself', async () => {
    const server = await readyServer(await testDatabase(), { DRAIN_SECONDS: '0.5' });
    const begun = performance.now();
    server.child.kill('SIGTERM');
    expect(await server.ended).toBe(0);
    expect(performance.now() - begun).toBeGreaterThan(490);
  });
});
