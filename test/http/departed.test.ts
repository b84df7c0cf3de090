// A client leaves before it has its answer: work that nobody waits for is not done.

import { beforeAll, expect, test } from 'vitest';
import { generatePrivateKey } from '../../src/storage/keys/key-generation.ts';
import { type Client, startService, type TestService } from '../support/service.ts';

let service: TestService;
let other: Client;
beforeAll(async () => {
  // Keys that take their time.
  service = await startService({}, { makePrivateKey: generatePrivateKey });
  other = await service.otherAccount('other');
});

const pause = () => new Promise((resolve) => setTimeout(resolve, 5));

/** Sends a request, and leaves once a condition holds. Returns whether that was before the answer came. */
async function sendAndLeave(path: string, body: object, isTime: () => boolean | Promise<boolean>): Promise<boolean> {
  const client = new AbortController();
  const answer = fetch(`${service.url}${path}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${service.token}`, 'Service-Version': '2', 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
    signal: client.signal,
  }).then(
    () => false,
    () => client.signal.aborted,
  );
  while (!(await isTime())) await pause();
  client.abort();
  return answer;
}

/** Returns whether an RSA key is being generated, which takes a separate process. */
const isGenerating = () => process.getActiveResourcesInfo().includes('ProcessWrap');

/** Counts the objects of the account after another account has got a key, so that everything queued before it is over. */
async function counts() {
  const key = await other.rest('POST', '/ssh_certificate_authorities', { private_key_type: 'rsa', key_size: 2048 });
  expect(key.status).toBe(201);
  const { data } = await service.graphql(
    '{ sshCertificateAuthorities { totalCount } ipPolicies { totalCount } httpsEdges { totalCount } }',
  );
  return Object.values<{ totalCount: number }>(data).map(({ totalCount }) => totalCount);
}

test('of a GraphQL document, neither the key that is being generated nor any change after it is made', async () => {
  const query = `mutation {
    createHttpsEdge(input: {}) { __typename }
    first: createSshCertificateAuthority(input: { privateKeyType: rsa }) { __typename }
    second: createSshCertificateAuthority(input: { privateKeyType: rsa }) { __typename }
    createIpPolicy(input: {}) { __typename }
  }`;
  expect(await sendAndLeave('/graphql', { query }, isGenerating)).toBe(true);
  expect(await counts()).toEqual([0, 0, 1]);
});

test('of a REST request, the key is not made', async () => {
  const body = { private_key_type: 'rsa' };
  expect(await sendAndLeave('/ssh_certificate_authorities', body, isGenerating)).toBe(true);
  expect(await counts()).toEqual([0, 0, 1]);
});

test('of many changes in a document, those that have not begun are not made', async () => {
  const changes = Array.from({ length: 150 }, (_, index) => `a${index}: createTlsEdge(input: {}) { __typename }`);
  const query = `mutation { ${changes.join(' ')} }`;
  const count = async (): Promise<number> =>
    (await service.graphql('{ tlsEdges { totalCount } }')).data.tlsEdges.totalCount;
  // On a busy machine, all of them may be made before this client hears of the first. Then it tries again.
  let made = changes.length;
  for (let tries = 0; made === changes.length && tries < 20; tries += 1) {
    const before = await count();
    await sendAndLeave('/graphql', { query }, async () => (await count()) > before);
    made = -1;
    for (let seen = (await count()) - before; made !== seen; seen = (await count()) - before) {
      made = seen;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
  expect(made).toBeLessThan(changes.length);
});
