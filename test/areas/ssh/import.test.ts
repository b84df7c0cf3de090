// Certificate authorities with an imported private key.

import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { importSshCertificateAuthority } from '../../../src/areas/ssh/authorities/import-store.ts';
import { commandLine } from '../../../src/storage/trail/origin.ts';
import { dataOf } from '../../support/answers.ts';
import { contentsOf, openClient } from '../../support/database.ts';
import { missingOpenssh, printCertificates } from '../../support/openssh.ts';
import { startService, type TestService } from '../../support/service.ts';
import { hostKeys } from '../../support/ssh.ts';

let shared: TestService;
let service: TestService;
let accountId: string;
beforeAll(async () => {
  shared = await startService();
});
beforeEach(async () => {
  service = await shared.asNewAccount();
  accountId = dataOf(await service.graphql('{ viewer { account { id } } }')).viewer.account.id;
});

const scope = () => shared.storage.actingFor(accountId, commandLine);
const bring = (privateKey: string, notes: object = {}) =>
  importSshCertificateAuthority(scope(), { privateKey, passphrase: '', ...notes });
const pem = (type: 'ed25519' | 'p256' | 'rsa') =>
  (type === 'ed25519'
    ? generateKeyPairSync('ed25519')
    : type === 'rsa'
      ? generateKeyPairSync('rsa', { modulusLength: 2048 })
      : generateKeyPairSync('ec', { namedCurve: 'P-256' })
  ).privateKey
    .export({ type: 'pkcs8', format: 'pem' })
    .toString();

describe.skipIf(missingOpenssh !== null)('what an imported authority signs', () => {
  test.each(['ed25519', 'p256', 'rsa'] as const)('is accepted by ssh-keygen, with a key of %s', async (type) => {
    const authority = await bring(pem(type), { description: 'from the safe' });
    const { body } = await service.rest('GET', `/ssh_certificate_authorities/${authority.id}`);
    expect(body).toMatchObject({ public_key: authority.publicKey, description: 'from the safe' });
    const request = {
      ssh_certificate_authority_id: authority.id,
      public_key: hostKeys.ed25519,
      principals: ['a.test'],
    };
    const { certificate } = (await service.rest('POST', '/ssh_host_certificates', request)).body;
    const directory = mkdtempSync(join(tmpdir(), 'sallyport-import-'));
    const file = join(directory, 'host-cert.pub');
    writeFileSync(file, `${certificate}\n`);
    const printed = await printCertificates(file);
    rmSync(directory, { recursive: true });
    const { fingerprint } = dataOf(
      await service.graphql(`{ sshCertificateAuthority(id: "${authority.id}") { fingerprint } }`),
    ).sshCertificateAuthority;
    expect(printed).toContain(`Signing CA: ${type === 'p256' ? 'ECDSA' : type.toUpperCase()} ${fingerprint}`);
  });
});

test('the same key is imported once into an account', async () => {
  const key = pem('ed25519');
  const { id, publicKey } = await bring(key);
  const { fingerprint } = dataOf(
    await service.graphql(`{ sshCertificateAuthority(id: "${id}") { fingerprint } }`),
  ).sshCertificateAuthority;
  await expect(bring(key)).rejects.toMatchObject({
    code: 'DUPLICATE',
    field: 'privateKey',
    message: `is the key of the certificate authority without description (${id}) already (${fingerprint}). Go on with that authority.`,
  });
  // Another account may import it as well, as in a move from one account to another.
  accountId = dataOf(await (await service.otherAccount('other')).graphql('{ viewer { account { id } } }')).viewer
    .account.id;
  expect((await bring(key)).publicKey).toBe(publicKey);
});

test('of imports of one key at the same time, one is made', async () => {
  const key = pem('ed25519');
  const made = await Promise.allSettled(Array.from({ length: 5 }, () => bring(key)));
  expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(made.flatMap((one) => (one.status === 'rejected' ? [one.reason.code] : []))).toEqual(
    Array(4).fill('DUPLICATE'),
  );
});

test('can be replaced: its successor has a key of a size that is made here', async () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2056 });
  const { id } = await bring(privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
  const name = 'announceSshCertificateAuthoritySuccessor';
  const mutation = `mutation { ${name}(input: { id: "${id}" }) { sshCertificateAuthority { publicKey } } }`;
  const { publicKey } = dataOf(await service.graphql(mutation))[name].sshCertificateAuthority;
  expect(Buffer.from(publicKey.split(' ')[1], 'base64')).toHaveLength(407); // RSA of 3072 bits
});

test('neither the database nor an error has the key', async () => {
  const { privateKey } = generateKeyPairSync('ed25519');
  const { d = '' } = privateKey.export({ format: 'jwk' });
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const [, base64 = ''] = key.split('\n');
  const { id } = await bring(key);
  const refused = await Promise.allSettled([bring(key), bring(key.replace('MC4C', 'MC4D')), bring(base64)]);
  const said = refused.map((one) => (one.status === 'rejected' ? `${one.reason.stack} ${one.reason.cause ?? ''}` : ''));
  expect(said.every((text) => text !== '')).toBe(true);
  const events = await (await openClient(service.database)).auditEvent.findMany({ where: { objectId: id } });
  const contents = [
    await contentsOf(service.database),
    Buffer.from(JSON.stringify([said, events.map(({ state }) => state)])),
  ];
  const seed = Buffer.from(d, 'base64url');
  for (const secret of [seed, seed.toString('hex'), d, seed.toString('base64'), base64]) {
    expect(contents.map((content) => content.includes(secret))).toEqual([false, false]);
  }
});
