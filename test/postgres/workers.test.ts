// Several processes behind one port: they work as one server, which the end of one process does not stop.

import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { apiKey, endOf, readyServer, type Server, start, until } from '../process/support.ts';
import { testDatabase } from '../support/database.ts';
import { openSocket } from '../support/raw-socket.ts';

/** Starts a server with several processes, and waits until all of them serve. */
async function startWorkers(count: number): Promise<Server> {
  const server = await readyServer(await testDatabase(), { WORKERS: String(count) });
  await until(() => readyPids(server).length === count);
  return server;
}

/** Returns the processes that have reported ready, in that order. */
const readyPids = ({ log }: Server) => log().flatMap(({ msg, pid }) => (msg === 'ready' ? [Number(pid)] : []));
const childrenOf = ({ child }: Server) =>
  readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);

/** Sends a request on its own connection. */
async function ask(
  { url }: Server,
  path: string,
  body?: object,
): Promise<{ status: number | undefined; text: string }> {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const headers = { Authorization: `Bearer ${apiKey}`, 'Service-Version': '2', 'Content-Type': 'application/json' };
    const asked = httpRequest(`${url}${path}`, { agent: false, method: body === undefined ? 'GET' : 'POST', headers });
    asked.on('response', resolve).on('error', reject);
    asked.end(body === undefined ? undefined : JSON.stringify(body));
  });
  return { status: answer.statusCode, text: await text(answer) };
}

/** Returns the status of an answer, or the code of the connection error. */
const outcomeOfAsking = (server: Server): Promise<unknown> =>
  ask(server, '/ip_policies').then(
    ({ status }) => status,
    ({ code }) => code,
  );

async function requestsCounted(server: Server): Promise<number> {
  const answer = await ask(server, '/graphql', { query: '{ activity(minutes: 60) { requests } }' });
  const { data }: { data: { activity: { requests: number }[] } } = JSON.parse(answer.text);
  return data.activity.reduce((sum, { requests }) => sum + requests, 0);
}

test('more connections than there may be open files take nothing from those that come later', async () => {
  const database = await testDatabase({ migrated: false });
  const server = await readyServer(database, { WORKERS: '2' }, ['prlimit', '--nofile=256:256']);
  await until(() => readyPids(server).length === 2);
  const silent = [];
  for (let count = 0; count < 700; count++) silent.push(await openSocket(server.url));
  for (const socket of silent) socket.destroy();
  // The first process closes connections for which it has no file descriptor, including some later ones. It accepts them in order:
  // once one is answered, the 700 are behind it.
  let first = await outcomeOfAsking(server);
  while (first === 'ECONNRESET') first = await outcomeOfAsking(server);
  expect(first).toBe(200);
  const answers = await Promise.all(Array.from({ length: 10 }, () => ask(server, '/ip_policies')));
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200));
});

