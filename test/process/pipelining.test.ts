// Pipelined requests: several on one connection, without waiting for answers.

import type { RequestListener } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { createMessageClasses } from '../../src/wire/express-prototypes.ts';
import { type DrainingServer, listen } from '../../src/wire/listen.ts';

let server: DrainingServer | undefined;
afterEach(() => server?.cut());

/** These tests send only well-formed requests, so nothing is recorded. */
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
  expect(received.match(/answer \d+;/g)).toEqual(Array.from({ length: 20 }, (_, index) => `answer ${index + 1};`));
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
    if (begun < 50) setImmediate(count);
  };
  count();
  const socket = connect(server.port, '127.0.0.1').resume();
  socket.write(request.repeat(50));
  await expect.poll(() => begun).toBe(50);
  socket.destroy();
  expect(turns).toBeGreaterThan(45);
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
  socket.write(request.repeat(50));
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(begun).toBe(1);
  expect(server.waitingBytes()).toBeLessThan(20_100_000);
  socket.destroy();
});

/** Sends requests over their own connection. Returns the number of answers once all have arrived, or the connection is closed. */
async function answersTo(count: number): Promise<number> {
  const socket = connect(server?.port ?? 0, '127.0.0.1');
  socket.write(request.repeat(count));
  let received = '';
  const answers = () => received.split('answer').length - 1;
  return new Promise((resolve) => {
    // A client that is still sending gets a connection reset.
    socket.on('error', () => {});
    socket.on('close', () => resolve(answers()));
    socket.on('data', (chunk) => {
      received += chunk;
      if (answers() === count) socket.destroy();
    });
  });
}

/** Starts a server that answers only when told to, request by request in order. */
async function heldServer(bounds: Parameters<typeof listen>[5], messages = createMessageClasses()) {
  const held: (() => void)[] = [];
  const answer: RequestListener = (_request, reply) => void held.push(() => reply.end('answer'));
  server = await listen(answer, messages, 0, '127.0.0.1', unrecorded, bounds);
  return held;
}

test('when more than fifty wait for their answers, their connection is closed, and no more of them is read', async () => {
  let read = 0;
  const messages = createMessageClasses();
  class Counted extends messages.IncomingMessage {
    constructor(socket: Socket) {
      super(socket);
      read += 1;
    }
  }
  const held = await heldServer({}, { ...messages, IncomingMessage: Counted });
  const others = answersTo(50);
  await expect.poll(() => [held.length, read]).toEqual([1, 50]);
  expect(await answersTo(2_400)).toBe(0);
  // Only the first of them was started, and everything after the one that was too many is left unread.
  expect([held.length, read]).toEqual([2, 101]);
  const answering = setInterval(() => held.shift()?.(), 1);
  expect(await others).toBe(50);
  clearInterval(answering);
});

test('when too many wait over all connections, the one that has got no answer for the longest is closed', async () => {
  const held = await heldServer({ waitingMax: 10 });
  const [first, second] = [answersTo(4), answersTo(4)];
  await expect.poll(() => held.length).toBe(2);
  // From here on, the second connection has waited longer.
  held.shift()?.();
  await expect.poll(() => held.length).toBe(2);
  const third = answersTo(8);
  expect(await second).toBe(0);
  const answering = setInterval(() => held.shift()?.(), 1);
  expect(await Promise.all([first, third])).toEqual([4, 8]);
  clearInterval(answering);
});

test('a request for another protocol is answered in this one, and the last of its connection', async () => {
  server = await listen(
    (_request, reply) => void reply.end('answer'),
    createMessageClasses(),
    0,
    '127.0.0.1',
    unrecorded,
  );
  const socket = connect(server.port, '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n');
  let received = '';
  for await (const chunk of socket) {
    received += chunk;
    // Requests after the answer are not executed.
    socket.write(request);
  }
  expect(received).toMatch(/^HTTP\/1.1 200 OK\r\nConnection: close\r\n.*\r\n\r\nanswer$/s);
});
