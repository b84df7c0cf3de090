// Reads in one event loop turn: what they share, and what each of them still gets.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { collectionOf } from '../../src/storage/objects/collections.ts';
import { commandLine } from '../../src/storage/trail/origin.ts';
import { startDatabaseProxy } from '../support/proxy.ts';
import { startBeside, startService, type TestService } from '../support/service.ts';
import { statementsOf } from '../support/statements.ts';

const ipPolicies = collectionOf('IpPolicy');

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  expect(service.failures).toEqual([]);
  await service.close();
});

const accountOf = async (name: string) =>
  service.storage.actingFor((await service.storage.accounts.create(name, commandLine)).id, commandLine);

test('objects that are asked for in one turn are read by one statement for each account, and each gets its own', async () => {
  const [one, other] = [await accountOf('one'), await accountOf('other')];
  const create = async (scope: typeof one, description: string) =>
    (await ipPolicies.create(scope, { description, metadata: '' })).id;
  const [a, b, c] = [await create(one, 'a'), await create(one, 'b'), await create(other, 'c')];
  const asked = [
    { scope: one, id: a },
    { scope: one, id: b },
    { scope: one, id: a },
    // Belongs to another account, so it does not exist for this one.
    { scope: one, id: c },
    { scope: other, id: c },
    { scope: other, id: a },
  ];
  const answers: unknown[] = [];
  const statements = await statementsOf(service, async () => {
    const reads = asked.map(({ scope, id }) =>
      ipPolicies.get(scope, id).then(
        ({ description }) => description,
        ({ code }) => code,
      ),
    );
    answers.push(...(await Promise.all(reads)));
  });
  expect(answers).toEqual(['a', 'b', 'a', 'NOT_FOUND', 'c', 'NOT_FOUND']);
  expect(statements).toHaveLength(2);
});

test('an object is read anew by each turn: nothing is kept', async () => {
  const scope = await accountOf('again');
  const { id } = await ipPolicies.create(scope, { description: 'before', metadata: '' });
  expect((await ipPolicies.get(scope, id)).description).toBe('before');
  await ipPolicies.update(scope, id, { description: 'after' }, null);
  expect((await ipPolicies.get(scope, id)).description).toBe('after');
});

test('of requests that come at once, many share a statement', async () => {
  const { body } = await service.rest('POST', '/ip_policies', {});
  const askAtOnce = () => Promise.all(Array.from({ length: 64 }, () => service.rest('GET', `/ip_policies/${body.id}`)));
  // Opens the client's connections, each of which would otherwise arrive in its own turn.
  await askAtOnce();
  const statements = await statementsOf(service, async () => {
    const answers = await askAtOnce();
    expect(answers.map((answer) => answer.body)).toEqual(answers.map(() => body));
  });
  expect(statements.length).toBeLessThan(64);
});

test('reads of one turn are on their way together: none waits for the answer to another', async () => {
  const proxy = await startHoldingProxy(service.database.url);
  const other = await startBeside(service, proxy.url);
  const scope = other.storage.actingFor((await other.storage.accounts.create('far away', commandLine)).id, commandLine);
  const read = () =>
    scope.rows.range('IpPolicy', { equal: {}, lessThan: undefined, greaterThan: undefined, ascending: true, take: 1 });
  const many = () => Promise.all(Array.from({ length: 12 }, read));
  // Connects, and prepares the statement.
  await many();
  proxy.hold();
  const reading = many();
  await expect.poll(proxy.askedMeanwhile).toBeGreaterThanOrEqual(12);
  proxy.release();
  await reading;
  await other.close();
});

/** The end of a statement, or of a pipeline of them: the message Sync (PostgreSQL, "Message Formats"). */
const sync = Buffer.from('S\0\0\0\x04');

/** Starts a proxy in front of a database server that can hold answers back, as if the server were far away. */
async function startHoldingProxy(databaseUrl: string) {
  /** Functions that pass on the answers held back; undefined while none are to be held. */
  let held: (() => void)[] | undefined;
  let asked = 0;
  const url = await startDatabaseProxy(databaseUrl, (client, database) => {
    client.pipe(database);
    client.on('data', (chunk) => {
      for (let at = chunk.indexOf(sync); at !== -1; at = chunk.indexOf(sync, at + sync.length)) asked += 1;
    });
    database.on('data', (chunk) => {
      if (held === undefined) client.write(chunk);
      else held.push(() => void client.write(chunk));
    });
  });
  return {
    url,
    /** Holds back answers from now on. */
    hold() {
      held = [];
      asked = 0;
    },
    /** Returns how many statements have arrived since then. */
    askedMeanwhile: () => asked,
    release() {
      for (const pass of held ?? []) pass();
      held = undefined;
    },
  };
}
