// Where the databases of a run are: files on the project's disk, or databases of one PostgreSQL server. This file holds all that
// the benchmark needs to know about an engine.

import { randomBytes } from 'node:crypto';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { Sqlite } from '../src/storage/sqlite/driver.ts';
import { createCluster, dropDatabases, type PostgresServer, send, urlOf } from '../test/support/postgres.ts';
import { processorSecondsOf, sharedMiBOf } from './processes.ts';
import { root } from './servers.ts';

/** The engines that a run can use. */
export type EngineName = 'SQLite' | 'PostgreSQL';

/** The policies that a database is filled with: their ids, and the texts that all of them have. */
export interface Filling {
  readonly ids: readonly string[];
  readonly description: string;
  readonly metadata: string;
}

/** The processes of a database server. */
export interface DatabaseServer {
  /** Processor time that they have used, in seconds. */
  processorSeconds(): number;
  /** Memory that they have in RAM, in MiB; what they share is counted once. */
  residentMiB(): number;
}

/** Creates the databases of a run. */
export interface Place {
  readonly engine: EngineName;
  /** A directory on the disk of the databases, as far as that is known. */
  readonly directory: string;
  /** The server of the databases; null if they have none, or it was not started here. */
  readonly database: DatabaseServer | null;
  /** Describes what runs the databases, in a few words each. */
  describe(): Promise<string[]>;
  /** Returns the URL of a new, empty database. */
  create(name: string): Promise<string>;
  /** Copies a database that is not in use. Returns the URL of the copy. */
  copy(url: string, name: string): Promise<string>;
  /** Adds policies to the account of a database that has one, bypassing the storage: a million through it would take minutes. */
  fill(url: string, filling: Filling): Promise<void>;
  /** Adds events to the trail of a database that has one account, as many statements, bypassing the storage. */
  addEvents(url: string, count: number): Promise<void>;
  /** Does maintenance now that would otherwise happen during a measurement. */
  settle(url: string): Promise<void>;
  remove(): Promise<void>;
}

/** Creates a directory on the project's disk: if temporary files are in memory, durability would cost nothing there. */
function makeDirectory(): string {
  mkdirSync(join(root, 'data'), { recursive: true });
  return mkdtempSync(join(root, 'data/bench-'));
}

/** Creates SQLite databases. */
export function createSqlitePlace(): Place {
  const directory = makeDirectory();
  const pathOf = (url: string) => url.slice('file:'.length);
  const urlOf = (name: string) => `file:${join(directory, name)}.db`;
  return {
    engine: 'SQLite',
    directory,
    database: null,
    async describe() {
      const database = new Sqlite(':memory:');
      const version = database.prepare('SELECT sqlite_version()').pluck().get();
      database.close();
      return [`SQLite ${version}`];
    },
    create: async (name) => urlOf(name),
    async copy(url, name) {
      copyFileSync(pathOf(url), pathOf(urlOf(name)));
      return urlOf(name);
    },
    async fill(url, { ids, description, metadata }) {
      const database = new Sqlite(pathOf(url));
      const insert = database.prepare(
        `INSERT INTO IpPolicy (id, accountId, description, metadata, createdAt)
         SELECT ?, accountId, ?, ?, createdAt FROM (SELECT accountId, createdAt FROM IpPolicy LIMIT 1)`,
      );
      database.transaction(() => {
        for (const id of ids) insert.run(id, description, metadata);
      })();
      database.close();
    },
    async addEvents(url, count) {
      const database = new Sqlite(pathOf(url));
      const number = database.prepare('SELECT max("commitOrder") FROM "AuditEvent"').pluck().get();
      // In parts, so that the log is moved into the file meanwhile.
      for (const [from, until] of partsOf(count)) {
        database
          .prepare(
            `WITH RECURSIVE n(n) AS (SELECT ${from} UNION ALL SELECT n + 1 FROM n WHERE n < ${until})
            ${insertEvents(`printf('%022d', n)`, `${Number(number)} + n`)}`,
          )
          .run();
      }
      database.close();
    },
    async settle(url) {
      const database = new Sqlite(pathOf(url));
      database.pragma('wal_checkpoint(TRUNCATE)');
      database.close();
    },
    remove: async () => rmSync(directory, { recursive: true }),
  };
}

/** Rows that one statement adds. */
const fillAtOnce = 50_000;

