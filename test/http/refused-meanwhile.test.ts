// Requests that wait for their bodies or their turns, and whose key or address is refused by the time they could be answered.

import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { answerInTurn, readInTurn } from '../../src/load/admission.ts';
import { contextOf, estimate } from '../support/admission.ts';
import { keyFromStock } from '../support/keys.ts';
import { openSocket, statusesIn } from '../support/raw-socket.ts';
import { ofOneServer, startService } from '../support/service.ts';

/** Opens a connection, and sends the beginning of a request. */
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
  // As many as may be received at once for an account while their lengths are unknown.
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

/** Starts a service with a second key, and functions that hold back the requests of its account until they may continue. */
async function startHeldBack() {
  const service = ofOneServer(await startService());
  const { body: key } = await service.rest('POST', '/api_keys', {});
  const { data } = await service.graphql('{ viewer { account { id } } }');
  const accountId: string = data.viewer.account.id;
  const ends: (() => void)[] = [];
  const hold = () => new Promise<void>((end) => ends.push(end));
  return {
    service,
    key,
    accountId,
    /** Holds as many pages as are made at once for an account. */
    async holdPages() {
      const held = [1, 2, 3, 4].map(() => answerInTurn(contextOf(accountId), { ...estimate, cost: 1_000 }, hold));
      await expect.poll(() => ends.length).toBe(4);
      return held;
    },
    /** Holds the one document that is parsed at once. */
    holdDocuments: () => readInTurn(accountId, hold, new AbortController().signal),
    /** Sends a request with the second key, and returns once it is waiting. */
    async ask(query: string) {
      const headers = { Authorization: `Bearer ${key.token}`, 'Content-Type': 'application/json' };
      const answer = fetch(`${service.url}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }) });
      await pause(200);
      return { answer };
    },
    goOn() {
      for (const end of ends) end();
    },
  };
}

/** Returns a mutation that no earlier test has sent: a document that the process has already parsed need not wait. */
const makesKey = () => `mutation M${randomUUID().replaceAll('-', '')} { createApiKey(input: {}) { token } }`;

test('a key that is revoked while a document that is new waits for its turn does nothing more', async () => {
  const { service, key, holdDocuments, ask, goOn } = await startHeldBack();
  const before = holdDocuments();
  const { answer } = await ask(makesKey());
  expect((await service.rest('DELETE', `/api_keys/${key.id}`)).status).toBe(204);
  goOn();
  await before;
  expect((await answer).status).toBe(401);
  expect((await service.rest('GET', '/api_keys')).body.keys).toHaveLength(1);
  await service.close();
});

test('an address that is refused while a document that is new waits for its turn does nothing more', async () => {
  const { service, accountId, holdDocuments, ask, goOn } = await startHeldBack();
  const { body: policy } = await service.rest('POST', '/ip_policies', {});
  const before = holdDocuments();
  const { answer } = await ask(makesKey());
  const restriction = { type: 'api', enforced: true, ip_policy_ids: [policy.id] };
  const forced = { 'Sallyport-Force': 'true' };
  expect((await service.rest('POST', '/ip_restrictions', restriction, forced)).status).toBe(201);
  goOn();
  await before;
  expect((await answer).status).toBe(403);
  expect(await service.storage.forAccount(accountId).db.apiKey.count()).toBe(2);
  await service.close();
});

test('a key that is revoked while its request for a page waits for its turn gets nothing', async () => {
  const { service, key, holdPages, ask, goOn } = await startHeldBack();
  const held = await holdPages();
  const { answer } = await ask('{ auditEvents(first: 100) { nodes { id kind objectId changes { field } } } }');
  expect((await service.rest('DELETE', `/api_keys/${key.id}`)).status).toBe(204);
  goOn();
  await Promise.all(held);
  const { status, headers } = await answer;
  expect([status, headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
  await service.close();
});

test('a key that is revoked while the first mutation of a document takes its time makes nothing by the others', async () => {
  const waiting: (() => void)[] = [];
  const makePrivateKey: typeof keyFromStock = async (kind) => {
    await new Promise<void>((goOn) => waiting.push(goOn));
    return keyFromStock(kind);
  };
  const service = ofOneServer(await startService({}, { makePrivateKey }));
  const { body: key } = await service.rest('POST', '/api_keys', {});
  const document = `mutation {
    a: createSshCertificateAuthority(input: { privateKeyType: rsa, keySize: 4096 }) { sshCertificateAuthority { id } }
    b: createApiKey(input: {}) { apiKey { id } } }`;
  const authorities = async () => (await service.rest('GET', '/ssh_certificate_authorities')).body;
  const answered = fetch(`${service.url}/graphql`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key.token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ query: document }),
  });
  await expect.poll(() => waiting.length).toBe(1);
  expect((await authorities()).ssh_certificate_authorities).toEqual([]);
  expect((await service.rest('DELETE', `/api_keys/${key.id}`)).status).toBe(204);
  for (const goOn of waiting) goOn();
  const { data, errors } = await (await answered).json();
  expect(data.b).toBe(null);
  expect(errors).toMatchObject([{ path: ['b'], extensions: { code: 'UNAUTHENTICATED' } }]);
  expect((await service.rest('GET', '/api_keys')).body.keys).toHaveLength(1);
  await service.close();
});
