// The machine's own OpenSSH as a judge: a real sshd on a loopback port, and real ssh clients.

import { execFile, spawn, spawnSync } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from './free-port.ts';

/** Path of the SSH daemon, which has to be started by its full path; null if it is not installed. */
export const sshdPath =
  ['/usr/sbin/sshd', '/usr/local/sbin/sshd', '/usr/bin/sshd', '/sbin/sshd'].find((path) => existsSync(path)) ?? null;

/** Why the tests with real handshakes are skipped; null if they run. */
export const missingOpenssh =
  sshdPath === null
    ? 'no sshd: install openssh-server'
    : spawnSync('ssh', ['-V']).error !== undefined
      ? 'no ssh: install openssh-client'
      : null;

/** Returns the version of the client, such as 9.2. */
export function clientVersion(): { major: number; minor: number } {
  const [, major, minor] = /OpenSSH_(\d+)\.(\d+)/.exec(spawnSync('ssh', ['-V'], { encoding: 'utf8' }).stderr) ?? [];
  return { major: Number(major), minor: Number(minor) };
}

const run = promisify(execFile);

/** Creates a directory for keys. Its path is short, because ssh puts sockets beside the keys. */
export function keyDirectory(): string {
  return mkdtempSync(join(tmpdir(), 'sallyport-ssh-'));
}

/** Creates a key pair with ssh-keygen, and returns the path of the private key. */
export async function makeKey(directory: string, name: string, ...options: string[]): Promise<string> {
  const file = join(directory, name);
  await run('ssh-keygen', ['-q', ...options, '-N', '', '-C', `root@${name}`, '-f', file]);
  return file;
}

/** Prints certificates as `ssh-keygen -L` does, which verifies their signatures. Rejects if it complains. */
export async function printCertificates(file: string): Promise<string> {
  const { stdout, stderr } = await run('ssh-keygen', ['-L', '-f', file], {
    env: { ...process.env, TZ: 'UTC' },
    maxBuffer: 2 ** 24,
  });
  if (stderr !== '') throw new Error(stderr);
  return stdout;
}

/** A running SSH daemon. */
export interface Sshd {
  readonly port: number;
  readonly pid: number;
  /** The log file: it has a line with "Server listening" for each start and for each reload by SIGHUP. */
  readonly logFile: string;
  stop(): Promise<void>;
}

/** Returns settings with which a daemon runs as the user who runs the tests, independent of the machine's own daemon. */
export function sshdSettings(port: number, address = '127.0.0.1'): string[] {
  return [
    `Port ${port}`,
    `ListenAddress ${address}`,
    'PidFile none',
    'StrictModes no',
    'UsePAM no',
    'PasswordAuthentication no',
    'KbdInteractiveAuthentication no',
    'PermitRootLogin prohibit-password',
    `AllowUsers ${userInfo().username}`,
    // Otherwise the start-up files of the user's shell would run at each login, and could print anything.
    'SetEnv HOME=/nonexistent',
  ];
}

/**
 * Starts a daemon with a configuration file, which `write` creates for a free port and returns the path of. Waits until it listens.
 */
export async function startSshd(write: (port: number) => string, address = '127.0.0.1'): Promise<Sshd> {
  if (sshdPath === null) throw new Error('There is no sshd here.');
  // As root, the daemon refuses to start without this directory, which a service script usually creates.
  if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 });
  let log = '';
  // Another program may take the port meanwhile.
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const port = await freePort(address);
    const configFile = write(port);
    const logFile = `${configFile}.log`;
    const logHandle = openSync(logFile, 'w');
    const child = spawn(sshdPath, ['-D', '-e', '-f', configFile], { stdio: ['ignore', 'ignore', logHandle] });
    closeSync(logHandle);
    let isRunning = true;
    const ended = new Promise<void>((resolve) => {
      child.once('close', () => {
        isRunning = false;
        resolve();
      });
    });
    while (isRunning) {
      log = readFileSync(logFile, 'utf8');
      if (log.includes(`Server listening on ${address} port ${port}`)) {
        return {
          port,
          pid: child.pid ?? 0,
          logFile,
          async stop() {
            child.kill('SIGTERM');
            await ended;
          },
        };
      }
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
  throw new Error(`sshd did not start: ${log}`);
}

/** A client's verdict on a host. */
export interface Judgement {
  /** Whether the client accepted the host under its name, by a certificate: authentication of the user began. */
  accepted: boolean;
  /** What the client printed. */
  log: string;
}

/**
 * Connects to a host until the point at which users would have to authenticate.
 *
 * Reaching the authentication phase is the only proof that the certificate was accepted: "known and matches the host certificate"
 * is printed before the certificate is judged.
 */
export async function judge(port: number, name: string, knownHosts: string, ...options: string[]): Promise<Judgement> {
  const settings = [
    'BatchMode=yes',
    'ConnectTimeout=10',
    'GlobalKnownHostsFile=none',
    `UserKnownHostsFile=${knownHosts}`,
    'StrictHostKeyChecking=yes',
    'UpdateHostKeys=no',
    'PreferredAuthentications=publickey',
    'IdentityFile=none',
    ...(name === '127.0.0.1' || name === 'localhost' ? [] : [`HostKeyAlias=${name}`]),
    ...options,
  ];
  const target = name === 'localhost' ? name : '127.0.0.1';
  const args = [
    '-F',
    'none',
    '-v',
    '-p',
    String(port),
    ...settings.flatMap((setting) => ['-o', setting]),
    target,
    'true',
  ];
  const log = await run('ssh', args).then(
    ({ stderr }) => stderr,
    // Each of these attempts ends with a failed login.
    (error: { stderr?: string }) => error.stderr ?? String(error),
  );
  const accepted =
    /kex: host key algorithm: \S+-cert-v01@openssh\.com/.test(log) && /Authentications that can continue:/.test(log);
  return { accepted, log };
}

/** Removes a directory of keys. */
export function removeDirectory(directory: string): void {
  rmSync(directory, { recursive: true, force: true });
}
