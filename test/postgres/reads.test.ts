// Reads of one turn of the event loop: what they share, and what each of them gets all the same.

import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ipPolicies } from '../../src/storage/collections.ts';
import { commandLine } from '../../src/storage/origin.ts';
import { busyMachine } from '../support/busy-machine.ts';
import { startBeside, startService, type TestService } from '../support/service.ts';
import { statementsOf } from '../support/statements.ts';

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
    // Of another account, and so of nobody.
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
  // Makes the connections of the client, each of which comes in a turn of its own.
  await askAtOnce();
  const statements = await statementsOf(service, async () => {
    const answers = await askAtOnce();
    expect(answers.map((answer) => answer.body)).toEqual(answers.map(() => body));
  });
  expect(statements.length).toBeLessThan(64);
});

test('reads of one turn are on their way together: none waits for the answer to another', busyMachine, async () => {
  const slow = await startSlowProxy(service.database.url);
  const other = await startBeside(service, slow.url);
  const scope = other.storage.actingFor((await other.storage.accounts.create('far away', commandLine)).id, commandLine);
  const read = () =>
    scope.rows.range('IpPolicy', { equal: {}, lessThan: undefined, greaterThan: undefined, ascending: true, take: 1 });
  const timed = async (work: () => Promise<unknown>) => {
    const begun = performance.now();
    await work();
    return performance.now() - begun;
  };
  const many = () => Promise.all(Array.from({ length: 12 }, read));
  // Connects, and prepares the statement.
  await many();
  const alone = await timed(read);
  expect(await timed(many)).toBeLessThan(2.5 * alone);
  await other.close();
  slow.close();
});

/** How much later than the server says it an answer comes, in milliseconds: as from a server that is far away. */
const delayMs = 100;

/** Starts a proxy before the server of a database. */
async function startSlowProxy(databaseUrl: string): Promise<{ url: string; close(): void }> {
  const url = new URL(databaseUrl);
  const directory = url.searchParams.get('host');
  const port = Number(url.port || 5432);
  const proxy = createServer((client) => {
    const database = directory === null ? connect(port, url.hostname) : connect(join(directory, `.s.PGSQL.${port}`));
    client.pipe(database);
    database.on('data', (chunk) => setTimeout(() => client.write(chunk), delayMs));
    for (const end of [client, database]) {
      end.on('error', () => {});
      end.on('close', () => [client, database].forEach((one) => void one.destroy()));
    }
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  url.searchParams.delete('host');
  url.hostname = '127.0.0.1';
  // A listening TCP server has an address with a port.
  url.port = String((proxy.address() as AddressInfo).port);
  return { url: url.href, close: () => void proxy.close() };
}
