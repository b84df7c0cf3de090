// A receiver of webhooks: accepts every message, and counts by path how often it got each. `GET /` tells. Run without arguments.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { announce } from './opponent.ts';

/** What a receiver tells, by path: messages, each counted once, and how many came again. */
export type Counts = Readonly<Record<string, { readonly messages: number; readonly again: number }>>;

const received = new Map<string, { readonly ids: Set<string>; again: number }>();

function counts(): Counts {
  return Object.fromEntries([...received].map(([path, { ids, again }]) => [path, { messages: ids.size, again }]));
}

const server = createServer((request, reply) => {
  if (request.method === 'GET') return void reply.end(JSON.stringify(counts()));
  const { url = '', headers } = request;
  const id = String(headers['webhook-id']);
  // A message counts once it is there as a whole.
  request.resume().on('end', () => {
    const known = received.get(url) ?? { ids: new Set<string>(), again: 0 };
    received.set(url, known);
    if (known.ids.has(id)) known.again += 1;
    known.ids.add(id);
    reply.writeHead(204).end();
  });
});
server.listen(0, '127.0.0.1', () => {
  // A server that listens on TCP has an address with a port.
  announce((server.address() as AddressInfo).port);
});
