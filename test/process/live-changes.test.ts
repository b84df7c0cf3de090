// Live changes of the whole program, when it is stopped or killed.

import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { execute, testDatabase } from '../support/database.ts';
import { openStream, type Stream } from '../support/event-stream.ts';
import { apiKey, readyServer, rest, until } from './support.ts';

interface Event {
  readonly id: string;
  readonly object_id: string;
}

test('SIGTERM ends 300 streams in order, each with a hint when to come again', async () => {
  const database = await testDatabase();
  const server = await readyServer(database);
  const streams = await Promise.all(Array.from({ length: 300 }, () => openStream(`${server.url}/events`, apiKey)));
  expect((await rest(server.url, 'POST', '/ip_policies', {})).status).toBe(201);
  await Promise.all(streams.map((stream) => stream.wait(1)));
  const begun = performance.now();
  server.child.kill('SIGTERM');
  const [code, ...ends] = await Promise.all([server.ended, ...streams.map(({ ended }) => ended)]);
  // Connections are cut after 10 seconds; this is before.
  expect(performance.now() - begun).toBeLessThan(9_000);
  expect([code, new Set(ends)]).toEqual([0, new Set(['end'])]);
  const hints = streams.map(({ messages }) => Number(messages.at(-1)?.retry));
  expect(hints.filter((hint) => !(hint >= 1_000 && hint <= 5_000))).toEqual([]);
  expect(new Set(hints).size).toBeGreaterThan(100);
  const lines = server.log().filter(({ route }) => route === 'GET /events');
  expect([lines.length, new Set(lines.map(({ ended }) => ended))]).toEqual([300, new Set(['the server stops'])]);
});

test('kill -9 under load, three times over: whoever follows has seen every change once', async () => {
  const database = await testDatabase();
  const acknowledged: string[] = [];
  const seen: Event[] = [];
  const follow = async (stream: Stream) => {
    await stream.ended;
    // The form of an event.
    seen.push(...(stream.data() as Event[]));
  };
  for (let round = 0; round < 4; round++) {
    const server = await readyServer(database);
    const headers: Record<string, string> = {};
    const lastId = seen.at(-1)?.id;
    if (lastId !== undefined) headers['Last-Event-ID'] = lastId;
    const stream = await openStream(`${server.url}/events`, apiKey, { headers });
    const following = follow(stream);
    if (round === 3) {
      const stored = await execute(database, 'SELECT "id" FROM "AuditEvent" ORDER BY "commitOrder", "id"');
      const recorded = stored.flat();
      recorded.splice(0, recorded.indexOf(seen[0]?.id));
      // Includes changes that were stored but not acknowledged.
      await expect
        .poll(() => seen.length + stream.data().length, { timeout: 120_000 })
        .toBeGreaterThanOrEqual(recorded.length);
      stream.cut();
      await following;
      expect(seen.map(({ id }) => id)).toEqual(recorded);
      expect(acknowledged.filter((id) => !seen.some((event) => event.object_id === id))).toEqual([]);
      break;
    }
    if (round === 0) {
      // From here on, streams go on after an event that was seen, however long other tests hold changes back on PostgreSQL.
      acknowledged.push((await (await rest(server.url, 'POST', '/ip_policies', {})).json()).id);
      await expect.poll(() => stream.data().length, { timeout: 120_000 }).toBe(1);
    }
    const before = acknowledged.length;
    const write = async () => {
      for (;;) {
        const answer = await rest(server.url, 'POST', '/ip_policies', {}).then(
          (response) => response.json(),
          () => null,
        );
        if (answer === null) return;
        acknowledged.push(answer.id);
      }
    };
    const writers = Promise.all(Array.from({ length: 20 }, write));
    await until(() => acknowledged.length > before + 20);
    await pause(100 + 170 * round);
    server.child.kill('SIGKILL');
    await Promise.all([server.ended, writers, following]);
  }
});
