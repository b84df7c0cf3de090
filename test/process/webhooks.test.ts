// Messages of webhooks while the server that sends them is killed: none is lost, whatever it was doing. On PostgreSQL, another server
// of the same database goes on; on SQLite, the next one.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, inject, onTestFinished, test, vi } from 'vitest';
import { testDatabase } from '../support/database.ts';
import { readyServer, rest } from './support.ts';

const objects = 10;
const changesBefore = 4;
const changesAfter = 2;

test('every event arrives in order for each object, and twice only around the kill of the server that sends', async () => {
  /** The versions of each object, as they were received. */
  const received = new Map<string, number[]>();
  const count = () => [...received.values()].flat().length;
  const receiver = createServer(async (request, answer) => {
    let text = '';
    for await (const piece of request) text += piece;
    const { data } = JSON.parse(text);
    received.set(data.object_id, [...(received.get(data.object_id) ?? []), data.version]);
    // The answer comes late enough for the server to be killed before it.
    setTimeout(() => answer.writeHead(204).end(), 5);
  }).listen(0, '127.0.0.1');
  onTestFinished(() => {
    receiver.closeAllConnections();
    receiver.close();
  });
  const database = await testDatabase();
  const begin = () => readyServer(database, { OUTGOING_NETWORKS: '127.0.0.0/8' });
  const first = await begin();
  // A server on SQLite listens before it is asked; the receiver has its port by now.
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  expect((await rest(first.url, 'POST', '/webhooks', { url, events: ['ip_policy.*'] })).status).toBe(201);
  const ids: string[] = [];
  for (let made = 0; made < objects; made += 1) {
    ids.push((await (await rest(first.url, 'POST', '/ip_policies', {})).json()).id);
  }
  // The first server has the webhook's lease by now, before there is another one.
  await vi.waitFor(() => expect(count()).toBeGreaterThan(0), { timeout: 60_000, interval: 10 });
  const isShared = inject('engine') === 'postgresql';
  let second = isShared ? await begin() : first;
  const change = async (rounds: number, servers: readonly { readonly url: string }[]) => {
    for (let round = 0; round < rounds; round += 1) {
      for (const [index, id] of ids.entries()) {
        const at = servers[index % servers.length]?.url ?? '';
        const { status } = await rest(at, 'PATCH', `/ip_policies/${id}`, { description: `${round} of ${rounds}` });
        expect(status).toBe(200);
      }
    }
  };
  await change(changesBefore, [first, second]);
  first.child.kill('SIGKILL');
  await first.ended;
  if (!isShared) second = await begin();
  await change(changesAfter, [second]);
  // The next server takes over when the lease of the one before has ended, a quarter of a minute after its last step.
  const versions = Array.from({ length: 1 + changesBefore + changesAfter }, (_, index) => index + 1);
  await vi.waitFor(() => expect(ids.map((id) => [...new Set(received.get(id))])).toEqual(ids.map(() => versions)), {
    timeout: 60_000,
    interval: 100,
  });
  for (const each of received.values()) {
    // What was received again begins once, and goes on from there.
    const again = each.filter((version, index) => index > 0 && version !== (each[index - 1] ?? 0) + 1);
    expect(again.length).toBeLessThanOrEqual(1);
  }
});
