// CPU-heavy work is shared between accounts: an account with many requests waits behind its own.

import { beforeAll, describe, expect, test } from 'vitest';
import { createSshCertificateAuthority } from '../../../src/areas/ssh/authorities/authority-store.ts';
import { createSshHostCertificate } from '../../../src/areas/ssh/certificates/certificate-store.ts';
import { generatePrivateKey } from '../../../src/storage/keys/key-generation.ts';
import type { AccountScope } from '../../../src/storage/objects/account-scope.ts';
import { commandLine } from '../../../src/storage/trail/origin.ts';
import { startService, type TestService } from '../../support/service.ts';
import { hostKeys } from '../../support/ssh.ts';

const rsa = (keySize: number) => ({ privateKeyType: 'rsa', keySize });

let service: TestService;
/** An account with many requests, and one with few. */
let greedy: AccountScope;
let modest: AccountScope;
/** An RSA-4096 authority of the greedy account. */
let slow: { id: string };
beforeAll(async () => {
  // Taking turns matters for keys that are slow to generate.
  service = await startService({}, { makePrivateKey: generatePrivateKey });
  const scopeOf = async (name: string) =>
    service.storage.actingFor((await service.storage.accounts.create(name, commandLine)).id, commandLine);
  greedy = await scopeOf('greedy');
  modest = await scopeOf('modest');
  slow = await createSshCertificateAuthority(greedy, rsa(4096));
});

const sign = (scope: AccountScope, { id }: { id: string }, signal?: AbortSignal) =>
  createSshHostCertificate(scope, { sshCertificateAuthorityId: id, publicKey: hostKeys.ed25519 }, signal);

/** Creates one client per request; all clients can disconnect at once. */
function clients(count: number) {
  const controllers = Array.from({ length: count }, () => new AbortController());
  return {
    signals: controllers.map(({ signal }) => signal),
    leave: () => {
      for (const controller of controllers) controller.abort(new Error('gone'));
    },
  };
}

describe('certificates that an RSA-4096 authority is to sign for one account', () => {
  test.each([
    ['ed25519', {}],
    ['p521', { privateKeyType: 'ecdsa', ellipticCurve: 'p521' }],
    ['RSA-2048', rsa(2048)],
  ])('keep no other account waiting for one of an %s authority', async (_, options) => {
    const authority = await createSshCertificateAuthority(modest, options);
    await sign(modest, authority);
    let signed = 0;
    const { signals, leave } = clients(300);
    const many = signals.map(async (signal) => {
      await sign(greedy, slow, signal);
      signed += 1;
    });
    const ahead = await sign(modest, authority).then(() => signed);
    leave();
    await Promise.allSettled(many);
    // Signatures that had already begun, and those created while the certificate was stored.
    expect(ahead).toBeLessThan(20);
    expect(signed).toBeGreaterThan(0);
  });

  test('are refused beyond a thousand that wait, and dropped when their clients leave', async () => {
    const authority = await createSshCertificateAuthority(modest, rsa(2048));
    const { signals, leave } = clients(1_100);
    const many = signals.map((signal) =>
      sign(greedy, slow, signal).then(
        () => 'signed',
        ({ code, message }) => code ?? message,
      ),
    );
    expect(await sign(modest, authority)).toMatchObject({ keyType: 'ed25519' });
    leave();
    const outcomes = await Promise.all(many);
    const count = (outcome: string) => outcomes.filter((other) => other === outcome).length;
    expect(count('signed') + count('gone') + count('UNAVAILABLE')).toBe(1_100);
    expect(count('gone')).toBeGreaterThan(900);
    expect(count('UNAVAILABLE')).toBeGreaterThan(50);
  });
});

test('keys that one account waits for neither refuse nor delay those of another', async () => {
  const finished: string[] = [];
  const create = (scope: AccountScope, name: string, options: object, signal?: AbortSignal) =>
    createSshCertificateAuthority(scope, options, signal).then(
      () => finished.push(name),
      ({ code, message }) => finished.push(code ?? message),
    );
  const count = (outcome: string) => finished.filter((other) => other === outcome).length;
  const { signals, leave } = clients(40);
  const many = signals.map((signal) => create(greedy, 'greedy', rsa(2048), signal));
  const greedyBefore = await create(modest, 'modest', {}).then(() => count('greedy'));
  await create(modest, 'modest', rsa(2048));
  expect(count('UNAVAILABLE')).toBe(7);
  expect(greedyBefore).toBeLessThan(2);
  expect(count('greedy')).toBeLessThan(4);
  leave();
  await Promise.all(many);
  expect(count('gone')).toBeGreaterThan(28);
});

test('a request that ends before it is signed leaves the opened key of its authority to others', async () => {
  let opened = 0;
  const counting: AccountScope = {
    ...modest,
    secrets: {
      ...modest.secrets,
      open(sealed, owner) {
        opened += 1;
        return modest.secrets.open(sealed, owner);
      },
    },
  };
  const authority = await createSshCertificateAuthority(modest, {});
  await sign(counting, authority);
  await expect(sign(counting, authority, AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
  await sign(counting, authority);
  expect(opened).toBe(1);
});
