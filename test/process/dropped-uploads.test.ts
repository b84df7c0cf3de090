// Clients that start large bodies and leave.

import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { testDatabase } from '../support/database.ts';
import { openSocket } from '../support/raw-socket.ts';
import { apiKey, readyServer, rest } from './support.ts';

test('take nothing from those who send large bodies later', async () => {
  const { url } = await readyServer(await testDatabase());
  const headers = ['Host: a', `Authorization: Bearer ${apiKey}`, 'Content-Type: application/json'];
  const head = ['POST /graphql HTTP/1.1', ...headers, 'Content-Length: 1000000'].join('\r\n');
  // More than an account may have in flight at once.
  const sockets = await Promise.all(Array.from({ length: 40 }, () => openSocket(url)));
  for (const socket of sockets) socket.write(`${head}\r\n\r\n${'a'.repeat(900_000)}`);
  await pause(2_000);
  for (const socket of sockets) socket.destroy();
  await pause(1_000);
  const metadata = 'x'.repeat(100_000);
  const answer = await rest(url, 'POST', '/ip_policies', { metadata });
  // The body is read, and only then found to be too long.
  expect([answer.status, (await answer.json()).error_code]).toEqual([400, expect.any(String)]);
});
