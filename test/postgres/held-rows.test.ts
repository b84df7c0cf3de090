// A row that somebody holds by a connection of his own, as an operator with psql may: those who want it wait and are told, and nobody
// else waits with them.

import pg from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type Client, startService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const times = (count: number) => Array.from({ length: count }, (_, index) => index);

async function create(client: Client): Promise<string> {
  const answer = await client.rest('POST', '/ip_policies', {});
  expect(answer.status).toBe(201);
  return answer.body.id;
}

/** Holds policies by a transaction that does nothing. Gives what ends it. */
async function hold(ids: readonly string[]): Promise<() => Promise<unknown>> {
  const holder = new pg.Client({ connectionString: service.database.url });
  await holder.connect();
  onTestFinished(() => holder.end());
  await holder.query('BEGIN');
  await holder.query('SELECT 1 FROM "IpPolicy" WHERE "id" = ANY($1) FOR UPDATE', [ids]);
  return () => holder.query('ROLLBACK');
}

/** Begins changes of objects, two of each. */
function change(client: Client, ids: readonly string[]) {
  const answers: Awaited<ReturnType<Client['rest']>>[] = [];
  const all = [...ids, ...ids].map(async (id) => {
    answers.push(await client.rest('PATCH', `/ip_policies/${id}`, { description: 'changed' }));
  });
  return { answers, done: Promise.all(all) };
}

/** Waits until so many connections wait for a lock. */
async function untilWaiting(count: number): Promise<void> {
  const looker = new pg.Client({ connectionString: service.database.url });
  await looker.connect();
  const look = async () => {
    const { rows } = await looker.query<{ count: number }>(
      `SELECT count(*)::int FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    return rows[0]?.count ?? 0;
  };
  await expect.poll(look).toBeGreaterThanOrEqual(count);
  await looker.end();
}

const versionOf = async (id: string) => (await service.rest('GET', `/ip_policies/${id}`)).headers.get('etag');

const createAll = (client: Client, count: number) => Promise.all(times(count).map(() => create(client)));

test('changes wait for it, and are made when it is free; those of another account are made meanwhile', async () => {
  const other = await service.otherAccount('meanwhile');
  const ids = await createAll(service, 10);
  const release = await hold(ids);
  const { answers, done } = change(service, ids);
  await untilWaiting(10);
  for (const _ of times(10)) await create(other);
  expect(answers).toEqual([]);
  await release();
  await done;
  expect(answers.map(({ status }) => status)).toEqual(times(20).map(() => 200));
  expect(await Promise.all(ids.map(versionOf))).toEqual(times(10).map(() => '"3"'));
});

test('where two accounts wait for rows, a third has its turn before they are told anything', async () => {
  const [second, third] = [await service.otherAccount('second'), await service.otherAccount('third')];
  const [mine, theirs] = [await createAll(service, 10), await createAll(second, 10)];
  const release = await hold([...mine, ...theirs]);
  const held = [change(service, mine), change(second, theirs)];
  await untilWaiting(12);
  await create(third);
  expect(held.map(({ answers }) => answers)).toEqual([[], []]);
  await release();
  for (const { answers, done } of held) {
    await done;
    expect(answers.map(({ status }) => status)).toEqual(times(20).map(() => 200));
  }
});

test('twenty changes of one held row leave the other connections to all others, of the same account, too', async () => {
  const id = await create(service);
  const release = await hold([id]);
  const { answers, done } = change(
    service,
    times(10).map(() => id),
  );
  await untilWaiting(2);
  for (const _ of times(10)) await create(service);
  expect(answers).toEqual([]);
  await release();
  await done;
  expect(answers.map(({ status }) => status)).toEqual(times(20).map(() => 200));
  expect(await versionOf(id)).toBe('"21"');
});

test('who waits for too long is told that nothing was stored, and may try again', async () => {
  const id = await create(service);
  const release = await hold([id]);
  const { answers, done } = change(service, [id]);
  await done;
  const told = answers.map(({ status, headers, body }) => [status, headers.get('retry-after'), body.msg]);
  const message = 'The database cannot serve the request now. Retry in a few seconds.';
  expect(told).toEqual(times(2).map(() => [503, '2', message]));
  await release();
  expect(await versionOf(id)).toBe('"1"');
  expect((await service.rest('PATCH', `/ip_policies/${id}`, { description: 'again' })).status).toBe(200);
  expect(await versionOf(id)).toBe('"2"');
});