test('all of them answer at one port, say so once, show together what each has counted, and end in order', async () => {
  const server = await startWorkers(2);
  expect(server.printed.out.match(/^Sallyport is listening on /gm)?.length).toBe(1);
  const statuses = [];
  for (let count = 0; count < 6; count++) statuses.push((await ask(server, '/ip_policies')).status);
  expect(statuses).toEqual([200, 200, 200, 200, 200, 200]);
  const answering = () => server.log().flatMap(({ surface, pid }) => (surface === 'rest' ? [Number(pid)] : []));
  await until(() => answering().length === 6);
  expect([...new Set(answering())].sort()).toEqual(readyPids(server).sort());

  const metrics = (await ask(server, '/metrics')).text;
  expect(metrics.match(/^sallyport_(requests_total.*GET \/ip_policies".*|ready|build_info.*) \d+$/gm)).toEqual([
    expect.stringMatching(/^sallyport_build_info\{.*\} 1$/),
    'sallyport_ready 1',
    'sallyport_requests_total{surface="rest",route="GET /ip_policies",status="2xx"} 6',
  ]);
  // Each process stores what it has counted by itself.
  while ((await requestsCounted(server)) < 6) await pause(500);

  server.child.kill('SIGTERM');
  expect(await server.ended).toBe(0);
  const ended = server.log().filter(({ msg }) => msg === 'stopped');
  expect(ended.map(({ pid }) => pid).sort()).toEqual([server.child.pid, ...readyPids(server)].sort());
  expect(ended.at(-1)?.pid).toBe(server.child.pid);
});

describe('one that is killed', () => {
  test('is replaced, takes its part of the work with it, and refuses nobody meanwhile', async () => {
    const server = await startWorkers(2);
    const [keeper = 0, other = 0] = readyPids(server);
    process.kill(keeper, 'SIGKILL');
    await until(() => !childrenOf(server).includes(keeper));
    const statuses = new Set<number | undefined>();
    do statuses.add((await ask(server, '/ip_policies')).status);
    while (readyPids(server).length < 3);
    for (let count = 0; count < 4; count++) statuses.add((await ask(server, '/ip_policies')).status);
    expect([...statuses]).toEqual([200]);
    expect(childrenOf(server)).toContain(other);
    expect(server.log().filter(({ level }) => Number(level) >= 50)).toMatchObject([
      { pid: server.child.pid, msg: 'a worker has ended (SIGKILL); another one is started in 1 s' },
    ]);
    // Counts from the database are also in the metrics of the process that has taken over.
    expect((await ask(server, '/metrics')).text).toMatch(/^sallyport_ssh_host_certificates\{days_left="90\+"\} 0$/m);
  });

  test('while connections are handed to it takes neither the server with it nor leaves their clients to wait', async () => {
    const server = await startWorkers(2);
    server.child.kill('SIGSTOP');
    const asked = Array.from({ length: 10 }, () => outcomeOfAsking(server));
    // The kernel has established the connections, which the server accepts in order, before it learns that the worker has ended.
    await pause(500);
    process.kill(Number(readyPids(server)[1]), 'SIGKILL');
    server.child.kill('SIGCONT');
    const told = await Promise.all(asked);
    expect(told).toContain('ECONNRESET');
    expect(told.filter((each) => each === 200).length).toBeGreaterThan(5);
    expect(told.filter((each) => each !== 200 && each !== 'ECONNRESET')).toEqual([]);
    await until(() => readyPids(server).length === 3);
  });

  test('and cannot be replaced, because the system starts no process, is replaced later', async () => {
    const server = await startWorkers(2);
    const files = readdirSync(`/proc/${server.child.pid}/fd`).length;
    const allow = (count: number) =>
      execFileSync('prlimit', [`--pid=${server.child.pid}`, `--nofile=${count}:`], { stdio: 'inherit' });
    allow(files - 1);
    process.kill(Number(readyPids(server)[1]), 'SIGKILL');
    await until(() => server.log().some(({ msg }) => String(msg).includes('EMFILE')));
    allow(1_000);
    await until(() => readyPids(server).length === 3);
    expect(server.log().filter(({ pid }) => pid === server.child.pid)).toMatchObject([
      { msg: 'a worker has ended (SIGKILL); another one is started in 1 s' },
      { msg: `a worker has ended (spawn ${process.execPath} EMFILE); another one is started in 2 s` },
    ]);
  });

  test('ends the server when it was the last', async () => {
    const server = await startWorkers(2);
    for (const pid of readyPids(server)) process.kill(pid, 'SIGKILL');
    expect(await server.ended).toBe(1);
    expect(server.log().at(-1)).toMatchObject({ pid: server.child.pid, msg: 'the last worker has ended (SIGKILL)' });
  });
});

describe('a signal', () => {
  test('that all of them get, as from a terminal, is one signal', async () => {
    const server = await startWorkers(2);
    for (const pid of [...readyPids(server), server.child.pid ?? 0]) process.kill(pid, 'SIGINT');
    expect(await server.ended).toBe(0);
    expect(server.log().filter(({ msg }) => msg === 'stopped').length).toBe(3);
  });

  test('to the first process alone ends those, too, that are still being loaded', async () => {
    const database = await testDatabase({ migrated: false });
    const environment = { ...database.environment, PORT: '0', WORKERS: '2' };
    for (const ms of [100, 400, 1_200]) {
      const { child, ended } = start('main', [], environment);
      await pause(ms);
      child.kill('SIGTERM');
      // Before its first line runs, the system's default handling of signals applies.
      expect([0, null]).toContain(await ended);
    }
  });

  test('for the second time ends all of them at once', async () => {
    const database = await testDatabase({ migrated: false });
    const server = await readyServer(database, { WORKERS: '2', DRAIN_SECONDS: '60' });
    await until(() => readyPids(server).length === 2);
    const workers = readyPids(server);
    server.child.kill('SIGTERM');
    await until(() => server.log().filter(({ msg }) => msg === 'stopping').length === 2);
    server.child.kill('SIGTERM');
    expect(await server.ended).toBe(null);
    await until(() => workers.every((pid) => !isAlive(pid)));
  });
});

describe('a server that cannot start', () => {
  test('says why once', async () => {
    const { url } = await testDatabase({ migrated: false });
    const { code, out, errors } = await endOf(start('main', [], { DATABASE_URL: url, PORT: '0', WORKERS: '2' }));
    expect([code, out]).toEqual([1, '']);
    expect(errors.match(/Sallyport cannot run\./g)?.length).toBe(1);
    expect(errors).toMatch(/^Sallyport cannot run\. .*SECRET_KEY/m);
  });

  test('is one of several processes on a file', async () => {
    const { code, errors } = await endOf(start('main', [], { DATABASE_URL: 'file:x.db', PORT: '0', WORKERS: '2' }));
    expect([code, errors]).toEqual([
      1,
      'Sallyport cannot run. The configuration is invalid:\n  WORKERS: must be 1 with SQLite, whose file one process serves: ' +
        'see "Several processes" in docs/postgresql.md\n',
    ]);
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
