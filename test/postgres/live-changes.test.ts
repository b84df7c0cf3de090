// Live changes from several servers: each of them sends all changes in one order, whatever order the transactions end in.

import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { execute } from '../support/database.ts';
import { followWithCuts, openStream } from '../support/event-stream.ts';
import { startBeside, type TestService } from '../support/service.ts';
import { times } from '../support/times.ts';
import { twoServers } from '../support/two-servers.ts';

const servers = twoServers();

interface Event {
  readonly id: string;
  readonly object_id: string;
  readonly version: number;
}

const open = async (service: TestService, lastId?: string) => {
  const stream = await openStream(
    `${service.url}/events`,
    servers.one.token,
    lastId === undefined ? {} : { headers: { 'Last-Event-ID': lastId } },
  );
  expect(stream.status).toBe(200);
  onTestFinished(() => stream.cut());
  return stream;
};
const create = (server: TestService) => servers.create('/ip_policies', {}, server);
const idsIn = (events: readonly unknown[]) => events.map((event) => (event as Event).id);

test('writers on two servers, and a client that is cut off and goes on at the other: every change once', async () => {
  const start = await open(servers.one);
  await create(servers.one);
  const after = idsIn(await start.wait(1))[0] ?? '';
  const [writers, changes] = [10, 15];
  const write = async (writer: number) => {
    const service = servers.turn(writer);
    const id = await create(service);
    for (let version = 1; version < changes; version++) {
      await servers.turn(version).rest('PATCH', `/ip_policies/${id}`, { description: `${version}` });
    }
  };
  let seed = 11;
  const random = () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return seed / 2 ** 31;
  };
  const uncut = await open(servers.other, after);
  const [events] = await Promise.all([
    followWithCuts<Event>([servers.one.url, servers.other.url], servers.one.token, {
      after,
      count: writers * changes,
      random,
    }),
    ...Array.from({ length: writers }, (_, writer) => write(writer)),
  ]);
  expect(idsIn(await uncut.wait(writers * changes))).toEqual(idsIn(events));
  const stored = await execute(servers.one.database, `SELECT "id" FROM "AuditEvent" WHERE "kind" = 'IpPolicy'`);
  expect([...idsIn(events), after].sort()).toEqual(stored.map(([id]) => id).sort());
  const versions = new Map<string, number>();
  for (const { object_id: id, version } of events) {
    expect(version).toBe((versions.get(id) ?? 0) + 1);
    versions.set(id, version);
  }
});

/** Begins a transaction on its own connection that stores an event of an object. The ids of both end in a given digit. */
async function beginLate(digit: string): Promise<pg.Client> {
  const late = new pg.Client({ connectionString: servers.one.database.url });
  await late.connect();
  onTestFinished(() => late.end());
  await late.query('BEGIN');
  await late.query(
    `INSERT INTO "AuditEvent" ("id", "accountId", "createdAt", "action", "kind", "objectId", "version", "actor", "actorDescription",
      "surface", "state") SELECT 'evt_${digit.padStart(26, '0')}', "accountId", "createdAt", 'create', "kind",
      'ipp_${digit.padStart(26, '0')}', 1, "actor", "actorDescription", "surface", "state"
      FROM "AuditEvent" WHERE "kind" = 'IpPolicy' LIMIT 1`,
  );
  return late;
}

test('a change that is committed late, with a number from before others, comes before them and is not lost', async () => {
  const [mine, theirs] = [await open(servers.one), await open(servers.other)];
  const late = await beginLate('0');
  const meanwhile = await create(servers.other);
  // Longer than the interval at which servers look for new events.
  await new Promise((resolve) => setTimeout(resolve, 600));
  expect([...mine.data(), ...theirs.data()]).toEqual([]);
  await late.query('COMMIT');
  for (const stream of [mine, theirs]) {
    expect((await stream.wait(2)).map((event) => (event as Event).object_id)).toEqual([
      'ipp_00000000000000000000000000',
      meanwhile,
    ]);
  }
});

test('after an event from a list, what is committed late comes too, although the client was cut off before', async () => {
  // Everything before is settled now, which also required the transactions of other tests to end.
  const before = await open(servers.one);
  await create(servers.one);
  await before.wait(1);
  const late = await beginLate('1');
  const created = await create(servers.one);
  const [listed] = await execute(servers.one.database, `SELECT "id" FROM "AuditEvent" WHERE "objectId" = '${created}'`);
  const stream = await open(servers.one, String(listed?.[0]));
  await expect.poll(() => stream.messages.length).toBe(1);
  stream.cut();
  await late.query('COMMIT');
  const again = await open(servers.other, stream.messages[0]?.id);
  expect((await again.wait(2)).map((event) => (event as Event).object_id)).toEqual([
    'ipp_00000000000000000000000001',
    created,
  ]);
});

test('after a database was restored on a server whose transactions have lower numbers, all goes on in order', async () => {
  const before = await open(servers.one);
  await create(servers.one);
  const place = idsIn(await before.wait(1))[0] ?? '';
  const second = await create(servers.one);
  await execute(servers.one.database, `UPDATE "AuditEvent" SET "commitOrder" = "commitOrder" + 1000000000000`);
  const rows = 'SELECT ctid, "id", "commitOrder" FROM "AuditEvent" ORDER BY "commitOrder", "id"';
  const stored = await execute(servers.one.database, rows);
  // All at once, as servers start, and one later.
  const restored = await Promise.all(times(3).map(() => startBeside(servers.one)));
  const made: string[] = [];
  for (const server of restored) made.push(await create(server));
  restored.push(await startBeside(servers.one));
  for (const server of restored) {
    onTestFinished(() => server.close());
    made.push(await create(server));
  }
  for (const server of restored) {
    const stream = await open(server, place);
    expect((await stream.wait(8)).map((event) => (event as Event).object_id)).toEqual([second, ...made]);
  }
  // However many events there are, none of them is written anew.
  expect((await execute(servers.one.database, rows)).slice(0, stored.length)).toEqual(stored);
});

test('a key that one server revokes ends the streams of the other within seconds', async () => {
  const { body: key } = await servers.one.rest('POST', '/api_keys', {});
  const stream = await openStream(`${servers.other.url}/events`, key.token);
  await servers.one.rest('DELETE', `/api_keys/${key.id}`);
  expect(await stream.ended).toBe('end');
  expect(stream.messages.at(-1)?.data).toContain('UNAUTHENTICATED');
});
