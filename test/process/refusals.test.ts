// Refusals leave together with answers: no answer waits for all the refusals of an event loop turn.

import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { testDatabase } from '../support/database.ts';
import { apiKey, readyServer } from './support.ts';

const ask = `GET /ip_policies HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${apiKey}\r\nService-Version: 2\r\n\r\n`;
const beginning = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';

test.for([
  ['without a key', 'GET /ip_policies HTTP/1.1\r\nHost: a\r\n\r\n', '401'],
  ['to where nothing is', 'GET /nowhere HTTP/1.1\r\nHost: a\r\n\r\n', '404'],
] as const)('an answer leaves before most refusals of requests %s that came behind it', async ([, refused, status]) => {
  const server = await readyServer(await testDatabase({ migrated: false }));
  const { hostname, port } = new URL(server.url);
  const sockets = Array.from({ length: 200 }, () => connect(Number(port), hostname));
  const next = (socket: Socket) =>
    new Promise<string>((resolve) => socket.once('data', (text) => resolve(String(text).slice(9, 12))));
  const allSend = (texts: readonly string[]) =>
    Promise.all(
      sockets.map((socket, index) => {
        socket.write(texts[index] ?? '');
        return next(socket);
      }),
    );
  await allSend(sockets.map(() => beginning));
  const order: string[] = [];
  for (const socket of sockets) void next(socket).then((answer) => order.push(answer));
  // Everything has arrived before the server continues, so that it reads everything in one turn.
  server.child.kill('SIGSTOP');
  const answered = allSend(sockets.map((_, index) => (index === 0 ? ask : refused)));
  await pause(100);
  server.child.kill('SIGCONT');
  await answered;
  for (const socket of sockets) socket.destroy();
  expect(order.filter((answer) => answer === status)).toHaveLength(199);
  expect(order.slice(0, 100)).toContain('200');
});
