// Long work in a server that is told to stop, and after its clients have gone.

import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { testDatabase } from '../support/database.ts';
import { childrenOf } from '../support/postgres.ts';
import { apiKey, readyServer, rest, type Server, until } from './support.ts';

const isLinux = process.platform === 'linux';

/** Sends documents that each generate five RSA-4096 keys one after the other: several seconds of work. */
function sendDocuments({ url }: Server, count: number) {
  const key = (alias: string) =>
    `${alias}: createSshCertificateAuthority(input: { privateKeyType: rsa }) { __typename }`;
  const query = `mutation { ${['a', 'b', 'c', 'd', 'e'].map(key).join(' ')} }`;
  const clients = new AbortController();
  const ended = Array.from({ length: count }, () =>
    fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ query }),
      signal: clients.signal,
    }).then(
      () => 'answered',
      () => 'broken',
    ),
  );
  return { ended: Promise.all(ended), leave: () => clients.abort() };
}

/** Returns the processor time of a process in milliseconds, including its children that have ended. */
function processorMs({ child }: Server): number {
  const afterName = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1] ?? '';
  const ticks = afterName.split(' ').slice(11, 15).map(Number);
  // A hundred ticks per second, on every Linux that Node runs on.
  return ticks.reduce((sum, count) => sum + count, 0) * 10;
}

/** Keeps a server at its work: the process that generates a key for it goes on no more. */
async function holdKey({ child: { pid = 0 } }: Server): Promise<void> {
  const generating = () =>
    childrenOf(pid).filter((each) => readFileSync(`/proc/${each}/cmdline`, 'utf8').includes('generateKeyPairSync'));
  await until(() => generating().length > 0);
  for (const each of generating()) process.kill(each, 'SIGSTOP');
}

const start = async () => readyServer(await testDatabase());

test.skipIf(!isLinux)('a server whose clients have gone generates no more keys for them', async () => {
  const server = await start();
  const documents = sendDocuments(server, 20);
  await pause(500);
  documents.leave();
  await documents.ended;
  // Queued behind all remaining work of those clients.
  const created = await rest(server.url, 'POST', '/ssh_certificate_authorities', {
    private_key_type: 'rsa',
  });
  expect(created.status).toBe(201);
  const before = processorMs(server);
  await pause(1_500);
  expect(processorMs(server) - before).toBeLessThan(500);
});

test.skipIf(!isLinux)('SIGTERM ends a server as soon as the clients have gone that its work was for', async () => {
  const server = await start();
  const documents = sendDocuments(server, 20);
  await holdKey(server);
  server.child.kill('SIGTERM');
  await pause(500);
  documents.leave();
  const begun = performance.now();
  const code = await server.ended;
  expect(performance.now() - begun).toBeLessThan(8_000);
  expect(code).toBe(0);
  expect(server.printed.errors).toContain('"msg":"stopped"');
  expect(server.printed.errors).not.toContain('"msg":"request failed"');
});

test.skipIf(!isLinux)('SIGTERM cuts off work that would take longer than 10 seconds', async () => {
  const server = await start();
  const documents = sendDocuments(server, 20);
  await holdKey(server);
  const begun = performance.now();
  server.child.kill('SIGTERM');
  const [code, outcomes] = await Promise.all([server.ended, documents.ended]);
  // The work would never end. The limit leaves room for a busy machine.
  expect(performance.now() - begun).toBeLessThan(20_000);
  expect(code).toBe(0);
  expect(outcomes).toContain('broken');
  expect(server.printed.errors).toContain('"msg":"stopped"');
  expect(server.printed.errors).not.toContain('"msg":"request failed"');
});
