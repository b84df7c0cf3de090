// Programs as they are shipped, in processes of their own: what the tests of operation start and ask.

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, onTestFinished } from 'vitest';
import { compilePrograms } from '../support/programs.ts';

const programs = compilePrograms();
afterAll(() => rmSync(programs, { recursive: true }));

/** Adds a migration to the programs until the end of the test. */
export function withMigration(name: string, script: string): void {
  const directory = join(programs, 'prisma/migrations/sqlite', name);
  mkdirSync(directory);
  writeFileSync(join(directory, 'migration.sql'), script);
  onTestFinished(() => rmSync(directory, { recursive: true }));
}

/** The key of every server that is started here. */
export const apiKey = 'operator-chosen-key-0123456789';

/** A process, with what it has printed so far. */
export interface Process {
  readonly child: ChildProcess;
  readonly printed: { out: string; errors: string };
  /** Its exit code; null when a signal ended it. */
  readonly ended: Promise<number | null>;
}

/**
 * Starts a program with nothing of our environment but the path. It is killed with the test.
 *
 * @param wrapper a command that runs the program
 */
export function start(
  name: 'main' | 'cli',
  args: readonly string[],
  environment: Record<string, string> = {},
  wrapper: readonly string[] = [],
): Process {
  const program = [process.execPath, join(programs, 'dist', `${name}.js`), ...args];
  const [command = process.execPath, ...rest] = [...wrapper, ...program];
  const child = spawn(command, rest, {
    env: { PATH: process.env.PATH ?? '', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const printed = { out: '', errors: '' };
  child.stdout.on('data', (chunk) => {
    printed.out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    printed.errors += chunk;
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  return { child, printed, ended };
}

/** A server, which may not be ready yet. */
export interface Server extends Process {
  readonly url: string;
  readonly path: string;
  /** The lines of its log so far. */
  log(): Record<string, unknown>[];
}

/** Starts a server on a port that is free. */
export async function startServer(
  path: string,
  environment: Record<string, string> = {},
  wrapper: readonly string[] = [],
): Promise<Server> {
  const port = await freePort();
  const settings = { PORT: String(port), DATABASE_URL: `file:${path}`, BOOTSTRAP_API_KEY: apiKey, ...environment };
  const running = start('main', [], settings, wrapper);
  const log = () => {
    const lines = running.printed.errors.split('\n').filter((line) => line.startsWith('{'));
    return lines.map((line): Record<string, unknown> => JSON.parse(line));
  };
  return { ...running, path, url: `http://127.0.0.1:${port}`, log };
}

/** Starts a server and waits until it is ready. */
export async function readyServer(
  path: string,
  environment: Record<string, string> = {},
  wrapper: readonly string[] = [],
): Promise<Server> {
  const server = await startServer(path, environment, wrapper);
  await until(() => server.printed.out.includes('\n') || server.child.exitCode !== null);
  if (!server.printed.out.includes('\n')) throw new Error(`The server did not start: ${server.printed.errors}`);
  return server;
}

async function freePort(): Promise<number> {
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  const address = taken.address();
  await new Promise((resolve) => taken.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('A TCP server has a port.');
  return address.port;
}

/** Runs the command line to its end. */
export async function cli(
  path: string,
  args: readonly string[],
  environment: Record<string, string> = {},
): Promise<{ code: number | null; out: string; errors: string }> {
  const { ended, printed } = start('cli', args, { DATABASE_URL: `file:${path}`, ...environment });
  return { code: await ended, ...printed };
}

/** Runs a command with `--json`, and gives what it prints. Throws what went wrong. */
export async function cliJson(path: string, args: readonly string[], environment: Record<string, string> = {}) {
  const { out, errors } = await cli(path, [...args, '--json'], environment);
  if (out === '') throw new Error(errors);
  return JSON.parse(out);
}

/** Makes a directory that is removed with the test. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'sallyport-ops-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** Waits until something holds. The time limit of the test ends a wait for what never comes. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await pause(15);
}

/** Sends a REST request with the key. */
export function rest(url: string, method: string, path: string, body?: object, token = apiKey): Promise<Response> {
  return fetch(`${url}${path}`, {
    method,
    headers: { Authorization: `Bearer ${token}`, 'Service-Version': '2', 'Content-Type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

/** The status that a path answers with; 0 when nobody answers. */
export async function statusOf(url: string, path: string): Promise<number> {
  return fetch(`${url}${path}`).then(
    async (response) => {
      await response.arrayBuffer();
      return response.status;
    },
    () => 0,
  );
}
