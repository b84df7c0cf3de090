// PostgreSQL fails under load: it is killed, frozen, cut off, or replaced by its standby. No acknowledged write is lost, no process
// ends, no client gets a 500, and service is back within a second.

import { execFileSync } from 'node:child_process';
import { appendFileSync, chownSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { connect, createServer, type Socket, type Server as TcpServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Environment, readyServer, rest, statusOf, until } from '../process/support.ts';
import { type Cluster, createCluster, query, send, urlOf } from '../support/postgres.ts';
import { durable, startPair } from '../support/standby.ts';
import { times } from '../support/times.ts';
import { second, startTurns } from '../support/turns.ts';

async function startCluster(): Promise<Cluster> {
  const cluster = createCluster(durable);
  onTestFinished(() => cluster.stop());
  await cluster.start();
  return cluster;
}

/**
 * Returns whether an answer acknowledges a COMMIT, or rows that were stored without one, after which no transaction is open
 * (PostgreSQL, "CommandComplete", "ReadyForQuery"): the change is done, but the server does not know yet.
 */
function tellsOfCommit(data: Buffer): boolean {
  return data.includes('COMMIT\0') || (data.includes('INSERT 0 1\0') && data.includes('Z\0\0\0\x05I'));
}

/** The end of an answer, before the byte with the state of the transaction. */
const readyForQuery = Buffer.from('Z\0\0\0\x05');

/** Starts a proxy between servers and database: its address stays the same while the database behind it changes. */
async function startProxy(first: Cluster) {
  let target = first;
  let swallowing = false;
  const open = new Set<Socket>();
  const proxy: TcpServer = createServer((client) => {
    const database = connect(join(target.directory, '.s.PGSQL.5432'));
    for (const socket of [client, database]) {
      open.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        open.delete(socket);
        client.destroy();
        database.destroy();
      });
    }
    client.pipe(database);
    // The part of an answer that has arrived, because answers may arrive in pieces.
    let answer = Buffer.alloc(0);
    database.on('data', (data) => {
      answer = Buffer.concat([answer, data]);
      if (swallowing && tellsOfCommit(answer)) client.destroy();
      else client.write(data);
      const end = answer.lastIndexOf(readyForQuery) + readyForQuery.length + 1;
      if (end > readyForQuery.length && end <= answer.length) answer = answer.subarray(end);
    });
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const address = proxy.address();
  if (address === null || typeof address === 'string') throw new Error('A TCP server has a port.');
  const cut = () => {
    for (const socket of open) socket.destroy();
  };
  onTestFinished(() => {
    cut();
    proxy.close();
  });
  return {
    url: `postgresql://postgres@127.0.0.1:${address.port}/postgres`,
    cut,
    leadTo(next: Cluster) {
      target = next;
    },
    swallowCommits(does: boolean) {
      swallowing = does;
    },
  };
}

/** Starts two servers on one database. */
async function startServers(url: string) {
  const environment: Environment = { DATABASE_URL: url, SECRET_KEY: Buffer.alloc(32, 7).toString('base64') };
  return [await readyServer({ environment }), await readyServer({ environment })];
}
type Servers = Awaited<ReturnType<typeof startServers>>;

/** Starts writers and probes that continue whatever happens, and records their answers. */
function startLoad(servers: Servers) {
  const turns = startTurns();
  /** The state of each object: the value acknowledged last, and the value sent last, whose outcome may be unknown. */
  const known = new Map<string, { acknowledged: string; sent: string }>();
  /** Values that, according to the answers, were not stored. */
  const notStored = new Set<string>();
  /** The answers, with the clock turns at which each request was sent and answered. */
  const answers: { sent: number; at: number; status: number; retryAfter: string | null; text: string }[] = [];
  const readiness: { sent: number; at: number; status: number }[] = [];
  let going = true;
  onTestFinished(() => {
    going = false;
  });
  const urlOf = (index: number) => servers[index % servers.length]?.url ?? '';
  const request = async (index: number, method: string, path: string, body?: object) => {
    const sent = turns();
    const response = await rest(urlOf(index), method, path, body);
    const [{ status }, text] = [response, await response.text()];
    answers.push({ sent, at: turns(), status, retryAfter: response.headers.get('retry-after'), text });
    return { status, body: text === '' ? undefined : JSON.parse(text) };
  };
  const write = async (writer: number) => {
    for (let count = 0; going; count += 1) {
      const description = `${writer} ${count}`;
      const made = await request(writer + count, 'POST', '/ip_policies', { description });
      if (made.status !== 201) {
        if (!made.body.msg.includes('may have been stored')) notStored.add(description);
        await pause(20);
        continue;
      }
      const { id } = made.body;
      known.set(id, { acknowledged: description, sent: description });
      const changed = `${description} changed`;
      known.set(id, { acknowledged: description, sent: changed });
      const { status } = await request(writer + count + 1, 'PATCH', `/ip_policies/${id}`, { description: changed });
      if (status === 200) known.set(id, { acknowledged: changed, sent: changed });
    }
  };
  const probe = async (index: number) => {
    for (; going; await pause(50)) {
      const sent = turns();
      const status = await statusOf(urlOf(index), '/readyz');
      readiness.push({ sent, at: turns(), status });
    }
  };
  const work = Promise.all([...times(8).map(write), ...times(servers.length).map(probe)]);
  // A failing test ends before the load does.
  work.catch(() => {});
  return {
    turns,
    answers,
    readiness,
    /** Ends the load once there is enough to check, and returns the objects that contradict the answers. */
    async end(): Promise<string[]> {
      await until(() => known.size > 20);
      going = false;
      await work;
      const lost: string[] = [];
      for (const [id, { acknowledged, sent }] of known) {
        const response = await rest(urlOf(0), 'GET', `/ip_policies/${id}`);
        const { description } = JSON.parse(await response.text());
        if (description !== acknowledged && description !== sent) lost.push(`${id} ${acknowledged}: ${description}`);
      }
      for (let next: string | null = '/ip_policies?limit=100'; next !== null; ) {
        const body = JSON.parse(await (await rest(urlOf(0), 'GET', next)).text());
        for (const { id, description } of body.ip_policies)
          if (notStored.has(description)) lost.push(`${id} is stored`);
        next = body.next_page_uri === null ? null : body.next_page_uri.replace(/^https?:\/\/[^/]+/, '');
      }
      return lost;
    },
  };
}
type Load = ReturnType<typeof startLoad>;

/** Waits until something has been written after a given clock turn, and returns the number of turns from then on. */
async function untilWritten(load: Load, from: number): Promise<number> {
  for (;;) {
    const first = load.answers.find(({ at, status }) => at > from && status === 201);
    if (first !== undefined) return first.at - from;
    await pause(10);
  }
}

/** Checks what must hold for every answer and for the servers, whatever has happened. */
async function expectUnharmed(servers: Servers, load: Load): Promise<void> {
  await untilWritten(load, load.turns());
  await pause(500);
  expect(await load.end()).toEqual([]);
  const failed = load.answers.filter(({ status }) => status !== 201 && status !== 200);
  expect(failed.filter(({ status, retryAfter }) => status !== 503 || retryAfter === null)).toEqual([]);
  for (const { child } of servers) expect([child.exitCode, child.signalCode]).toEqual([null, null]);
  // The server checks a connection in trouble again every half second.
  for (const { url } of servers) await until(async () => (await statusOf(url, '/readyz')) === 200);
  // No failing connection was left behind.
  const statuses = await Promise.all(times(60).map((index) => statusOf(servers[index % 2]?.url ?? '', '/readyz')));
  expect(new Set(statuses)).toEqual(new Set([200]));
}

describe('PostgreSQL under load', () => {
  test('is killed and started again', async () => {
    const cluster = await startCluster();
    const servers = await startServers(cluster.url);
    const load = startLoad(servers);
    for (const _ of times(3)) {
      await untilWritten(load, load.turns());
      await pause(700);
      cluster.signal('SIGKILL');
      await pause(500);
      await cluster.start();
      const back = await untilWritten(load, load.turns());
      expect(back).toBeLessThan(second);
    }
    await expectUnharmed(servers, load);
  });

  test('is frozen for longer than anything waits', async () => {
    const cluster = await startCluster();
    const servers = await startServers(cluster.url);
    const load = startLoad(servers);
    await untilWritten(load, load.turns());
    await pause(500);
    cluster.signal('SIGSTOP');
    const frozen = load.turns();
    // Longer than a statement (5 s) and a turn (15 s) are waited for.
    await pause(17_000);
    const unready = load.readiness.filter(({ at }) => at > frozen).find(({ status }) => status === 503);
    expect((unready?.at ?? Number.POSITIVE_INFINITY) - frozen).toBeLessThan(2 * second);
    cluster.signal('SIGCONT');
    expect(await untilWritten(load, load.turns())).toBeLessThan(second);
    await expectUnharmed(servers, load);
  });

  test('is cut off by a proxy again and again', async () => {
    const cluster = await startCluster();
    const proxy = await startProxy(cluster);
    const servers = await startServers(proxy.url);
    const load = startLoad(servers);
    for (const _ of times(10)) {
      await untilWritten(load, load.turns());
      await pause(200);
      proxy.cut();
      expect(await untilWritten(load, load.turns())).toBeLessThan(second);
    }
    await expectUnharmed(servers, load);
  });

  test('gives way to its standby, which takes no writes until it is promoted', async () => {
    const { primary: empty, standby } = await startPair();
    // From here on, an acknowledged write is on both.
    await send(empty.url, "ALTER SYSTEM SET synchronous_standby_names = 'standby'", 'SELECT pg_reload_conf()');
    const synchronous = "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'";
    await until(async () => (await query(empty.url, synchronous)).length > 0);
    const proxy = await startProxy(empty);
    const servers = await startServers(proxy.url);
    const load = startLoad(servers);
    await untilWritten(load, load.turns());
    await pause(500);
    proxy.leadTo(standby);
    empty.signal('SIGKILL');
    proxy.cut();
    const failed = load.turns();
    await until(() => load.turns() > failed + 2.5 * second);
    expect(load.answers.filter(({ sent, status }) => sent > failed && status < 300)).toEqual([]);
    expect(load.readiness.filter(({ at }) => at > failed + 2 * second).map(({ status }) => status)).not.toContain(200);
    await send(
      standby.url,
      'SELECT pg_promote()',
      "ALTER SYSTEM SET synchronous_standby_names = ''",
      'SELECT pg_reload_conf()',
    );
    expect(await untilWritten(load, load.turns())).toBeLessThan(second);
    await expectUnharmed(servers, load);
  });

  test('has no room left, until there is some again', async (context) => {
    const cluster = await startCluster();
    const small = join(cluster.directory, 'small');
    mkdirSync(small);
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=20m', 'tmpfs', small], { stdio: 'pipe' });
    } catch {
      context.skip('a small disk takes the right to mount one');
    }
    onTestFinished(() => void execFileSync('umount', ['--lazy', small]));
    const { uid, gid } = statSync(join(cluster.directory, 'data'));
    chownSync(small, uid, gid);
    await send(cluster.url, `CREATE TABLESPACE small LOCATION '${small}'`, 'CREATE DATABASE little TABLESPACE small');
    const servers = await startServers(urlOf(cluster.url, 'little'));
    const load = startLoad(servers);
    await untilWritten(load, load.turns());
    await pause(500);
    const filling = join(small, 'filling');
    try {
      for (;;) appendFileSync(filling, Buffer.alloc(2 ** 16));
    } catch {} // the disk is full
    const full = load.turns();
    while (!load.answers.some(({ at, status }) => at > full && status === 503)) await pause(50);
    rmSync(filling);
    expect(await untilWritten(load, load.turns())).toBeLessThan(second);
    await expectUnharmed(servers, load);
  });
});

