// The end of a process that is stopped: everything acknowledged is there. One that is killed: `test/torture/kill.test.ts`.

import { Agent, request as httpRequest } from 'node:http';
import { expect, inject, test } from 'vitest';
import { execute, type TestDatabase, testDatabase } from '../support/database.ts';
import { onOneEngine } from '../support/one-engine.ts';
import { apiKey, readyServer, rest, type Server, until } from './support.ts';

/** The outcome of a request: its answer, `refused` if no connection could be made, or `broken` if one broke. */
type Outcome = { status: number; body: string } | 'refused' | 'broken';

/** Sends JSON over a persistent connection. */
function post(agent: Agent, { url }: Server, path: string, body: object): Promise<Outcome> {
  const headers = {
    Authorization: `Bearer ${apiKey}`,
    'Service-Version': '2',
    'Content-Type': 'application/json',
  };
  return new Promise((resolve) => {
    const request = httpRequest(`${url}${path}`, { method: 'POST', agent, headers }, (response) => {
      let text = '';
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: text }));
      response.on('error', () => resolve('broken'));
    });
    request.on('error', (error: NodeJS.ErrnoException) =>
      resolve(error.code === 'ECONNREFUSED' ? 'refused' : 'broken'),
    );
    request.end(JSON.stringify(body));
  });
}

/** Starts writers that keep creating policies, half of them over each surface, until the server is gone. */
function startWriters(server: Server, count: number, prefix: string) {
  const acknowledged: string[] = [];
  const outcomes = { answered: 0, refused: 0, broken: 0, wrong: [] as Outcome[] };
  const write = async (writer: number) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (let made = 0; ; made++) {
      const description = `${prefix} ${writer} ${made}`;
      const query = 'mutation ($d: String) { createIpPolicy(input: { description: $d }) { ipPolicy { id } } }';
      const outcome =
        writer % 2 === 0
          ? await post(agent, server, '/ip_policies', { description })
          : await post(agent, server, '/graphql', { query, variables: { d: description } });
      if (typeof outcome === 'string') {
        outcomes[outcome] += 1;
        break;
      }
      const ok = writer % 2 === 0 ? outcome.status === 201 : outcome.body.startsWith('{"data":');
      if (!ok) {
        outcomes.wrong.push(outcome);
        break;
      }
      outcomes.answered += 1;
      acknowledged.push(description);
    }
    agent.destroy();
  };
  const done = Promise.all(Array.from({ length: count }, (_, writer) => write(writer)));
  return { acknowledged, outcomes, done };
}

/** Returns the descriptions of the policies of a database, after checking that the database is consistent. */
async function descriptionsIn(database: TestDatabase): Promise<Set<unknown>> {
  if (inject('engine') === 'sqlite') {
    expect(await execute(database, 'PRAGMA integrity_check')).toEqual([['ok']]);
    expect(await execute(database, 'PRAGMA foreign_key_check')).toEqual([]);
  }
  // There must be an event for each version.
  const unrecorded = `SELECT p."id" FROM "IpPolicy" p
    WHERE p."version" <> (SELECT count(*) FROM "AuditEvent" e WHERE e."objectId" = p."id")`;
  expect(await execute(database, unrecorded)).toEqual([]);
  return new Set((await execute(database, 'SELECT "description" FROM "IpPolicy"')).flat());
}

/** Checks that the last use of the key was stored when the server stopped. */
async function expectLastUse(database: TestDatabase): Promise<void> {
  const [[lastUsedAt] = []] = await execute(database, 'SELECT "lastUsedAt" FROM "ApiKey"');
  expect(lastUsedAt).toMatch(/^20\d\d-/);
}

test('SIGTERM under load breaks no request and loses no acknowledged write', async () => {
  const database = await testDatabase();
  const server = await readyServer(database);
  const writers = startWriters(server, 30, 'term');
  await until(() => writers.acknowledged.length > 100);
  server.child.kill('SIGTERM');
  const [code] = await Promise.all([server.ended, writers.done]);
  expect(writers.outcomes).toEqual({ answered: expect.any(Number), refused: 30, broken: 0, wrong: [] });
  expect(code).toBe(0);
  expect(server.printed.errors).toContain('"msg":"stopped"');
  const stored = await descriptionsIn(database);
  expect(writers.acknowledged.filter((description) => !stored.has(description))).toEqual([]);
  await expectLastUse(database);
});

onOneEngine(() => {
  test('a stop after a look for damage is done to its end', async () => {
    const database = await testDatabase();
    const server = await readyServer(database);
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
    expect((await rest(server.url, 'POST', '/ip_policies', {})).status).toBe(201);
    server.child.kill('SIGTERM');
    const code = await server.ended;
    expect(code).toBe(0);
    expect(server.printed.errors).toContain('"msg":"stopped"');
    await expectLastUse(database);
  });
});
