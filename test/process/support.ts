// Starts the programs as they are shipped, in their own processes, for the tests of operation.

import { type ChildProcess, spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, inject, onTestFinished } from 'vitest';
import { keepDatabase, type NamedDatabase, type TestDatabase, testDatabase } from '../support/database.ts';
import { freePort } from '../support/free-port.ts';
import { copyPrograms } from '../support/programs.ts';

let programs = inject('programs');

/** Adds a migration to the programs until the end of the test. */
export function withMigration(name: string, script: string): void {
  const before = programs;
  // Other tests start the programs at the same time, so this test gets a copy.
  programs = temporaryDirectory();
  copyPrograms(before, programs);
  const directory = join(programs, 'prisma/migrations', inject('engine'), name);
  mkdirSync(directory);
  writeFileSync(join(directory, 'migration.sql'), script);
  onTestFinished(() => {
    programs = before;
  });
}

/** Returns the path of a file of the bundled programs, such as `dist/main.js`. */
export function programFile(file: string): string {
  return join(programs, file);
}

/** The key of every server started here, unless its environment says otherwise. */
export const apiKey = 'operator-chosen-key-0123456789';

/** Environment variables of a process. Undefined ones are not set. */
export type Environment = Record<string, string | undefined>;

/** A process, with its output so far. */
export interface Process {
  readonly child: ChildProcess;
  readonly printed: { out: string; errors: string };
  /** Its exit code; null if a signal ended it. */
  readonly ended: Promise<number | null>;
}

/** The result of a process that has ended. */
export interface Ended {
  /** The exit code; null if a signal ended it. */
  code: number | null;
  out: string;
  errors: string;
}

/** Starts a command with only PATH from our environment. It is killed at the end of the test. */
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

/** Runs npm, which may need to trust the certificates of a proxy in front of its registry. */
export function npm(...args: string[]): Process {
  const { NODE_EXTRA_CA_CERTS } = process.env;
  return run('npm', args, NODE_EXTRA_CA_CERTS === undefined ? {} : { NODE_EXTRA_CA_CERTS });
}

/** Leaves out what a command says once it has been at work for two seconds, or for five: on a busy machine, any may have been. */
export function withoutProgress(errors: string): string {
  return errors.replaceAll(/^\w+(?:, \d+ seconds so far| \d+ %(?: of .*)?)\n/gm, '');
}

/** Waits for the end of a process. */
export async function endOf({ ended, printed }: Process): Promise<Ended> {
  const code = await ended;
  return { code, out: printed.out, errors: withoutProgress(printed.errors) };
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
  /** The lines of its log so far, parsed. */
  log(): Record<string, unknown>[];
}

/** Starts a server on a port that is known before the server listens. */
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

/**
 * Runs the command line to its end.
 *
 * @param input path of the file for standard input
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

/** Runs a command with `--json`, and returns what it prints, parsed. Throws Error with its error output if it prints nothing. */
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

/** Creates a directory that is removed at the end of the test. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'sallyport-process-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/**
 * Returns the path for a database that does not exist yet: the first program to open it creates the file and the directories of its
 * path.
 */
export function newPath(name = 'test.db'): string {
  return join(temporaryDirectory(), name);
}

/** A database in an SQLite file. */
export interface DatabaseFile extends NamedDatabase {
  readonly path: string;
}

/** Returns the database in a file, for tests about the file. */
export function databaseFile(path: string): DatabaseFile {
  return { path, environment: { DATABASE_URL: `file:${path}` } };
}

/** Creates a database file that is migrated and has no rows: most tests are not about migrations. */
export function emptyFile(): DatabaseFile {
  const path = newPath();
  copyFileSync(inject('emptyDatabase'), path);
  return databaseFile(path);
}

/** Creates a database file that a server has used, beside its key file. */
export async function usedFile(policies?: number): Promise<DatabaseFile> {
  return databaseFile((await usedDatabase(policies)).engine.name);
}

/** Waits until a condition holds. The time limit of the test ends a wait that would last forever. */
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

/** Returns the status with which a path answers; 0 if nobody answers. */
export async function statusOf(url: string, path: string): Promise<number> {
  return fetch(`${url}${path}`).then(
    async (response) => {
      await response.arrayBuffer();
      return response.status;
    },
    () => 0,
  );
}

/** Functions that create databases that a server has used, by the number of policies in them. */
const usedDatabases = new Map<number, () => Promise<TestDatabase>>();

/** Creates a database that a server has used, with policies and an authority: a copy of the first one with that many policies. */
export async function usedDatabase(policies = 3): Promise<TestDatabase> {
  const copy = usedDatabases.get(policies) ?? (await useDatabase(policies));
  usedDatabases.set(policies, copy);
  const database = await copy();
  onTestFinished(() => database.remove());
  return database;
}

/** Lets a server use a database, stops it, and returns a function that creates copies. */
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
