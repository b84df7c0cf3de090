// A row that is locked by another connection, as an operator with psql may do: changes of that row wait, and get an error if that
// takes too long; no other change waits with them.

import pg from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { revokedKeyUpkeep } from '../../src/areas/api-keys/upkeep.ts';
import { sql } from '../../src/storage/sql/statement.ts';
import { openSocket } from '../support/raw-socket.ts';
import { type Client, ofOneServer, startService, startTime, type TestService } from '../support/service.ts';
import { times } from '../support/times.ts';

let service: TestService;
/** Requests whose clients left before they had their answers. */
let left = 0;
beforeAll(async () => {
  service = await startService({
    requestEnded({ status }) {
      if (status === null) left += 1;
    },
  });
});
afterAll(() => service.close());

async function create(client: Client): Promise<string> {
  const answer = await client.rest('POST', '/ip_policies', {});
  expect(answer.status).toBe(201);
  return answer.body.id;
}

/** Begins a transaction on a connection of its own. */
async function begin(): Promise<pg.Client> {
  const holder = new pg.Client({ connectionString: service.database.url });
  await holder.connect();
  onTestFinished(() => holder.end());
  await holder.query('BEGIN');
  return holder;
}

/** Locks rows, of policies by default, in a transaction that does nothing else. Returns a function that ends it. */
async function hold(ids: readonly string[], model = 'IpPolicy'): Promise<() => Promise<unknown>> {
  const holder = await begin();
  await holder.query(`SELECT 1 FROM "${model}" WHERE "id" = ANY($1) FOR UPDATE`, [ids]);
  return () => holder.query('ROLLBACK');
}

/** Starts changes of objects, two of each. */
function change(client: Client, ids: readonly string[]) {
  const answers: { readonly id: string; readonly all: Awaited<ReturnType<Client['rest']>> }[] = [];
  const sent = [...ids, ...ids].map(async (id) => {
    answers.push({ id, all: await client.rest('PATCH', `/ip_policies/${id}`, { description: 'changed' }) });
  });
  return { answers, done: Promise.all(sent) };
}

