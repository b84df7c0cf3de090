// Generates private keys: aside, for one account after the other, and for nobody who has gone.

import { execFile } from 'node:child_process';
import { createPrivateKey, generateKeyPair, type KeyObject } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { AuthorityKind } from '../domain/ssh/certificate-authority.ts';
import { createWorkQueue } from '../domain/work-queue.ts';
import type { AccountScope } from './account-scope.ts';

// An RSA key takes a processor for up to seconds: never more than one of them at once, and no other key behind it.
const rsaKeys = createWorkQueue({ atOnce: 1, waitingMax: 32 });
const otherKeys = createWorkQueue({ atOnce: 1, waitingMax: 1_000 });

/** Where the private keys of an open database come from. */
export interface KeyMaking {
  /** Makes a private key; `generatePrivateKey` unless given. Tests that are not about keys give some that they have. */
  readonly makePrivateKey?: typeof generatePrivateKey | undefined;
}

/**
 * Generates a private key when it is the turn of the account.
 *
 * @throws UNAVAILABLE when too many keys of this account are waiting, and as `generatePrivateKey`
 */
export function generateInTurn(
  { accountId, makePrivateKey = generatePrivateKey }: AccountScope,
  kind: AuthorityKind,
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
export async function generatePrivateKey(kind: AuthorityKind, signal?: AbortSignal): Promise<KeyObject> {
  switch (kind.privateKeyType) {
    case 'ed25519':
      return (await generateHere('ed25519')).privateKey;
    case 'ecdsa':
      return (await generateHere('ec', { namedCurve: opensslCurves[kind.ellipticCurve] })).privateKey;
    case 'rsa':
      return generateRsa(kind.keySize, signal);
  }
}

/** Milliseconds before the next RSA key is begun when one was ended by its client's departure. */
const departureMs = 100;

const run = promisify(execFile);

/** The program of the process that generates an RSA key. It prints the key unencrypted, into a pipe to us alone. */
const program = `
  const { privateKey } = require('node:crypto').generateKeyPairSync('rsa', { modulusLength: Number(process.argv[1]) });
  process.stdout.write(privateKey.export({ type: 'pkcs8', format: 'der' }));
`;

/**
 * Generates an RSA key in a process of its own, which takes 50 ms more than a thread. But a thread cannot be stopped: it
 * would go on for a client that has gone, and a process that is to end waits for its threads, whatever they do (measured).
 */
async function generateRsa(bits: number, signal: AbortSignal | undefined): Promise<KeyObject> {
  try {
    // Nothing of our environment: it may hold secrets, and options of Node.
    const options = { encoding: 'buffer', env: {}, killSignal: 'SIGKILL', signal } as const;
    const { stdout } = await run(process.execPath, ['-e', program, String(bits)], options);
    return createPrivateKey({ key: stdout, format: 'der', type: 'pkcs8' });
  } catch (error) {
    // A client that leaves again and again would have processes begun without end, each of which takes some milliseconds.
    if (signal?.aborted === true) await pause(departureMs);
    signal?.throwIfAborted();
    throw error;
  }
}
