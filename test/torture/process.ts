// A real server process for the torture runs, and what the operating system reports about it: processor time, memory, files.

import { execFile, spawn } from 'node:child_process';
import { closeSync, existsSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { getDatamodel } from '../../src/storage/generated/pothos.ts';
import { Sqlite } from '../../src/storage/sqlite/driver.ts';
import type { NamedDatabase } from '../support/database.ts';

/** The programs under test: a directory with `dist/main.js` and `dist/cli.js`. */
export interface Programs {
  readonly directory: string;
}

/** A database with the files that its servers write beside it; it outlives the servers. */
export interface Home {
  readonly directory: string;
  /** Environment variables with which our programs find the database. */
  readonly environment: NamedDatabase['environment'];
  /** The database file; null if the database is not a file. */
  readonly path: string | null;
  /** The log of all servers started here. */
  readonly logPath: string;
  remove(): void;
}

/** A server process. */
export interface ServerProcess {
  readonly url: string;
  readonly pid: number;
  /** Milliseconds from the start of the process until it was ready. */
  readonly readyMs: number;
  /** Whether the process is still running. */
  isAlive(): boolean;
  /** How it ended; undefined while it runs. */
  ending(): string | undefined;
  /** Resolves once it has ended. */
  readonly ended: Promise<void>;
  /** Processor time of all threads so far, in milliseconds. */
  cpuMs(): number;
  residentMiB(): number;
  /** Kills it immediately. */
  kill(): Promise<void>;
  /** Stops it with SIGTERM, and kills it after 40 seconds. Returns the milliseconds that it took. */
  stop(): Promise<number>;
}

/** The key of the account that every server is started with. */
export const bootstrapKey = 'operator-chosen-key-0123456789';

/** Largest heap of a server under test, in MiB: a leak must end the server, not the machine. */
const heapMiB = 1024;
const startMsMax = 60_000;

/** Creates a data directory, for a given database, or for a file that the first server creates. */
export function createHome(database?: NamedDatabase): Home {
  const directory = mkdtempSync(join(tmpdir(), 'sallyport-torture-'));
  const { environment } = database ?? { environment: { DATABASE_URL: `file:${join(directory, 'test.db')}` } };
  return {
    directory,
    environment,
    path: /^file:(.*)$/.exec(environment.DATABASE_URL ?? '')?.[1] ?? null,
    logPath: join(directory, 'server.log'),
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}

/** Starts a process without waiting for it. Its log goes to a file, so that logging costs the same as in production. */
function launch({ directory }: Programs, home: Home) {
  const log = openSync(home.logPath, 'a');
  const begun = performance.now();
  const child = spawn(process.execPath, [`--max-old-space-size=${heapMiB}`, join(directory, 'dist/main.js')], {
    env: {
      PATH: process.env.PATH ?? '',
      PORT: '0',
      ...home.environment,
      BOOTSTRAP_API_KEY: bootstrapKey,
    },
    stdio: ['ignore', 'pipe', log],
  });
  closeSync(log);
  // An interrupted run must not leave a server behind.
  const killWithUs = () => void child.kill('SIGKILL');
  process.once('exit', killWithUs);
  let ending: string | undefined;
  const ended = new Promise<void>((resolve) => {
    child.once('close', (code, signal) => {
      ending = signal ?? `exit code ${code}`;
      process.off('exit', killWithUs);
      resolve();
    });
  });
  return { child, begun, ended, ending: () => ending };
}

/** Starts a server and waits until it is ready. */
export async function startServer(programs: Programs, home: Home): Promise<ServerProcess> {
  const { child, begun, ended, ending } = launch(programs, home);
  const { pid } = child;
  let out = '';
  child.stdout?.on('data', (chunk) => {
    out += chunk;
  });
  const url = () => /^Sallyport is listening on (\S+)$/m.exec(out)?.[1];
  while (url() === undefined && ending() === undefined && performance.now() - begun < startMsMax) await pause(5);
  const found = url();
  if (found === undefined || pid === undefined) {
    child.kill('SIGKILL');
    throw new Error(`The server did not start (${ending() ?? 'too slow'}): ${lastLines(home)}`);
  }
  const ready = await fetch(`${found}/readyz`);
  await ready.arrayBuffer();
  if (ready.status !== 200) throw new Error(`The server says that it listens, and is not ready: ${ready.status}`);
  const readyMs = performance.now() - begun;
  return {
    url: found,
    pid,
    readyMs,
    ended,
    ending,
    isAlive: () => ending() === undefined,
    cpuMs: () => readCpuMs(pid),
    residentMiB: () => readResidentMiB(pid),
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
    async stop() {
      const asked = performance.now();
      child.kill('SIGTERM');
      await Promise.race([ended, pause(40_000, undefined, { ref: false })]);
      const took = performance.now() - asked;
      child.kill('SIGKILL');
      await ended;
      return took;
    },
  };
}

/** Starts a server, and kills it some time after the start. */
export async function killWhileStarting(programs: Programs, home: Home, afterMs: number): Promise<void> {
  const { child, ended } = launch(programs, home);
  await Promise.race([ended, pause(afterMs)]);
  child.kill('SIGKILL');
  await ended;
}

/** Creates an account with a key, by the command line beside the running server. Returns the token. */
export async function createAccount({ directory }: Programs, home: Home, name: string): Promise<string> {
  const run = async (...args: string[]) => {
    const env = { PATH: process.env.PATH ?? '', ...home.environment };
    const cli = [join(directory, 'dist/cli.js'), ...args, '--json'];
    return JSON.parse((await promisify(execFile)(process.execPath, cli, { env })).stdout);
  };
  await run('account', 'create', name);
  return (await run('key', 'create', '--account', name)).key.token;
}

/** Returns the size of the database's write-ahead log in bytes; 0 if there is none. */
export function walBytes({ path }: Home): number {
  return path !== null && existsSync(`${path}-wal`) ? statSync(`${path}-wal`).size : 0;
}

/** Returns the damage that SQLite finds in a file; empty if the file is intact. PostgreSQL checks its own files. */
export async function findDamage(home: Home): Promise<string[]> {
  if (home.path === null) return [];
  const integrity = await query(home, 'PRAGMA integrity_check');
  const orphans = await query(home, 'PRAGMA foreign_key_check');
  return [...integrity, ...orphans].map((row) => JSON.stringify(row)).filter((row) => row !== whole);
}

const whole = JSON.stringify({ integrity_check: 'ok' });

/**
 * Returns where the trail and the objects disagree; empty if each object has one event for each of its versions, and each deleted
 * object has one for its deletion.
 */
export async function findUnrecorded(home: Home): Promise<string[]> {
  const fieldsOf = (fields: readonly { readonly name: string }[]) => fields.map(({ name }) => name);
  const names = Object.entries(getDatamodel().datamodel.models)
    .filter(([, { fields }]) => ['id', 'accountId', 'version'].every((name) => fieldsOf(fields).includes(name)))
    .map(([name]) => name)
    .filter((name) => !name.startsWith('Audit') && name !== 'LoginSession');
  const changes = `SELECT "objectId", count(*) AS events, max("version") AS last FROM "AuditEvent"
    WHERE "action" <> 'refuse' AND "kind" NOT IN ('Account', 'LoginSession') GROUP BY "objectId"`;
  const objects = names.map((name) => `SELECT "id", "version" FROM "${name}"`).join(' UNION ALL ');
  const disagreeing = await query(
    home,
    `WITH e AS (${changes}), o AS (${objects})
     SELECT coalesce(o."id", e."objectId") AS id, o."version", e.events, e.last, a."action"
     FROM o FULL JOIN e ON e."objectId" = o."id"
     LEFT JOIN "AuditEvent" a ON a."objectId" = e."objectId" AND a."version" = e.last
     WHERE e.events IS DISTINCT FROM e.last OR (a."action" = 'delete') IS DISTINCT FROM (o."id" IS NULL)
       OR (o."id" IS NOT NULL AND o."version" IS DISTINCT FROM e.last)`,
  );
  return disagreeing.map((found) => JSON.stringify(found));
}

/**
 * Queries a database while its server runs or after it has ended, and changes nothing: SQLite's log stays as a kill has left it.
 */
export async function query({ path, environment }: Home, sql: string): Promise<object[]> {
  if (path !== null) {
    const database = new Sqlite(path, { readonly: true });
    try {
      return database.prepare<[], object>(sql).all();
    } finally {
      database.close();
    }
  }
  const client = new pg.Client({ connectionString: environment.DATABASE_URL });
  await client.connect();
  try {
    return (await client.query<object>(sql)).rows;
  } finally {
    await client.end();
  }
}

/** Returns the logged failures that the server did not expect; those with a code are ordinary answers. */
export function loggedFailures({ logPath }: Home): string[] {
  return readFileSync(logPath, 'utf8')
    .split('\n')
    .filter((line) => line.includes('"msg":"request failed"') && !line.includes('"type":"SallyportError"'))
    .map((line) => line.slice(0, 500));
}

function lastLines({ logPath }: Home): string {
  return readFileSync(logPath, 'utf8').slice(-1_000);
}

function readCpuMs(pid: number): number {
  // In nanoseconds per thread if the kernel keeps them; otherwise in ticks of 10 ms for all threads together.
  try {
    const tasks = readdirSync(`/proc/${pid}/task`);
    const nanoseconds = tasks.map((task) =>
      Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0]),
    );
    return nanoseconds.reduce((sum, one) => sum + one, 0) / 1e6;
  } catch {
    return readTicksMs(pid);
  }
}

function readTicksMs(pid: number): number {
  try {
    // The name of the program is in parentheses and may contain anything; the 12th and 13th fields after it are the times.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return (Number(fields[11]) + Number(fields[12])) * 10;
  } catch {
    return 0;
  }
}

function readResidentMiB(pid: number): number {
  try {
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
  } catch {
    return 0;
  }
}