test('a change whose commit nobody has seen end is told as one that may have been stored; its key makes it once', async () => {
  const cluster = await startCluster();
  const proxy = await startProxy(cluster);
  const [server] = await startServers(proxy.url);
  const url = server?.url ?? '';
  const { id } = JSON.parse(await (await rest(url, 'POST', '/ip_policies', {})).text());
  proxy.swallowCommits(true);
  const rule = { ip_policy_id: id, cidr: '192.0.2.0/24', action: 'allow' };
  const answer = await rest(url, 'POST', '/ip_policy_rules', rule);
  expect([answer.status, answer.headers.get('retry-after'), JSON.parse(await answer.text()).msg]).toEqual([
    503,
    '2',
    'The connection to the database was lost while the change was being stored. It may have been stored: read before you retry.',
  ]);
  proxy.swallowCommits(false);
  const { ip_policy_rules } = JSON.parse(await (await rest(url, 'GET', '/ip_policy_rules')).text());
  expect(ip_policy_rules.map(({ cidr }: { cidr: string }) => cidr)).toEqual(['192.0.2.0/24']);

  // With a key, it can be sent again without further checks.
  const sendKeyed = () =>
    rest(url, 'POST', '/ip_policies', { description: 'keyed' }, undefined, { 'Idempotency-Key': 'k' });
  proxy.swallowCommits(true);
  expect((await sendKeyed()).status).toBe(503);
  proxy.swallowCommits(false);
  const repeated = await sendKeyed();
  expect([repeated.status, repeated.headers.get('idempotency-replayed')]).toEqual([201, 'true']);
  const { ip_policies } = JSON.parse(await (await rest(url, 'GET', '/ip_policies')).text());
  expect(ip_policies.map(({ description }: { description: string }) => description)).toEqual(['keyed', '']);
});
