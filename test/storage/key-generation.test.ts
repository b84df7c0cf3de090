// Private keys are generated off the event loop, and only while somebody waits for them.

import { describe, expect, test } from 'vitest';
import { generatePrivateKey } from '../../src/storage/keys/key-generation.ts';

const until = async (condition: () => boolean) => {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
};
const hasProcess = () => process.getActiveResourcesInfo().includes('ProcessWrap');

describe('generatePrivateKey', () => {
  test.each([
    [{ privateKeyType: 'ed25519' }, 'ed25519', {}],
    [{ privateKeyType: 'ecdsa', ellipticCurve: 'p256' }, 'ec', { namedCurve: 'prime256v1' }],
    [{ privateKeyType: 'ecdsa', ellipticCurve: 'p384' }, 'ec', { namedCurve: 'secp384r1' }],
    [{ privateKeyType: 'ecdsa', ellipticCurve: 'p521' }, 'ec', { namedCurve: 'secp521r1' }],
    [{ privateKeyType: 'rsa', keySize: 2048 }, 'rsa', { modulusLength: 2048, publicExponent: 65537n }],
    [{ privateKeyType: 'rsa', keySize: 3072 }, 'rsa', { modulusLength: 3072, publicExponent: 65537n }],
  ] as const)('gives a private key of the kind that is asked for: %o', async (kind, type, details) => {
    const { type: half, asymmetricKeyType, asymmetricKeyDetails } = await generatePrivateKey(kind);
    expect([half, asymmetricKeyType, asymmetricKeyDetails]).toEqual(['private', type, details]);
  });

  test('leaves the event loop free', async () => {
    let turns = 0;
    const counting = setInterval(() => {
      turns += 1;
    }, 1);
    await Promise.all([1, 2, 3].map(() => generatePrivateKey({ privateKeyType: 'rsa', keySize: 2048 })));
    clearInterval(counting);
    expect(turns).toBeGreaterThan(5);
  });

  test('ends the process that generates an RSA key once the client has gone', async () => {
    const client = new AbortController();
    const key = generatePrivateKey({ privateKeyType: 'rsa', keySize: 4096 }, client.signal);
    expect(hasProcess()).toBe(true);
    client.abort(new Error('gone'));
    await expect(key).rejects.toThrow('gone');
    await until(() => !hasProcess());
    await expect(generatePrivateKey({ privateKeyType: 'rsa', keySize: 2048 }, client.signal)).rejects.toThrow('gone');
  });
});
