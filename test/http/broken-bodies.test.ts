// Bodies that broke before anybody looked at them.

import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { makeAnswer, readInTurn } from '../../src/graphql/admission.ts';
import { Budget } from '../../src/graphql/budget.ts';
import type { Context } from '../../src/graphql/context.ts';
import { exchange, openSocket, statusesIn } from '../support/raw-socket.ts';
import { ofOneServer, startService } from '../support/service.ts';

/** Opens a connection and sends the beginning of a request. */
async function begin(url: string, sent: string): Promise<Socket> {
  const socket = await openSocket(url);
  await new Promise((resolve) => socket.write(sent, resolve));
  return socket;
}

test.each([
  ['/graphql', '{"query": "mutation { createApiKey(input: {}) { token } }"}'],
  ['/api_keys', '{"description": "made by a revoked key"}'],
])('a key that is revoked while the body of its request comes does nothing more: %s', async (path, body) => {
  const service = ofOneServer(await startService());
  const { body: key } = await service.rest('POST', '/api_keys', {});
  const headers = [`Authorization: Bearer ${key.token}`, 'Content-Type: application/json', 'Service-Version: 2'];
  const head = [`POST ${path} HTTP/1.1`, 'Host: a', ...headers, `Content-Length: ${body.length}`, 'Connection: close'];
  const socket = await begin(service.url, `${head.join('\r\n')}\r\n\r\n${body.slice(0, 5)}`);
  await pause(100);
  expect((await service.rest('DELETE', `/api_keys/${key.id}`)).status).toBe(204);
  socket.write(body.slice(5));
  let received = '';
  for await (const chunk of socket) received += chunk;
  expect(statusesIn(received)).toEqual([401]);
  expect((await service.rest('GET', '/api_keys')).body.keys).toHaveLength(1);
  await service.close();
});

test('a key that is revoked while a body that has come waits for its turn does nothing more', async () => {
  const service = ofOneServer(await startService());
  const { body: key } = await service.rest('POST', '/api_keys', {});
  const post = (token: string, chunks: string) =>
    [
      'POST /api_keys HTTP/1.1',
      'Host: a',
      `Authorization: Bearer ${token}`,
      'Content-Type: application/json',
      'Service-Version: 2',
      'Transfer-Encoding: chunked',
      'Connection: close',
      '',
      chunks,
    ].join('\r\n');
  // As many as may be received at once for an account, while nobody knows how long they are.
  const held = await Promise.all(Array.from({ length: 32 }, () => begin(service.url, post(service.token, '1\r\n{'))));
  await pause(100);
  const waiting = await begin(service.url, post(String(key.token), '2\r\n{}\r\n0\r\n\r\n'));
  await pause(100);
  expect((await service.rest('DELETE', `/api_keys/${key.id}`)).status).toBe(204);
  for (const socket of held) socket.destroy();
  let received = '';
  for await (const chunk of waiting) received += chunk;
  expect(statusesIn(received)).toEqual([401]);
  expect((await service.rest('GET', '/api_keys')).body.keys).toHaveLength(1);
  await service.close();
});

test('a key that is revoked while a document that is new waits for its turn does nothing more', async () => {
  const service = ofOneServer(await startService());
  const { body: key } = await service.rest('POST', '/api_keys', {});
  const { data } = await service.graphql('{ viewer { account { id } } }');
  const ends: (() => void)[] = [];
  const { signal } = new AbortController();
  const before = readInTurn(data.viewer.account.id, () => new Promise<void>((end) => ends.push(end)), signal);
  const query = `mutation By_${key.id} { createApiKey(input: {}) { token } }`;
  const headers = { Authorization: `Bearer ${key.token}`, 'Content-Type': 'application/json' };
  const waiting = fetch(`${service.url}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }) });
  await pause(100);
  expect((await service.rest('DELETE', `/api_keys/${key.id}`)).status).toBe(204);
  for (const end of ends) end();
  await before;
  expect((await waiting).status).toBe(401);
  expect((await service.rest('GET', '/api_keys')).body.keys).toHaveLength(1);
  await service.close();
});

test('a key that is revoked while its request for a page waits for its turn gets nothing', async () => {
  const service = ofOneServer(await startService());
  const { body: key } = await service.rest('POST', '/api_keys', {});
  const { data } = await service.graphql('{ viewer { account { id } } }');
  const ends: (() => void)[] = [];
  const context = {
    identity: { accountId: data.viewer.account.id },
    budget: new Budget(true),
    charge() {},
    expectClient() {},
  };
  const page = { depth: 1, roots: 1, fields: 1, introspection: 0, isRead: true, cost: 1_000 };
  const hold = () => new Promise<void>((end) => ends.push(end));
  // As many as are made at once for an account. The rest of a context is for resolvers.
  const held = [1, 2, 3, 4].map(() => makeAnswer(context as unknown as Context, page, hold));
  await expect.poll(() => ends.length).toBe(4);
  const headers = { Authorization: `Bearer ${key.token}`, 'Content-Type': 'application/json' };
  const query = '{ auditEvents(first: 100) { nodes { id kind objectId changes { field } } } }';
  const waiting = fetch(`${service.url}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }) });
  await pause(200);
  expect((await service.rest('DELETE', `/api_keys/${key.id}`)).status).toBe(204);
  for (const end of ends) end();
  await Promise.all(held);
  const { status, headers: sent } = await waiting;
  expect([status, sent.get('www-authenticate')]).toEqual([401, 'Bearer']);
  await service.close();
});

test('a body that broke before it was looked at is not taken for one that was not sent', async () => {
  const service = await startService();
  for (let count = 0; count < 10; count++) {
    // The server asks the database about a key that it has not seen, and the connection is gone by then.
    const { body: key } = await service.rest('POST', '/api_keys', {});
    const cutOff = count % 2 === 0;
    const [framing, body] = cutOff ? ['Content-Length: 2', ''] : ['Transfer-Encoding: chunked', 'zz\r\n'];
    const head = ['Host: a', `Authorization: Bearer ${key.token}`, 'Service-Version: 2', framing].join('\r\n');
    const sent = `POST /ip_policies HTTP/1.1\r\n${head}\r\n\r\n${body}`;
    expect(statusesIn(await exchange(service.url, sent, { end: cutOff }))).toEqual([400]);
  }
  expect((await service.rest('GET', '/ip_policies')).body.ip_policies).toEqual([]);
  await service.close();
});
