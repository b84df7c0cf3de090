// CONNECT: Node hands over the bare socket, and no longer listens for its errors.

import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createMessageClasses } from '../../src/wire/express-prototypes.ts';
import { listen } from '../../src/wire/listen.ts';

test('a client that resets its connection after CONNECT, even behind other requests, does not end the process', async () => {
  const uncaught: unknown[] = [];
  const note = (error: unknown) => uncaught.push(error);
  process.on('uncaughtException', note);
  const recorder = { newRequestId: () => 'op_1', requestEnded: () => {} };
  const answer = (_request: unknown, reply: { end(text: string): void }) =>
    void setTimeout(() => reply.end('done'), 20);
  const server = await listen(answer, createMessageClasses(), 0, '127.0.0.1', recorder);
  for (const before of ['', 'GET / HTTP/1.1\r\nHost: a\r\n\r\n']) {
    for (const waitMs of [0, 0, 1, 2]) {
      const socket = connect(server.port, '127.0.0.1');
      const closed = new Promise((resolve) => socket.once('close', resolve));
      await new Promise<void>((resolve) =>
        socket.write(`${before}CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n`, () => resolve()),
      );
      if (waitMs > 0) await pause(waitMs);
      socket.resetAndDestroy();
      await closed;
    }
  }
  await pause(100);
  process.off('uncaughtException', note);
  server.cut();
  expect(uncaught).toEqual([]);
});

test('a server that stops does not wait for a CONNECT behind an answer that its client does not read', async () => {
  const recorder = { newRequestId: () => 'op_1', requestEnded: () => {} };
  // More than the system's buffers hold.
  const answer = (_request: unknown, reply: { end(body: Buffer): void }) => reply.end(Buffer.alloc(32_000_000));
  const bounds = { drainMsMax: 200, stalledSecondsMax: 3_600 };
  const server = await listen(answer, createMessageClasses(), 0, '127.0.0.1', recorder, bounds);
  const socket = connect(server.port, '127.0.0.1').pause();
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.on('error', () => {});
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\nCONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n');
  await expect.poll(() => server.waitingBytes()).toBeGreaterThan(0);
  await pause(100);
  // If this did not end, the test would time out.
  await server.drain();
  socket.resume();
  await closed;
});
