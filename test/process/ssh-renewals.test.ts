// Renewals of host certificates whose server is killed at any moment, even between storing and answering.

import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { testDatabase } from '../support/database.ts';
import { createProvingHost, type ProvingHost } from '../support/proving-host.ts';
import { apiKey, readyServer, rest } from './support.ts';

const dayMs = 86_400_000;
const hostCount = 24;
/** Number of kills, each after `toldBeforeKill` more hosts have their answers. */
const kills = 3;
const toldBeforeKill = 4;

/** Sends a POST without an API key. Returns null if no answer arrives. */
async function post(url: string, path: string, body: object) {
  try {
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'Service-Version': '2', 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    // Every answer of ours has this form.
    return { status: response.status, body: (await response.json()) as Record<string, string> };
  } catch {
    return null;
  }
}

/**
 * Renews as a host does that knows nothing about earlier attempts. Returns the id of its certificate, or null without an answer.
 */
async function renew(url: string, id: string, host: ProvingHost): Promise<string | null> {
  const asked = await post(url, '/ssh_challenges', { ssh_host_certificate_id: id });
  if (asked === null) return null;
  const { challenge = '' } = asked.body;
  const proof = { challenge, signature: host.sign('sallyport-renew', challenge) };
  const answer = await post(url, `/ssh_host_certificates/${id}/renew`, proof);
  if (answer === null) return null;
  expect([answer.status, answer.body.msg]).toEqual([201, undefined]);
  return answer.body.id ?? null;
}

test('make one certificate for each host, which is the one that it is told of', async () => {
  const database = await testDatabase();
  const start = () => readyServer(database, { BASE_URL: 'https://sallyport.test' });
  let server = await start();
  const create = async (path: string, body: object): Promise<string> => {
    const response = await rest(server.url, 'POST', path, body);
    // Every created object has this form.
    return ((await response.json()) as { id: string }).id;
  };
  const authority = await create('/ssh_certificate_authorities', {});
  const hosts = new Map<string, ProvingHost>();
  for (let count = 0; count < hostCount; count += 1) {
    const host = createProvingHost();
    const id = await create('/ssh_host_certificates', {
      ssh_certificate_authority_id: authority,
      public_key: host.publicKey,
      valid_after: new Date(Date.now() - 80 * dayMs).toISOString(),
      valid_until: new Date(Date.now() + 10 * dayMs).toISOString(),
    });
    hosts.set(id, host);
  }
  const told = new Map<string, string>();
  /** Renews the certificates of all hosts that have no answer yet, while the server runs. */
  const renewAll = (url: string) =>
    Promise.all(
      [...hosts].map(async ([id, host]) => {
        if (told.has(id)) return;
        const latest = await renew(url, id, host);
        if (latest !== null) told.set(id, latest);
      }),
    );
  for (let kill = 1; kill <= kills; kill += 1) {
    const renewing = renewAll(server.url);
    while (told.size < kill * toldBeforeKill) await pause(1);
    server.child.kill('SIGKILL');
    await server.ended;
    await renewing;
    server = await start();
  }
  await renewAll(server.url);
  expect(told.size).toBe(hostCount);
  // A host that asks again gets the same answer.
  for (const [id, host] of hosts) expect(await renew(server.url, id, host)).toBe(told.get(id));

  const query = '{ sshHostCertificates(first: 100) { nodes { id replacedById } } }';
  const response = await fetch(`${server.url}/graphql`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ query }),
  });
  // The form that the query asks for.
  const { data } = (await response.json()) as {
    data: { sshHostCertificates: { nodes: { id: string; replacedById: string | null }[] } };
  };
  const replaced = new Map(data.sshHostCertificates.nodes.map(({ id, replacedById }) => [id, replacedById]));
  expect(replaced.size).toBe(2 * hostCount);
  expect([...hosts.keys()].map((id) => replaced.get(id))).toEqual([...hosts.keys()].map((id) => told.get(id)));
});
