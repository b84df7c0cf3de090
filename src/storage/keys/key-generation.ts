// Generates private keys: off the event loop, for accounts in turn, and not for clients that have gone.

import { execFile } from 'node:child_process';
import { createPrivateKey, generateKeyPair, type KeyObject } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { KeyKind } from '../../domain/access/key-kind.ts';
import { createWorkQueue } from '../../domain/concurrency/work-queue.ts';

// Generating an RSA key occupies a processor for up to seconds: only one is generated at a time, and no other key waits behind it.
const rsaKeys = createWorkQueue({ atOnce: 1, waitingMax: 32 });
const otherKeys = createWorkQueue({ atOnce: 1, waitingMax: 1_000 });

/** Where the private keys of an open database come from. */
export interface KeyMaking {
  /** Generates a private key; `generatePrivateKey` by default. Tests that are not about keys supply ready-made ones. */
  readonly makePrivateKey?: typeof generatePrivateKey | undefined;
}

/**
 * Generates a private key when it is the turn of the account.
 *
 * @throws UNAVAILABLE if too many keys of this account are waiting, and as `generatePrivateKey` does
 */
export function generateInTurn(
  { accountId, makePrivateKey = generatePrivateKey }: KeyMaking & { readonly accountId: string },
  kind: KeyKind,
  signal?: AbortSignal,
): Promise<KeyObject> {
  const queue = kind.privateKeyType === 'rsa' ? rsaKeys : otherKeys;
  return queue.run(accountId, () => makePrivateKey(kind, signal), signal);
}

const generateHere = promisify(generateKeyPair);
const opensslCurves = { p256: 'P-256', p384: 'P-384', p521: 'P-521' } as const;

/**
 * Generates a private key off the event loop; RSA of 4096 bits takes about a second.
 *
 * @throws the reason of the signal, which ends the generation of an RSA key at once
 */
export async function generatePrivateKey(kind: KeyKind, signal?: AbortSignal): Promise<KeyObject> {
  switch (kind.privateKeyType) {
    case 'ed25519':
      return (await generateHere('ed25519')).privateKey;
    case 'ecdsa':
      return (await generateHere('ec', { namedCurve: opensslCurves[kind.ellipticCurve] })).privateKey;
    case 'rsa':
      return generateRsa(kind.keySize, signal);
  }
}

/** Milliseconds before the next RSA key is begun after one was abandoned because its client had gone. */
const departureMs = 100;

const run = promisify(execFile);

/**
 * The program of the process that generates an RSA key. It prints the key unencrypted, into a pipe that only this process reads.
 */
const program = `
  const { privateKey } = require('node:crypto').generateKeyPairSync('rsa', { modulusLength: Number(process.argv[1]) });
  process.stdout.write(privateKey.export({ type: 'pkcs8', format: 'der' }));
`;

/**
 * Generates an RSA key in a separate process, which takes 50 ms longer than a thread. But a thread cannot be stopped: it would go
 * on for a client that has gone, and a process that is about to exit waits for its threads, whatever they do (measured).
 */
async function generateRsa(bits: number, signal: AbortSignal | undefined): Promise<KeyObject> {
  try {
    // None of our environment: it may hold secrets and options of Node.
    const options = { encoding: 'buffer', env: {}, killSignal: 'SIGKILL', signal } as const;
    const { stdout } = await run(process.execPath, ['-e', program, String(bits)], options);
    return createPrivateKey({ key: stdout, format: 'der', type: 'pkcs8' });
  } catch (error) {
    // Without the pause, a client that leaves again and again would have processes started without end, each of which takes some
    // milliseconds.
    if (signal?.aborted === true) await pause(departureMs);
    signal?.throwIfAborted();
    throw error;
  }
}
