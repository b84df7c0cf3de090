// Checks a pasted public key before it is signed.

import { beforeAll, describe, expect, test } from 'vitest';
import { dataOf, errorOf } from '../../support/answers.ts';
import { createClient, startService, type TestService } from '../../support/service.ts';
import { hostKeys } from '../../support/ssh.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});

const query = `query ($publicKey: String!) {
  checkSshPublicKey(publicKey: $publicKey) { keyType bits fingerprint comment error } }`;
const check = async (publicKey: string) => dataOf(await service.graphql(query, { publicKey })).checkSshPublicKey;

describe('checkSshPublicKey', () => {
  test.each([
    ['ed25519', 'ed25519', 256],
    ['p256', 'ecdsa', 256],
    ['p384', 'ecdsa', 384],
    ['p521', 'ecdsa', 521],
    ['rsa', 'rsa', 2048],
  ] as const)('tells what a key of %s is', async (name, keyType, bits) => {
    expect(await check(hostKeys[name])).toEqual({
      keyType,
      bits,
      fingerprint: expect.stringMatching(/^SHA256:[\w+/]{43}$/),
      comment: null,
      error: null,
    });
  });

  test('names the key as OpenSSH does, and keeps its comment', async () => {
    // As `ssh-keygen -l` prints it.
    expect(await check(`  ${hostKeys.ed25519}\troot@web 1\n`)).toEqual({
      keyType: 'ed25519',
      bits: 256,
      fingerprint: 'SHA256:Ozy4ZXoGC8SWYI7CFlU/0sqNsCo+p5m0ZxXK3LKABCA',
      comment: 'root@web 1',
      error: null,
    });
  });

  test('keeps a comment with a line separator, which no pattern looks for again and again', async () => {
    expect((await check(`${hostKeys.ed25519}${' '.repeat(8_000)}\u2028a`)).comment).toBe('\u2028a');
  });

  test.each([
    ['nothing', '', 'must not be empty. Send the content of a .pub file, such as ssh_host_ed25519_key.pub.'],
    [
      'a private key',
      '-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjE=\n-----END OPENSSH PRIVATE KEY-----',
      'must be a public key, but this is a private key. It was not stored; treat it as disclosed and generate a new ' +
        'pair. Send the content of the .pub file.',
    ],
    [
      'a key that was cut short',
      hostKeys.ed25519.slice(0, -4),
      'must be a valid key; this one is cut short or damaged. Copy the whole line again.',
    ],
    [
      'more than a line',
      `${hostKeys.ed25519}\n${hostKeys.p256}`,
      'must be one line with one key. Send each key separately, and join a key that was wrapped.',
    ],
  ])('says of %s why it cannot be signed, as signing does', async (_what, publicKey, error) => {
    expect(await check(publicKey)).toEqual({ keyType: null, bits: null, fingerprint: null, comment: null, error });
    const { body } = await service.rest('POST', '/ssh_certificate_authorities', {});
    const request = { ssh_certificate_authority_id: body.id, public_key: publicKey };
    const signed = await service.rest('POST', '/ssh_host_certificates', request);
    expect([signed.status, signed.body.msg]).toEqual([400, `public_key: ${error}`]);
  });

  test('is not for keys without the right to read what SSH is about', async () => {
    const { token } = (await service.rest('POST', '/api_keys', { scopes: ['ssh:enroll'] })).body;
    expect(errorOf(await createClient(service.url, token).graphql(query, { publicKey: '' }))?.code).toBe('FORBIDDEN');
  });
});
