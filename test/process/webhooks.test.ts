// Messages of webhooks while the server is killed: none is lost, whatever it was doing.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { testDatabase } from '../support/database.ts';
import { readyServer, rest } from './support.ts';

test('every event arrives although the server is killed in the middle', async () => {
  const received = new Map<string, number>();
  let begun: (() => void) | undefined;
  const receiver = createServer(async (request, answer) => {
    let text = '';
    for await (const piece of request) text += piece;
    const { data } = JSON.parse(text);
    // The answer comes late enough for the server to be killed before it.
    setTimeout(() => answer.writeHead(204).end(), 5);
    received.set(data.object_id, (received.get(data.object_id) ?? 0) + 1);
    if (received.size % 20 === 0) begun?.();
  }).listen(0, '127.0.0.1');
  onTestFinished(() => {
    receiver.closeAllConnections();
    receiver.close();
  });
  const database = await testDatabase();
  const begin = () => readyServer(database, { OUTGOING_NETWORKS: '127.0.0.0/8' });
  let server = await begin();
  // A server on SQLite listens before it is asked; the receiver has its port by now.
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  expect((await rest(server.url, 'POST', '/webhooks', { url, events: ['ip_policy.create'] })).status).toBe(201);
  const made = new Set<string>();
  const isBegun = new Promise<void>((resolve) => {
    begun = resolve;
  });
  for (let count = 0; count < 50; count += 1) {
    const answer = await rest(server.url, 'POST', '/ip_policies', {});
    made.add((await answer.json()).id);
  }
  await isBegun;
  server.child.kill('SIGKILL');
  await server.ended;
  server = await begin();
  for (let count = 0; count < 10; count += 1) {
    const answer = await rest(server.url, 'POST', '/ip_policies', {});
    made.add((await answer.json()).id);
  }
  // The next server takes over when the lease of the one before has ended, a quarter of a minute after its last step.
  await vi.waitFor(() => expect([...made].filter((id) => !received.has(id))).toEqual([]), {
    timeout: 60_000,
    interval: 100,
  });
});
