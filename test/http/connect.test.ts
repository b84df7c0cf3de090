// CONNECT, for which Node hands the bare socket over and stops listening for its errors.

import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createMessageClasses } from '../../src/http/express-prototypes.ts';
import { listen } from '../../src/http/listen.ts';

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
