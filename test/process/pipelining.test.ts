// Requests that come behind one another over the same connection.

import { connect } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { createMessageClasses } from '../../src/http/express-prototypes.ts';
import { type DrainingServer, listen } from '../../src/http/listen.ts';

let server: DrainingServer | undefined;
afterEach(() => server?.cut());

/** Nothing that cannot be read is sent here. */
const unrecorded = { newRequestId: () => 'op_0', requestEnded: () => {} };
const request = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';

test('are answered one after the other, in order', async () => {
  let underWay = 0;
  let most = 0;
  let number = 0;
  server = await listen(
    (_request, reply) => {
      underWay += 1;
      most = Math.max(most, underWay);
      number += 1;
      const text = `answer ${number};`;
      setTimeout(() => {
        underWay -= 1;
        reply.end(text);
      }, 5);
    },
    createMessageClasses(),
    0,
    '127.0.0.1',
    unrecorded,
  );
  const socket = connect(server.port, '127.0.0.1');
  socket.write(request.repeat(20));
  let received = '';
  for await (const chunk of socket) {
    received += chunk;
    if (received.includes('answer 20;')) break;
  }
  socket.destroy();
  expect(received.match(/answer \d+;/g)).toEqual(Array.from({ length: 20 }, (_, place) => `answer ${place + 1};`));
  expect(most).toBe(1);
});

test('get a turn of the event loop each, so that others are served in between', async () => {
  let begun = 0;
  let turns = 0;
  server = await listen(
    (_request, reply) => {
      begun += 1;
      reply.end();
    },
    createMessageClasses(),
    0,
    '127.0.0.1',
    unrecorded,
  );
  const count = () => {
    turns += begun > 0 ? 1 : 0;
    if (begun < 500) setImmediate(count);
  };
  count();
  const socket = connect(server.port, '127.0.0.1').resume();
  socket.write(request.repeat(500));
  await vi.waitUntil(() => begun === 500);
  socket.destroy();
  expect(turns).toBeGreaterThan(450);
});

test('of a client that reads nothing are not begun', async () => {
  let begun = 0;
  server = await listen(
    (_request, reply) => {
      begun += 1;
      reply.end(Buffer.alloc(20_000_000));
    },
    createMessageClasses(),
    0,
    '127.0.0.1',
    unrecorded,
  );
  const socket = connect(server.port, '127.0.0.1');
  socket.pause();
  socket.write(request.repeat(100));
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(begun).toBe(1);
  expect(server.waitingBytes()).toBeLessThan(20_100_000);
  socket.destroy();
});