/** Returns the first and the last number of each part of so many. */
function partsOf(count: number): [from: number, until: number][] {
  const parts = Array.from({ length: Math.ceil(count / fillAtOnce) }, (_, part) => part * fillAtOnce);
  return parts.map((before) => [before + 1, Math.min(count, before + fillAtOnce)]);
}

/** Writes the statement that adds an event for each number `n`, of 500 bytes together with its place in JSON. */
function insertEvents(digits: string, commitOrder: string): string {
  const state = JSON.stringify({ description: 'offices', metadata: '{"team": "network"}', createdAt: 'x'.repeat(90) });
  return `INSERT INTO "AuditEvent" ("id", "accountId", "createdAt", "action", "kind", "objectId", "version", "actor", "actorDescription",
      "surface", "clientAddress", "state", "commitOrder")
    SELECT 'evt_zzz9' || ${digits}, e."accountId", e."createdAt", 'update', 'IpPolicy', 'ipp_zzz9' || ${digits}, 1, 'ak_01m7xehb24efe8sfxqfz0dt6w9',
      'dashboard', 'graphql', '192.0.2.1', '${state}', ${commitOrder}
    FROM n, (SELECT "accountId", "createdAt" FROM "AuditEvent" LIMIT 1) e`;
}

/** Settings of the server: everything else is PostgreSQL's default, durability above all. */
const settings = ['listen_addresses=', 'max_connections=200', 'shared_buffers=512MB', 'max_wal_size=4GB'];
/** Creates PostgreSQL databases, on the server of a URL or on one that it starts. */
export async function createPostgresPlace(given: string | undefined): Promise<Place> {
  const directory = makeDirectory();
  const server = given === undefined ? await startServer() : { url: given, database: null, stop: async () => {} };
  const prefix = `sallyport_bench_${randomBytes(4).toString('hex')}`;
  return {
    engine: 'PostgreSQL',
    directory,
    database: server.database,
    async describe() {
      const shown = ['server_version', 'shared_buffers', 'fsync', 'synchronous_commit'];
      const values = await Promise.all(shown.map((name) => readOne(server.url, `SHOW ${name}`)));
      const [version, ...others] = values;
      return [`PostgreSQL ${version}`, ...others.map((value, index) => `${shown[index + 1]} ${value}`)];
    },
    async create(name) {
      await send(server.url, `CREATE DATABASE ${prefix}_${name}`);
      return urlOf(server.url, `${prefix}_${name}`);
    },
    async copy(url, name) {
      await send(server.url, `CREATE DATABASE ${prefix}_${name} TEMPLATE ${new URL(url).pathname.slice(1)}`);
      return urlOf(server.url, `${prefix}_${name}`);
    },
    async fill(url, { ids, description, metadata }) {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      const sql = `INSERT INTO "IpPolicy" ("id", "accountId", "description", "metadata", "createdAt")
        SELECT new, "accountId", $2, $3, "createdAt"
        FROM unnest($1::text[]) AS new, (SELECT "accountId", "createdAt" FROM "IpPolicy" LIMIT 1) AS first`;
      for (let start = 0; start < ids.length; start += fillAtOnce) {
        await client.query(sql, [ids.slice(start, start + fillAtOnce), description, metadata]);
      }
      await client.end();
    },
    async addEvents(url, count) {
      for (const [from, until] of partsOf(count)) {
        const digits = `lpad(n::text, 22, '0')`;
        await send(
          url,
          `WITH n AS (SELECT n FROM generate_series(${from}, ${until}) n) ${insertEvents(digits, 'pg_current_xact_id()::text::bigint')}`,
        );
      }
    },
    settle: (url) => send(url, 'VACUUM (ANALYZE)', 'CHECKPOINT'),
    async remove() {
      await dropDatabases(server.url, prefix);
      await server.stop();
      rmSync(directory, { recursive: true });
    },
  };
}

async function startServer(): Promise<PostgresServer & { readonly database: DatabaseServer }> {
  const cluster = createCluster(settings, undefined, join(root, 'data'));
  await cluster.start();
  const { url, directory } = cluster;
  const pid = Number.parseInt(readFileSync(join(directory, 'data/postmaster.pid'), 'utf8'), 10);
  return {
    url,
    database: { processorSeconds: () => processorSecondsOf(pid), residentMiB: () => sharedMiBOf(pid) },
    async stop() {
      await cluster.stop();
      // Its user removes the contents of the directory, but may not remove the directory from that of the project.
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Returns the one value that a statement yields. */
export async function readOne(url: string, sql: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<unknown[]>({ text: sql, rowMode: 'array' });
  await client.end();
  return rows[0]?.[0];
}