/** Waits until at least `count` connections are waiting for a lock. */
async function untilWaiting(count: number): Promise<void> {
  const looker = new pg.Client({ connectionString: service.database.url });
  await looker.connect();
  const look = async () => {
    const { rows } = await looker.query<{ count: number }>(
      `SELECT count(*)::int FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    return rows[0]?.count ?? 0;
  };
  // A key of a SAML module may have to be generated first.
  await expect.poll(look, { timeout: 60_000 }).toBeGreaterThanOrEqual(count);
  await looker.end();
}

const versionOf = async (client: Client, id: string) =>
  (await client.rest('GET', `/ip_policies/${id}`)).headers.get('etag');

const createAll = (client: Client, count: number) => Promise.all(times(count).map(() => create(client)));

/**
 * Lets a client create objects concurrently. For each, returns how many of the held changes had been answered when it had been
 * created.
 */
const createBeside = (client: Client, count: number, ...held: { answers: unknown[] }[]) =>
  Promise.all(
    times(count).map(async () => {
      await create(client);
      return held.flatMap(({ answers }) => answers).length;
    }),
  );

/**
 * Unlocks the rows. By then each change has been either made or refused, because the test may have taken long; the versions must
 * agree.
 */
async function settle(release: () => Promise<unknown>, client: Client, { answers, done }: ReturnType<typeof change>) {
  await release();
  await done;
  for (const { id, all } of answers) expect([200, 503], id).toContain(all.status);
  for (const id of new Set(answers.map((answer) => answer.id))) {
    const made = answers.filter((answer) => answer.id === id && answer.all.status === 200);
    expect(await versionOf(client, id)).toBe(`"${made.length + 1}"`);
  }
}

test('changes wait for it, and are made when it is free', async () => {
  const id = await create(service);
  const release = await hold([id]);
  const { answers, done } = change(service, [id]);
  await untilWaiting(2);
  await release();
  await done;
  expect(answers.map(({ all }) => all.status)).toEqual([200, 200]);
  expect(await versionOf(service, id)).toBe('"3"');
});

test('those of another account are made before they are told anything', async () => {
  const other = await service.otherAccount('meanwhile');
  const ids = await createAll(service, 10);
  const release = await hold(ids);
  const held = change(service, ids);
  await untilWaiting(10);
  expect(await createBeside(other, 10, held)).toEqual(times(10).map(() => 0));
  await settle(release, service, held);
});

test('where two accounts wait for rows, a third has its turn before they are told anything', async () => {
  const [second, third] = [await service.otherAccount('second'), await service.otherAccount('third')];
  const [mine, theirs] = [await createAll(service, 10), await createAll(second, 10)];
  const release = await hold([...mine, ...theirs]);
  const held = [change(service, mine), change(second, theirs)] as const;
  await untilWaiting(12);
  expect(await createBeside(third, 1, ...held)).toEqual([0]);
  await settle(release, service, held[0]);
  await settle(release, second, held[1]);
});

test('twenty changes of one held row leave the other connections to all others, of the same account, too', async () => {
  const id = await create(service);
  const release = await hold([id]);
  const held = change(
    service,
    times(10).map(() => id),
  );
  await untilWaiting(2);
  expect(await createBeside(service, 10, held)).toEqual(times(10).map(() => 0));
  await settle(release, service, held);
});

test('changes whose clients have gone are dropped where they wait, and the next one need not wait for them', async () => {
  const one = ofOneServer(service);
  const id = await create(one);
  const release = await hold([id]);
  const clients = await Promise.all(times(50).map(() => openSocket(one.url)));
  const body = '{"description": "left"}';
  const lines = [
    `PATCH /ip_policies/${id} HTTP/1.1`,
    'Host: sallyport.test',
    `Authorization: Bearer ${one.token}`,
    'Service-Version: 2',
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
  ];
  for (const client of clients) client.write(`${lines.join('\r\n')}\r\n\r\n${body}`);
  await untilWaiting(2);
  for (const client of clients) client.destroy();
  // No other client has left before.
  await expect.poll(() => left).toBe(50);
  const next = one.rest('PATCH', `/ip_policies/${id}`, { description: 'next' });
  await release();
  expect((await next).status).toBe(200);
  // Two had already been sent to the database, and may have been made.
  expect(['"2"', '"3"', '"4"']).toContain((await next).headers.get('etag'));
});

test('a row that is renewed while upkeep waits to forget it is kept', async () => {
  const { server } = service.storage;
  await server.change(sql`INSERT INTO "RevokedApiKey" ("tokenHash", "accountId", "apiKeyId", "description", "revokedAt")
    VALUES ('renewed', 'a', 'k', '', ${startTime})`);
  const holder = await begin();
  await holder.query(`UPDATE "RevokedApiKey" SET "revokedAt" = "revokedAt" + interval '1 day'`);
  const end = new Date(startTime.getTime() + 86_400_000);
  const forgotten = revokedKeyUpkeep(1).hourly?.(server, end, new AbortController().signal);
  await untilWaiting(1);
  await holder.query('COMMIT');
  await forgotten;
  expect(await server.rows(sql`SELECT "tokenHash" FROM "RevokedApiKey"`)).toEqual([['renewed']]);
});

const samlModule = {
  idp_metadata: '<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="https://idp"/>',
};

test('a secret that waits to be stored in it lets those of other accounts go by', async () => {
  const other = await service.otherAccount('with secrets');
  const edge = (await service.rest('POST', '/edges/https', {})).body.id;
  const routes = await Promise.all(
    times(3).map(async (place) => {
      const body = { match_type: 'exact_path', match: `/${place}` };
      return (await service.rest('POST', `/edges/https/${edge}/routes`, body)).body.id;
    }),
  );
  const release = await hold(routes, 'HttpsEdgeRoute');
  const told: unknown[] = [];
  const held = routes.map(async (route) => {
    const { status } = await service.rest('PUT', `/edges/https/${edge}/routes/${route}/saml`, samlModule);
    told.push(status);
  });
  await untilWaiting(1);
  expect((await other.rest('POST', '/ssh_certificate_authorities', {})).status).toBe(201);
  expect(told).toEqual([]);
  await release();
  await Promise.all(held);
  // Some may have been answered before the rows were unlocked, if the test took long.
  for (const status of told) expect([200, 503]).toContain(status);
  for (const route of routes) {
    expect((await service.rest('PUT', `/edges/https/${edge}/routes/${route}/saml`, samlModule)).status).toBe(200);
  }
  expect((await other.rest('POST', '/ssh_certificate_authorities', {})).status).toBe(201);
});

test('a crowd of changes of held rows is told as soon as one of them: they have one deadline for all that they wait for', async () => {
  const crowd = await service.otherAccount('crowd');
  const ids = await createAll(crowd, 40);
  const release = await hold(ids);
  const begunMs = performance.now();
  const { answers, done } = change(crowd, ids);
  await done;
  // 6 seconds plus one attempt; without the deadline, 80 changes that have ten connections would take five such attempts each: 48
  // seconds.
  expect(performance.now() - begunMs).toBeLessThan(20_000);
  expect(answers.map(({ all }) => all.status)).toEqual(times(80).map(() => 503));
  await release();
  expect(new Set(await Promise.all(ids.map((id) => versionOf(crowd, id))))).toEqual(new Set(['"1"']));
});

test('who waits for too long is told that nothing was stored, and may try again', async () => {
  const id = await create(service);
  const release = await hold([id]);
  const { answers, done } = change(service, [id]);
  await done;
  const told = answers.map(({ all: { status, headers, body } }) => [status, headers.get('retry-after'), body.msg]);
  const message = 'The database cannot serve the request now. Retry in a few seconds.';
  expect(told).toEqual(times(2).map(() => [503, '2', message]));
  await release();
  expect(await versionOf(service, id)).toBe('"1"');
  expect((await service.rest('PATCH', `/ip_policies/${id}`, { description: 'again' })).status).toBe(200);
  expect(await versionOf(service, id)).toBe('"2"');
});
