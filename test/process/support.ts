// Programs as they are shipped, in processes of their own: what the tests of operation start and ask.

import { type ChildProcess, spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, inject, onTestFinished } from 'vitest';
import { keepDatabase, type NamedDatabase, type TestDatabase, testDatabase } from '../support/database.ts';
import { copyPrograms } from '../support/programs.ts';

let programs = inject('programs');

/** Adds a migration to the programs until the end of the test. */
export function withMigration(name: string, script: string): void {
  const before = programs;
  // Other tests start the programs at the same time: these get a copy.
  programs = temporaryDirectory();
  copyPrograms(before, programs);
  const directory = join(programs, 'prisma/migrations', inject('engine'), name);
  mkdirSync(directory);
  writeFileSync(join(directory, 'migration.sql'), script);
  onTestFinished(() => {
    programs = before;
  });
}

/** Where a file of the bundled programs is, such as `dist/main.js`. */
export function programFile(file: string): string {
  return join(programs, file);
}

/** The key of every server that is started here, unless its environment says otherwise. */
export const apiKey = 'operator-chosen-key-0123456789';

/** Variables of a process. Those that are undefined are not set. */
export type Environment = Record<string, string | undefined>;

/** A process, with what it has printed so far. */
export interface Process {
  readonly child: ChildProcess;
  readonly printed: { out: string; errors: string };
  /** Its exit code; null when a signal ended it. */
  readonly ended: Promise<number | null>;
}

/** What a process has done until its end. */
export interface Ended {
  /** The exit code; null when a signal ended it. */
  code: number | null;
  out: string;
  errors: string;
}

/** Starts a command with nothing of our environment but the path. It is killed with the test. */
export function run(command: string, args: readonly string[], environment: Environment = {}): Process {
  const child = spawn(command, args, {
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
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  return { child, printed, ended };
}

/** Waits for the end of a process. */
export async function endOf({ ended, printed }: Process): Promise<Ended> {
  return { code: await ended, ...printed };
}

/**
 * Starts a program of ours.
 *
 * @param wrapper a command that runs the program
 */
export function start(
  name: 'main' | 'cli',
  args: readonly string[],
  environment: Environment = {},
  wrapper: readonly string[] = [],
): Process {
  const program = [process.execPath, programFile(`dist/${name}.js`), ...args];
  const [command = process.execPath, ...rest] = [...wrapper, ...program];
  return run(command, rest, environment);
}

/** A server, which may not be ready yet. */
export interface Server<Database = NamedDatabase> extends Process {
  readonly url: string;
  readonly database: Database;
  /** The lines of its log so far. */
  log(): Record<string, unknown>[];
}

/** Starts a server whose port is known before it listens. */
export async function startServer<Database extends NamedDatabase>(
  database: Database,
  environment: Environment = {},
  wrapper: readonly string[] = [],
): Promise<Server<Database>> {
  const port = await freePort();
  const running = launch({ PORT: String(port), ...database.environment, ...environment }, wrapper);
  return { ...running, database, url: `http://127.0.0.1:${port}` };
}

/** Starts a server and waits until it is ready. */
export async function readyServer<Database extends NamedDatabase>(
  database: Database,
  environment: Environment = {},
  wrapper: readonly string[] = [],
): Promise<Server<Database>> {
  const running = launch({ PORT: '0', ...database.environment, ...environment }, wrapper);
  const { child, printed } = running;
  await until(() => printed.out.includes('\n') || child.exitCode !== null || child.signalCode !== null);
  const url = /^Sallyport is listening on (\S+)$/m.exec(printed.out)?.[1];
  if (url === undefined) throw new Error(`The server did not start: ${printed.out}${printed.errors}`);
  return { ...running, database, url };
}

function launch(environment: Environment, wrapper: readonly string[]): Omit<Server, 'url' | 'database'> {
  const running = start('main', [], { BOOTSTRAP_API_KEY: apiKey, ...environment }, wrapper);
  const log = () => {
    const lines = running.printed.errors.split('\n').filter((line) => line.startsWith('{'));
    return lines.map((line): Record<string, unknown> => JSON.parse(line));
  };
  return { ...running, log };
}

/** Finds a port that nobody listens on. */
export async function freePort(): Promise<number> {
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  const address = taken.address();
  await new Promise((resolve) => taken.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('A TCP server has a port.');
  return address.port;
}

/**
 * Runs the command line to its end.
 *
 * @param input the file that standard input comes from
 */
export function cli(
  database: NamedDatabase,
  args: readonly string[],
  environment: Environment = {},
  input = '/dev/null',
): Promise<Ended> {
  const wrapper = input === '/dev/null' ? [] : ['sh', '-c', 'file=$1; shift; exec "$@" < "$file"', 'sh', input];
  return endOf(start('cli', args, { ...database.environment, ...environment }, wrapper));
}

/** Runs a command with `--json`, and gives what it prints. Throws what went wrong. */
export async function cliJson(
  database: NamedDatabase,
  args: readonly string[],
  environment: Environment = {},
  input?: string,
) {
  const { out, errors } = await cli(database, [...args, '--json'], environment, input);
  if (out === '') throw new Error(errors);
  return JSON.parse(out);
}

/** Makes a directory that is removed with the test. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'sallyport-process-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** Gives the path for a database that the first program to open it makes, with the directories that it names. */
export function newPath(name = 'test.db'): string {
  return join(temporaryDirectory(), name);
}

/** The database in a file of SQLite. */
export interface DatabaseFile extends NamedDatabase {
  readonly path: string;
}

/** Names the database in a file, for tests that are about the file. */
export function databaseFile(path: string): DatabaseFile {
  return { path, environment: { DATABASE_URL: `file:${path}` } };
}

/** Makes such a file, which is migrated and has no rows: most tests are not about migrations. */
export function emptyFile(): DatabaseFile {
  const path = newPath();
  copyFileSync(inject('emptyDatabase'), path);
  return databaseFile(path);
}

/** Makes such a file that a server has used, beside its key. */
export async function usedFile(policies?: number): Promise<DatabaseFile> {
  return databaseFile((await usedDatabase(policies)).engine.name);
}

/** Waits until something holds. The time limit of the test ends a wait for what never comes. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await pause(15);
}

/** Sends a REST request with the key. */
export function rest(
  url: string,
  method: string,
  path: string,
  body?: object,
  token = apiKey,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(`${url}${path}`, {
    method,
    headers: {
      Authorization: `Bearer ${token}`,
      'Service-Version': '2',
      'Content-Type': 'application/json',
      ...headers,
    },
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

/** What makes databases that a server has used, by the number of policies in them. */
const usedDatabases = new Map<number, () => Promise<TestDatabase>>();

/** Makes a database that a server has used, with policies and an authority: a copy of the first one with that many. */
export async function usedDatabase(policies = 3): Promise<TestDatabase> {
  const copy = usedDatabases.get(policies) ?? (await useDatabase(policies));
  usedDatabases.set(policies, copy);
  const database = await copy();
  onTestFinished(() => database.remove());
  return database;
}

/** Has a server use a database, stops it, and gives what makes copies. */
async function useDatabase(policies: number): Promise<() => Promise<TestDatabase>> {
  const database = await testDatabase();
  const server = await readyServer(database);
  for (let count = 0; count < policies; count++) {
    expect((await rest(server.url, 'POST', '/ip_policies', { description: `policy ${count}` })).status).toBe(201);
  }
  expect((await rest(server.url, 'POST', '/ssh_certificate_authorities', {})).status).toBe(201);
  server.child.kill('SIGTERM');
  expect(await server.ended).toBe(0);
  return keepDatabase(database);
}
