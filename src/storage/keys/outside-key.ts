// Secret keys that stand neither in the environment nor beside the database: what a program prints, or a credential of systemd.

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readSecretKey } from './secret-key.ts';

/** Milliseconds that a command may take: enough to unlock a token by touch, and not so long that a start seems to hang. */
const timeoutMs = 60_000;
/** Most bytes that a command may print: a key has 44 characters. */
const printedMax = 4_096;

/** What each command has printed in this process: some settings are read more than once, and a command may ask somebody. */
const printed = new Map<string, string>();

/**
 * Runs a shell command and returns the key that it prints. It gets no input; what it says on standard error is shown.
 *
 * @throws Error that completes the sentence "<variable>: ..." and never repeats what was printed
 */
export function keyFromCommand(command: string): Uint8Array {
  const known = printed.get(command);
  if (known !== undefined) return keyIn(known);
  const { stdout, status, signal, error } = spawnSync('/bin/sh', ['-c', command], {
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
    maxBuffer: printedMax,
  });
  if (error) throw new Error(sayFailure(error));
  if (status !== 0) throw new Error(`must print the key: the command ended with ${signal ?? `status ${status}`}`);
  const key = keyIn(stdout);
  printed.set(command, stdout);
  return key;
}

function keyIn(text: string): Uint8Array {
  const key = readSecretKey(text);
  if (key === null) throw new Error('must print 32 random bytes in base64 or hexadecimal, and nothing else');
  return key;
}

function sayFailure(error: Error): string {
  const code = 'code' in error ? error.code : undefined;
  if (code === 'ETIMEDOUT') return `must print the key within ${timeoutMs / 1000} seconds`;
  if (code === 'ENOBUFS') return 'must print 32 random bytes in base64 or hexadecimal, and nothing else';
  return `must print the key: the command could not be run (${String(code)})`;
}

/** The name of the credential in a unit: `LoadCredential=secret_key:…` (systemd.exec, "Credentials"). */
const credential = 'secret_key';

/**
 * Reads the key that systemd has put into the unit's directory of credentials.
 *
 * @param directory the value of `CREDENTIALS_DIRECTORY`; undefined outside of a unit with credentials
 * @returns null if there is none
 * @throws Error that names the file if it holds no key
 */
export function keyFromCredential(directory: string | undefined): Uint8Array | null {
  const file = join(directory ?? '', credential);
  if (!directory || !existsSync(file)) return null;
  const key = readSecretKey(readFileSync(file, 'utf8'));
  if (key === null) throw new Error(`The credential ${file} must hold 32 random bytes in base64 or hexadecimal.`);
  return key;
}
