// What `authority-key.ts` and `signature.ts` promise: options, new keys, and signatures in wire form.

import { inspect } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  type AuthorityKey,
  type AuthorityOptions,
  checkAuthorityOptions,
  type GeneratedAuthorityKey,
  openAuthorityKey,
} from '../../../../src/areas/ssh/authorities/authority-key.ts';
import { parsePublicKey } from '../../../../src/areas/ssh/keys/public-key.ts';
import { signMessage, verifyMessage } from '../../../../src/areas/ssh/keys/signature.ts';
import { encodeString, WireReader } from '../../../../src/areas/ssh/keys/wire.ts';
import type { KeyKind } from '../../../../src/domain/access/key-kind.ts';
import { generateAuthorityKey } from '../../../support/keys.ts';

describe('checkAuthorityOptions', () => {
  it.each<[string, AuthorityOptions, KeyKind]>([
    ['nothing', {}, { privateKeyType: 'ed25519' }],
    ['nulls', { privateKeyType: null, ellipticCurve: null, keySize: null }, { privateKeyType: 'ed25519' }],
    ['ed25519', { privateKeyType: 'ed25519' }, { privateKeyType: 'ed25519' }],
    ['ecdsa', { privateKeyType: 'ecdsa' }, { privateKeyType: 'ecdsa', ellipticCurve: 'p256' }],
    ['a curve', { privateKeyType: 'ecdsa', ellipticCurve: 'p521' }, { privateKeyType: 'ecdsa', ellipticCurve: 'p521' }],
    ['rsa', { privateKeyType: 'rsa' }, { privateKeyType: 'rsa', keySize: 4096 }],
    ['a size', { privateKeyType: 'rsa', keySize: 3072 }, { privateKeyType: 'rsa', keySize: 3072 }],
  ])('ok/%s', (_, options, kind) => {
    expect(checkAuthorityOptions(options)).toEqual(kind);
  });

  const curveWithout = (type: string) => `must be omitted for a key of type ${type}: only ecdsa has a curve.`;
  const sizeWithout = (type: string) => `must be omitted for a key of type ${type}: only rsa has a size to choose.`;
  it.each<[string, AuthorityOptions, string, string]>([
    ['an unknown type', { privateKeyType: 'dsa' }, 'privateKeyType', 'must be one of ed25519, ecdsa, rsa.'],
    [
      'a property of objects',
      { privateKeyType: 'constructor' },
      'privateKeyType',
      'must be one of ed25519, ecdsa, rsa.',
    ],
    ['capitals', { privateKeyType: 'RSA' }, 'privateKeyType', 'must be one of ed25519, ecdsa, rsa.'],
    [
      'an unknown curve',
      { privateKeyType: 'ecdsa', ellipticCurve: 'nistp256' },
      'ellipticCurve',
      'must be one of p256, p384, p521.',
    ],
    ['an unknown size', { privateKeyType: 'rsa', keySize: 1024 }, 'keySize', 'must be one of 2048, 3072, 4096.'],
    ['a curve for the default type', { ellipticCurve: 'p256' }, 'ellipticCurve', curveWithout('ed25519')],
    ['a curve for rsa', { privateKeyType: 'rsa', ellipticCurve: 'p256' }, 'ellipticCurve', curveWithout('rsa')],
    ['a size for the default type', { keySize: 2048 }, 'keySize', sizeWithout('ed25519')],
    ['a size for ecdsa', { privateKeyType: 'ecdsa', keySize: 256 }, 'keySize', sizeWithout('ecdsa')],
  ])('refuses %s', (_, options, field, message) => {
    expect(() => checkAuthorityOptions(options)).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT', field, message }),
    );
  });
});

describe.each<[string, KeyKind, string, string]>([
  ['ed25519', { privateKeyType: 'ed25519' }, 'ssh-ed25519', 'ssh-ed25519'],
  ['p256', { privateKeyType: 'ecdsa', ellipticCurve: 'p256' }, 'ecdsa-sha2-nistp256', 'ecdsa-sha2-nistp256'],
  ['p384', { privateKeyType: 'ecdsa', ellipticCurve: 'p384' }, 'ecdsa-sha2-nistp384', 'ecdsa-sha2-nistp384'],
  ['p521', { privateKeyType: 'ecdsa', ellipticCurve: 'p521' }, 'ecdsa-sha2-nistp521', 'ecdsa-sha2-nistp521'],
  ['rsa', { privateKeyType: 'rsa', keySize: 2048 }, 'ssh-rsa', 'rsa-sha2-512'],
])('an authority with a key of kind %s', (_, kind, algorithm, signatureName) => {
  const message = Buffer.from('a certificate');
  let generated: GeneratedAuthorityKey;
  let authority: AuthorityKey;
  beforeAll(async () => {
    generated = await generateAuthorityKey(kind);
    authority = openAuthorityKey(generated.pkcs8Der);
  });

  it('has one public key in every form', () => {
    const { blob } = parsePublicKey(generated.publicKeyLine);
    expect(generated.publicKeyLine).toBe(`${algorithm} ${blob.toString('base64')}`);
    expect(generated.publicKeyBlob).toEqual(blob);
    expect(authority).toMatchObject({ algorithm, publicKeyBlob: blob });
  });

  it('shows nothing of its private key when it is printed', () => {
    const secret = generated.pkcs8Der.subarray(-16);
    const printed = inspect(authority, { depth: 9, showHidden: true }) + JSON.stringify(authority);
    expect(printed).not.toContain(secret.toString('hex'));
    expect(Object.keys(authority.signer)).toEqual([]);
  });

  it('signs and verifies, under the name that OpenSSH accepts', async () => {
    const signature = await signMessage(authority, message);
    expect(new WireReader(signature).readString().toString()).toBe(signatureName);
    expect(await verifyMessage(authority, message, signature)).toBe(true);
    expect(await verifyMessage(authority, Buffer.from('another'), signature)).toBe(false);
  });

  it('finds every flipped, missing and added byte of a signature', async () => {
    const signature = await signMessage(authority, message);
    const damaged = [signature.subarray(0, -1), Buffer.concat([signature, Buffer.of(0)]), Buffer.alloc(0)];
    for (let index = 0; index < signature.length; index++) {
      const copy = Buffer.from(signature);
      copy[index] = (copy[index] ?? 0) ^ 1;
      damaged.push(copy);
    }
    const verdicts = await Promise.all(damaged.map((bytes) => verifyMessage(authority, message, bytes)));
    expect(verdicts).toEqual(damaged.map(() => false));
  });
});

describe('a key that cannot be one of an authority', () => {
  it('is not opened when its bytes are no PKCS#8 key', () => {
    expect(() => openAuthorityKey(Buffer.from('nonsense'))).toThrow();
  });

  it('does not sign under an algorithm without a scheme', async () => {
    const { pkcs8Der } = await generateAuthorityKey({ privateKeyType: 'ed25519' });
    const authority = { ...openAuthorityKey(pkcs8Der), algorithm: 'ssh-dss' };
    await expect(signMessage(authority, encodeString(''))).rejects.toThrow('no signature scheme');
  });
});
