// The file by which clients trust the authorities of an account, served without an API key.

import { beforeAll, beforeEach, expect, test } from 'vitest';
import { dataOf } from '../../support/answers.ts';
import { send } from '../../support/send.ts';
import { startService, startTime, type TestService } from '../../support/service.ts';

let shared: TestService;
let service: TestService;
let url: string;
let accountId: string;
beforeAll(async () => {
  shared = await startService({ baseUrl: null });
});
beforeEach(async () => {
  service = await shared.asNewAccount();
  const { account } = dataOf(await service.graphql('{ viewer { account { id sshKnownHostsUrl } } }')).viewer;
  accountId = account.id;
  url = account.sshKnownHostsUrl;
});

/** Creates an authority on the given day, so that authorities have an order. */
async function newAuthority(day: number): Promise<{ id: string; public_key: string }> {
  service.setTime(new Date(startTime.getTime() + day * 86_400_000));
  return (await service.rest('POST', '/ssh_certificate_authorities')).body;
}
const step = async (name: string, id: string) => {
  const mutation = `mutation { ${name}(input: { id: "${id}" }) { sshCertificateAuthority { id publicKey } } }`;
  return dataOf(await service.graphql(mutation))[name].sshCertificateAuthority;
};

test('it has a line for each authority that has not retired, the oldest first', async () => {
  const none = await fetch(url);
  expect([none.status, none.headers.get('Content-Type'), await none.text()]).toEqual([
    200,
    expect.stringMatching(/^text\/plain/),
    `# SSH certificate authorities of ${accountId}\n`,
  ]);
  const [first, second] = [await newAuthority(1), await newAuthority(2)];
  service.setTime(new Date(startTime.getTime() + 3 * 86_400_000));
  const successor = await step('announceSshCertificateAuthoritySuccessor', first.id);
  const lines = [
    `# SSH certificate authorities of ${accountId}`,
    `# ${first.id}`,
    `@cert-authority * ${first.public_key}`,
    `# ${second.id}`,
    `@cert-authority * ${second.public_key}`,
    `# ${successor.id}`,
    `@cert-authority * ${successor.publicKey}`,
  ];
  const text = async () => (await fetch(url)).text();
  expect(await text()).toBe(`${lines.join('\n')}\n`);
  // Clients still encounter certificates of the first authority.
  await step('handOverSshCertificateAuthority', first.id);
  expect(await text()).toBe(`${lines.join('\n')}\n`);
  await step('retireSshCertificateAuthority', first.id);
  expect(await text()).toBe(`${[lines[0], ...lines.slice(3)].join('\n')}\n`);
});

test('it has a tag, by which asking again costs nothing', async () => {
  await newAuthority(1);
  const tag = (await fetch(url)).headers.get('ETag') ?? '';
  // Not with `fetch`, which would ask for a fresh copy.
  const ask = async () => (await send(url, { headers: { 'If-None-Match': tag } })).status;
  expect([tag, await ask()]).toEqual([expect.stringMatching(/^"[\w-]{43}"$/), 304]);
  await newAuthority(2);
  expect(await ask()).toBe(200);
});

test('it has nothing of another account', async () => {
  const other = await service.otherAccount('other');
  const { body } = await other.rest('POST', '/ssh_certificate_authorities');
  expect(await (await fetch(url)).text()).not.toContain(body.public_key);
});

test.each([
  ['an account that never was', `acct_${'0'.repeat(26)}`, 404],
  ['another kind of object', `sshca_${'0'.repeat(26)}`, 404],
  ['nonsense', '%00', 404],
])('there is none for %s', async (_, id, status) => {
  expect((await fetch(`${shared.url}/ssh/known_hosts/${id}`)).status).toBe(status);
});

test('it cannot be written', async () => {
  const { status, headers } = await fetch(url, { method: 'POST' });
  expect([status, headers.get('Allow')]).toEqual([405, 'HEAD, GET, OPTIONS']);
});
