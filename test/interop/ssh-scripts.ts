// Runs the scripts of `deploy/ssh` as hosts and clients do: by several shells, with the programs of several systems, on hosts
// that are directories with their own daemons.

import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeKey, missingOpenssh, type Sshd, sshdPath, sshdSettings, startSshd } from '../support/openssh.ts';
import { root } from '../support/source-files.ts';

export const hostScript = join(root, 'deploy/ssh/sallyport-ssh-host');
export const clientScript = join(root, 'deploy/ssh/sallyport-ssh-client');

/** Returns the path of a program, or undefined if this machine does not have it. */
export function programPath(name: string): string | undefined {
  return ['/usr/bin', '/bin', '/usr/sbin', '/sbin'].map((path) => join(path, name)).find((path) => existsSync(path));
}

/** Why the scripts cannot run here, or null if they can. */
export const missingPrograms =
  missingOpenssh ??
  ['bash', 'dash', 'busybox', 'curl', 'wget', 'flock']
    .filter((name) => programPath(name) === undefined)
    .map((name) => `no ${name}`)[0] ??
  null;
if (missingPrograms !== null) {
  process.stderr.write(`The tests of the scripts for SSH hosts and clients are skipped: ${missingPrograms}.\n`);
}

/** The programs that the scripts need besides ssh, sshd, and curl or wget. */
const tools = [
  ...[
    'awk',
    'basename',
    'cat',
    'chmod',
    'cmp',
    'cp',
    'cut',
    'date',
    'flock',
    'grep',
    'head',
    'hostname',
    'ln',
    'mkdir',
  ],
  ...['mv', 'od', 'paste', 'readlink', 'rm', 'sed', 'sh', 'sha256sum', 'sleep', 'sort', 'tail', 'tr', 'wc'],
];

/**
 * Creates a directory with exactly the programs that the scripts may find on a system; returns its path.
 *
 * @param kind whose tools: Debian's, busybox's where it has them, or only those that macOS has too
 * @param fetcher the program that sends requests
 */
export function makeSystem(directory: string, kind: 'debian' | 'busybox' | 'macos', fetcher: 'curl' | 'wget'): string {
  const path = join(directory, `${kind}-${fetcher}`);
  if (existsSync(path)) return path;
  mkdirSync(path);
  const busybox = programPath('busybox') ?? '';
  const applets = kind === 'busybox' ? spawnSync(busybox, ['--list'], { encoding: 'utf8' }).stdout.split('\n') : [];
  const missing = kind === 'macos' ? ['flock', 'sha256sum'] : [];
  const present = [...tools, ...(kind === 'macos' ? ['shasum'] : [])].filter((name) => !missing.includes(name));
  for (const name of present)
    symlinkSync(applets.includes(name) ? busybox : (programPath(name) ?? ''), join(path, name));
  for (const name of ['ssh', 'ssh-keygen', 'ssh-keyscan', fetcher])
    symlinkSync(programPath(name) ?? '', join(path, name));
  symlinkSync(sshdPath ?? '', join(path, 'sshd'));
  return path;
}

/** The result of a command. */
export interface Outcome {
  code: number;
  out: string;
  errors: string;
}

/** Runs a command to its end without blocking this process, in which the service may run. */
export function runCommand(
  command: string,
  args: readonly string[],
  env: Record<string, string>,
  input = '',
): Promise<Outcome> {
  return new Promise((resolve) => {
    const child = execFile(command, args, { env }, (error, out, errors) => {
      const code = typeof error?.code === 'number' ? error.code : error === null ? 0 : -1;
      resolve({ code, out, errors });
    });
    // A command that does not read its input may already have ended.
    child.stdin?.on('error', () => {}).end(input);
  });
}

/** How a script is run. */
export interface Runner {
  /** The shell, with its arguments. */
  readonly shell: readonly [string, ...string[]];
  /** The directory of its programs, used as PATH. */
  readonly path: string;
}

/** Has sshd listen, by its configuration, where nothing answers: until a host has a daemon, another one of the machine must not. */
const unanswered = 'ListenAddress 127.0.0.1:1';

/** A host: a directory with an sshd configuration and keys. */
export interface Host {
  readonly name: string;
  readonly address: string;
  readonly directory: string;
  /** Returns the path of one of its files. */
  at(file: string): string;
  /** Runs the script. */
  run(args: readonly string[], options?: { input?: string; env?: Record<string, string> }): Promise<Outcome>;
  /** Returns the contents of its files by name, without those in the script's own directory. */
  files(): Record<string, string>;
}

/**
 * Creates a host with an ed25519 key, or with keys of the given types.
 *
 * @param settings lines of its sshd configuration
 */
export async function makeHost(
  parent: string,
  { shell, path }: Runner,
  { name = 'web1.example.com', address = '127.0.0.1', settings = [] as string[], types = ['ed25519'] } = {},
): Promise<Host> {
  const directory = join(parent, `${name}-${readdirSync(parent).length}`);
  mkdirSync(directory);
  const at = (file: string) => join(directory, file);
  const options: Record<string, string[]> = { rsa: ['-b', '2048'] };
  const keys = types.map((type) => makeKey(directory, `ssh_host_${type}_key`, '-t', type, ...(options[type] ?? [])));
  const lines = [...settings, unanswered, ...(await Promise.all(keys)).map((key) => `HostKey ${key}`)];
  writeFileSync(at('sshd_config'), `${lines.join('\n')}\n`);
  return {
    name,
    address,
    directory,
    at,
    run(args, { input = '', env = {} } = {}) {
      const [command, ...before] = shell;
      const variables = { PATH: path, SSH_DIR: directory, RELOAD_SSHD: 'true', HOME: parent, ...env };
      return runCommand(programPath(command) ?? command, [...before, hostScript, ...args], variables, input);
    },
    files() {
      const names = readdirSync(directory, { recursive: true, encoding: 'utf8' });
      const shown = names.filter((file) => !file.startsWith('.') && !statSync(at(file)).isDirectory());
      return Object.fromEntries(shown.sort().map((file) => [file, readFileSync(at(file), 'utf8')]));
    },
  };
}

/**
 * Starts the daemon of a host.
 *
 * @returns the daemon, and a command that makes it reload its files and waits until it has done so
 */
export async function startHost(host: Host): Promise<{ sshd: Sshd; reload: string }> {
  const configured = readFileSync(host.at('sshd_config'), 'utf8').replace(`${unanswered}\n`, '');
  const sshd = await startSshd((port) => {
    writeFileSync(host.at('sshd_config'), `${sshdSettings(port, host.address).join('\n')}\n${configured}`);
    return host.at('sshd_config');
  }, host.address);
  const reload = host.at('reload-sshd');
  writeFileSync(
    reload,
    `#!/bin/sh
starts() { grep -c 'Server listening' ${sshd.logFile}; }
before=$(starts)
kill -HUP ${sshd.pid}
until [ "$(starts)" -gt "$before" ]; do sleep 0.05; done
`,
    { mode: 0o755 },
  );
  return { sshd, reload };
}
