// Requests with an `Idempotency-Key` whose server is killed at any moment, even between the change and the answer.

import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openClient, testDatabase } from '../support/database.ts';
import { apiKey, type Process, readyServer, rest } from './support.ts';

/** Sends one of the numbered requests with its key, half of them over each surface. Returns null if no answer arrives. */
async function send(url: string, number: number) {
  const isRest = number % 2 === 0;
  const description = `policy ${number}`;
  const query =
    'mutation ($description: String) { body: createIpPolicy(input: { description: $description }) { ipPolicy { id } } }';
  try {
    const response = await fetch(`${url}${isRest ? '/ip_policies' : '/graphql'}`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${apiKey}`,
        'Service-Version': '2',
        'Content-Type': 'application/json',
        'Idempotency-Key': `request-${number}`,
      },
      body: JSON.stringify(isRest ? { description } : { query, variables: { description } }),
    });
    const text = await response.text();
    const replayed = response.headers.get('idempotency-replayed');
    return { status: response.status, etag: response.headers.get('etag'), text, replayed };
  } catch {
    return null;
  }
}

/** Number of clients, each of which sends one request after the other. */
const clients = 16;

test('happen once, and every repetition gets the first answer', async () => {
  const database = await testDatabase();
  const { ipPolicy } = await openClient(database);
  const numbers = Array.from({ length: 240 }, (_, number) => number);
  const first = new Map<number, string>();
  let waiting = [...numbers];
  let madeUnheard = 0;
  /** Sends the waiting requests, until nobody answers any more. */
  const sendAll = (url: string) => {
    const queue = [...waiting];
    const client = async () => {
      for (let number = queue.shift(); number !== undefined; number = queue.shift()) {
        const answer = await send(url, number);
        if (answer === null) return;
        const { replayed, ...repeated } = answer;
        expect([200, 201]).toContain(repeated.status);
        if (replayed !== null) madeUnheard += 1;
        first.set(number, JSON.stringify(repeated));
      }
    };
    return Promise.all(Array.from({ length: clients }, client));
  };

  /** Stops a server, and returns how many requests it has stored whose answers have not arrived. */
  const unheardBy = async ({ child }: Process) => {
    child.kill('SIGSTOP');
    await pause(10); // what it has sent arrives
    return (await ipPolicy.count()) - first.size;
  };

  for (let round = 0; round < 3; round += 1) {
    const server = await readyServer(database);
    const sent = sendAll(server.url);
    const enough = first.size + 50 + round;
    while (first.size < enough) await pause(1);
    // Killed at any moment, it might have answered all that it had stored.
    while ((await unheardBy(server)) <= 0 && first.size < numbers.length) {
      server.child.kill('SIGCONT');
      await pause(1);
    }
    server.child.kill('SIGKILL');
    await server.ended;
    await sent;
    waiting = numbers.filter((number) => !first.has(number));
  }
  const server = await readyServer(database);
  await sendAll(server.url);
  expect(first.size).toBe(numbers.length);
  // Some were stored by a server that was killed before it could answer: without them, nothing has been tested.
  expect(madeUnheard).toBeGreaterThan(0);

  // Each is sent once more, and answered as the first time.
  await Promise.all(
    numbers.map(async (number) => {
      const { replayed, ...repeated } = (await send(server.url, number)) ?? { replayed: null };
      expect([number, replayed, JSON.stringify(repeated)]).toEqual([number, 'true', first.get(number)]);
    }),
  );
  const descriptions: string[] = [];
  for (let next: string | null = '/ip_policies'; next !== null; ) {
    const response: Response = await rest(server.url, 'GET', next);
    // Every list of policies has this form.
    const page = (await response.json()) as { ip_policies: { description: string }[]; next_page_uri: string | null };
    descriptions.push(...page.ip_policies.map(({ description }) => description));
    next = page.next_page_uri === null ? null : page.next_page_uri.slice(server.url.length);
  }
  expect(descriptions.sort()).toEqual(numbers.map((number) => `policy ${number}`).sort());
});
