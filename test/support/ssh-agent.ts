// Real agents with keys.

import { execFile, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { makeKey } from './openssh.ts';

const run = promisify(execFile);

/** Path of the module of SoftHSM; null if it is not installed. */
export const softHsm =
  ['/usr/lib/softhsm/libsofthsm2.so', '/usr/lib64/softhsm/libsofthsm2.so'].find((path) => existsSync(path)) ?? null;

/** A running ssh-agent. */
export interface RunningAgent {
  readonly socket: string;
  readonly pid: number;
  /** Generates a key, loads it, and returns its public key without the comment. */
  generate(name: string, ...options: string[]): Promise<string>;
  /** Runs ssh-add, with a passphrase or PIN if it asks for one. */
  add(args: readonly string[], secret?: string): Promise<string>;
  stop(): Promise<void>;
}

/** Starts an agent at a socket in a directory. */
export async function startAgent(
  directory: string,
  name = 'agent.sock',
  env: NodeJS.ProcessEnv = {},
): Promise<RunningAgent> {
  const socket = join(directory, name);
  const agent = spawn('ssh-agent', ['-D', '-a', socket], { env: { ...process.env, ...env }, stdio: 'ignore' });
  const ended = new Promise((resolve) => agent.once('exit', resolve));
  while (!existsSync(socket)) await new Promise((resolve) => setTimeout(resolve, 10));
  const askpass = join(directory, `${name}.askpass`);
  writeFileSync(askpass, '#!/bin/sh\nprintf %s "$TEST_SECRET"\n', { mode: 0o700 });
  const add = async (args: readonly string[], secret = '') => {
    const own = { SSH_AUTH_SOCK: socket, SSH_ASKPASS: askpass, SSH_ASKPASS_REQUIRE: 'force', TEST_SECRET: secret };
    const { stdout } = await run('ssh-add', args, { env: { ...process.env, ...env, ...own } });
    return stdout;
  };
  return {
    socket,
    pid: agent.pid ?? 0,
    add,
    async generate(key, ...options) {
      const file = await makeKey(directory, key, ...options);
      await add(['-q', file]);
      return spawnSync('ssh-keygen', ['-y', '-f', file], { encoding: 'utf8' })
        .stdout.split(' ')
        .slice(0, 2)
        .join(' ')
        .trim();
    },
    async stop() {
      agent.kill('SIGKILL');
      await ended;
    },
  };
}

/** Whether GnuPG is not installed. */
export const missingGpg = spawnSync('gpg-agent', ['--version']).error !== undefined;

/** Starts a gpg-agent that offers one key for SSH, without a passphrase. */
export async function startGpgAgent(directory: string): Promise<{ socket: string; stop(): Promise<void> }> {
  const home = join(directory, 'gnupg');
  mkdirSync(home, { mode: 0o700 });
  const env = { ...process.env, GNUPGHOME: home };
  const gpg = async (program: string, ...args: string[]) => (await run(program, args, { env })).stdout;
  await gpg('gpg', '--batch', '--quiet', '--passphrase', '', '--quick-gen-key', 'hosts', 'ed25519', 'sign', 'never');
  const keys = await gpg('gpg', '--list-secret-keys', '--with-colons', '--with-keygrip');
  writeFileSync(join(home, 'sshcontrol'), `${/^grp:+(\w+):/m.exec(keys)?.[1]} 0\n`);
  await gpg('gpgconf', '--kill', 'gpg-agent');
  await gpg('gpg-agent', '--enable-ssh-support', '--daemon');
  const socket = (await gpg('gpgconf', '--list-dirs', 'agent-ssh-socket')).trim();
  return { socket, stop: async () => void (await gpg('gpgconf', '--kill', 'gpg-agent')) };
}

/** Makes a token in SoftHSM with a P-256 key that never leaves it. Returns the environment of whoever uses it, and the PIN. */
export async function makeToken(directory: string): Promise<{ env: NodeJS.ProcessEnv; pin: string }> {
  const tokens = join(directory, 'tokens');
  mkdirSync(tokens);
  const SOFTHSM2_CONF = join(directory, 'softhsm2.conf');
  writeFileSync(SOFTHSM2_CONF, `directories.tokendir = ${tokens}\n`);
  const [env, pin] = [{ ...process.env, SOFTHSM2_CONF }, '1234'];
  await run('softhsm2-util', ['--init-token', '--free', '--label', 'hosts', '--so-pin', '5678', '--pin', pin], { env });
  const key = ['--keypairgen', '--key-type', 'EC:prime256v1', '--label', 'hosts', '--id', '01'];
  await run('pkcs11-tool', ['--module', softHsm ?? '', '--login', '--pin', pin, ...key], { env });
  return { env: { SOFTHSM2_CONF }, pin };
}
