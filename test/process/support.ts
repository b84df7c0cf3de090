// Real processes: the server and the command line, as an operator starts them.

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, onTestFinished } from 'vitest';
import { compilePrograms } from '../support/programs.ts';

const programs = compilePrograms();
afterAll(() => rmSync(programs, { recursive: true }));

/** What a process has done until its end. */
export interface Ended {
  /** The exit code; null when a signal ended it. */
  code: number | null;
  out: string;
  errors: string;
}

/** A process that runs. */
export interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** What it has printed so far. */
  printed(): { out: string; errors: string };
}

/** Makes a directory that is removed with the test. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'sallyport-process-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** Starts a command with nothing of our environment but the path. It is killed with the test. */
export function run(command: string, args: readonly string[], environment: Record<string, string> = {}): Running {
  const child = spawn(command, args, { env: { PATH: process.env.PATH ?? '', ...environment } });
  child.stdin.end();
  onTestFinished(() => void child.kill('SIGKILL'));
  let out = '';
  let errors = '';
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, out, errors }));
  });
  return { child, ended, printed: () => ({ out, errors }) };
}

/** Starts a program of ours. */
export function runProgram(
  name: 'main' | 'cli',
  args: readonly string[],
  environment: Record<string, string>,
): Running {
  return run(process.execPath, [join(programs, 'dist', `${name}.js`), ...args], environment);
}

/** A server that listens. */
export interface Server extends Running {
  readonly url: string;
  /** Everything that it printed until it was ready. */
  readonly welcome: string;
}

/** Starts a server on a free port and waits until it has printed all of its welcome. */
export async function startServer(databasePath: string, environment: Record<string, string> = {}): Promise<Server> {
  const running = runProgram('main', [], { PORT: '0', DATABASE_URL: `file:${databasePath}`, ...environment });
  await waitFor(() => running.printed().out.includes('\n') || running.child.exitCode !== null);
  const { out, errors } = running.printed();
  const url = /^Sallyport is listening on (\S+)$/m.exec(out)?.[1];
  if (url === undefined) throw new Error(`The server did not start: ${out}${errors}`);
  return { ...running, url, welcome: out };
}

/** Runs the command line to its end. */
export function cli(databasePath: string, ...args: string[]): Promise<Ended> {
  return runProgram('cli', args, { DATABASE_URL: `file:${databasePath}` }).ended;
}

/** Waits until something holds. The time limit of the test ends a wait for what never comes. */
export async function waitFor(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 20));
}

/** Sends a REST request with a key. */
export function rest(url: string, token: string, method: string, path: string, body?: object): Promise<Response> {
  return fetch(`${url}${path}`, {
    method,
    headers: { Authorization: `Bearer ${token}`, 'Service-Version': '2', 'Content-Type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

/** The key of a server that is started with it. */
export const bootstrapKey = 'operator-chosen-key-0123456789';
