// The connections to a PostgreSQL server: a pool for writes and transactions, and two that single reads share.

import { setTimeout as pause } from 'node:timers/promises';
import type { SqlQuery, SqlResultSet } from '@prisma/driver-adapter-utils';
import { LRUCache } from 'lru-cache';
import pg from 'pg';
import type { WorkQueueOptions } from '../../domain/work-queue.ts';
import { clientSettings, kindOf, type TimingObserver } from '../engine.ts';
import { Client, connect } from './client.ts';
import { closedError, isSpoiled, lostError, PipelineError, toDriverError } from './errors.ts';
import { findingRow, type Prepared, type Step, sendPipeline } from './pipeline.ts';
import { SharedConnection } from './shared-connection.ts';
import type { Address } from './url.ts';
import { columnType, toPostgres, toText } from './values.ts';

/** Where the database is and how it is used. */
export interface PostgresOptions {
  readonly address: Address;
  /** Sees every statement that is sent: for tests and debugging, never for a log. */
  readonly onStatement?: ((sql: string) => void) | undefined;
  /** Told of every statement what it was and how long it took. */
  readonly onTiming?: TimingObserver | undefined;
}

/** Connections for writes and transactions, and how many of them one account may have. Those of all servers must fit into `max_connections`. */
const poolSize = 12;
const poolSizeOfAccount = 10;
/** Connections that reads share. On each of them reads follow each other without waiting for answers. */
const readersCount = 2;
/** How long an answer may take before the connection is given up, in milliseconds. */
const queryTimeoutMs = 5_000;
/** How long the server's own writes, which take no turns, may wait for a connection, in milliseconds. */
const turnTimeoutMs = clientSettings.transactionOptions.maxWait;
/**
 * How accounts share the connections for writes. One account never has all of them, because its changes may all be waiting for rows that
 * somebody holds. Where those of several accounts are, the others have their turns when these give up (`lockTimeoutMs`).
 */
export const sharing: WorkQueueOptions = {
  atOnce: poolSize,
  atOnceOfOwner: poolSizeOfAccount,
  waitingMax: 1_000,
};
/**
 * How long a write may wait for a lock before it gives its connection back, in milliseconds. Longer than `deadlock_timeout`, so that
 * PostgreSQL looks for a deadlock first, and much shorter than the time limit of an answer, so that the outcome is never unknown.
 */
const lockTimeoutMs = 1_200;
/** How long to wait for all connections to end, in milliseconds. */
const endTimeoutMs = 2_000;
/**
 * Statements that have a name. A service has some hundred. One connection may have each of them under three names: sent alone, and in a
 * pipeline with and without having to find a row (`#sendPipeline`).
 */
const namedMax = 1_000;
/** Characters of the statements of which it is remembered that they were sent once. */
const onceCharactersMax = 2_000_000;
/** Longest statement that is prepared. */
const namedCharactersMax = 10_000;

/** A statement of a pipeline. */
export interface Guarded {
  readonly query: SqlQuery;
  /** Whether the server is to undo everything where it finds no row. */
  readonly mustFind: boolean;
}

/** The connections of one client of Prisma. All methods throw the errors of `toDriverError`. */
export class Connections {
  readonly #options: PostgresOptions;
  readonly #pool: pg.Pool;
  readonly #readers: SharedConnection[];
  readonly #prepared = new WeakMap<pg.ClientBase, Prepared>();
  readonly #names = new Map<string, string>();
  readonly #once = new LRUCache<string, true>({
    maxSize: onceCharactersMax,
    sizeCalculation: (_, sql) => sql.length,
  });
  readonly #prepares: boolean;
  #closed: Promise<void> | undefined;

  constructor(options: PostgresOptions) {
    this.#options = options;
    const { address } = options;
    this.#prepares = !address.behindPooler;
    const own = {
      // BEGIN goes together with the first statement, and the reads of one turn with each other.
      pipeline: true,
      query_timeout: queryTimeoutMs,
      application_name: 'sallyport',
    };
    // The pool has one time limit for both waits, so that its connections keep the shorter one by themselves.
    class PooledClient extends Client {
      constructor() {
        super(address, own);
      }
    }
    this.#pool = new pg.Pool({
      Client: PooledClient,
      connectionTimeoutMillis: turnTimeoutMs,
      max: poolSize,
      allowExitOnIdle: true,
    });
    // Sent with the first statement. Behind a pooler it would change the session of another client: there, the role has the setting.
    if (this.#prepares) {
      this.#pool.on('connect', (client) => {
        client.query(`SET lock_timeout = ${lockTimeoutMs}`).catch(() => {});
      });
    }
    // An idle connection that is lost has left the pool.
    this.#pool.on('error', () => {});
    this.#readers = Array.from({ length: readersCount }, () => new SharedConnection(() => connect(address, own)));
  }

  /** Reads with one statement, together with the other reads of this turn of the event loop. */
  async read(query: SqlQuery): Promise<SqlResultSet> {
    try {
      return await this.#freest().run(async (client) => toResultSet(await this.send(client, query)));
    } catch (error) {
      throw toDriverError(error);
    }
  }

  /** Reads as `read` does. Gives the rows as the decoders of the dialect take them. */
  async readRows(query: SqlQuery): Promise<unknown[][]> {
    const alone = [{ query, mustFind: false }];
    try {
      const [rows = []] = await this.#freest().run((client) => this.#sendPipeline(client, alone));
      return rows;
    } catch (error) {
      throw toDriverError(error instanceof PipelineError ? error.cause : error);
    }
  }

  /** Gives the shared connection on which the fewest wait for their answers. */
  #freest(): SharedConnection {
    this.#check();
    const [first, ...others] = this.#readers;
    if (first === undefined) throw closedError();
    return others.reduce((best, reader) => (reader.waiting < best.waiting ? reader : best), first);
  }

  /**
   * Stores what statements do, all of it or nothing, in one round trip. Gives the rows of each.
   *
   * @throws PipelineError, and what `take` throws
   */
  async sendTogether(statements: readonly Guarded[]): Promise<unknown[][][]> {
    const client = await this.take();
    let failure: unknown;
    try {
      return await this.#sendPipeline(client, statements);
    } catch (error) {
      failure = error;
      throw error;
    } finally {
      this.release(client, failure);
    }
  }

  /** Takes a connection for one's own use. It must be released. */
  async take(): Promise<pg.PoolClient> {
    this.#check();
    try {
      return await this.#pool.connect();
    } catch (error) {
      // Whatever kept it from being made: nothing was sent over it.
      throw lostError(error);
    }
  }

  /** Gives a connection back, or ends it when an error has spoiled it. */
  release(client: pg.PoolClient, error?: unknown): void {
    client.release(error !== undefined && isSpoiled(error));
  }

  /** Sends a statement on a connection. Throws the errors of the driver. */
  async send(client: pg.ClientBase, { sql, args, argTypes }: SqlQuery): Promise<pg.QueryArrayResult<unknown[]>> {
    this.#options.onStatement?.(withValues(sql, args));
    const name = this.#nameOf(sql);
    const begun = performance.now();
    try {
      return await client.query<unknown[]>({
        text: sql,
        values: args.map((value, place) => toPostgres(value, argTypes[place])),
        rowMode: 'array',
        ...(name === undefined ? {} : { name }),
      });
    } finally {
      this.#options.onTiming?.(kindOf(sql), (performance.now() - begun) / 1000);
    }
  }

  async #sendPipeline(client: pg.ClientBase, statements: readonly Guarded[]): Promise<unknown[][][]> {
    const { onStatement, onTiming } = this.#options;
    const prepared: Prepared = this.#prepared.get(client) ?? new Map();
    this.#prepared.set(client, prepared);
    const steps = statements.map(({ query, mustFind }): Step => {
      onStatement?.(withValues(query.sql, query.args));
      const name = this.#nameOf(query.sql);
      return {
        text: () => (mustFind ? findingRow(query.sql) : query.sql),
        // The same statement has another text where it must find a row, and where it is sent alone.
        name: name && `${mustFind ? 'f' : 'p'}${name}`,
        values: query.args.map((value, place) => toText(value, query.argTypes[place])),
      };
    });
    const begun = performance.now();
    try {
      return await sendPipeline(client, prepared, steps);
    } finally {
      const seconds = (performance.now() - begun) / 1000;
      for (const { query } of statements) onTiming?.(kindOf(query.sql), seconds);
    }
  }

  /** Sends statements without arguments, separated by semicolons. */
  async script(client: pg.ClientBase, sql: string): Promise<void> {
    this.#options.onStatement?.(sql);
    await client.query(sql);
  }

  /** Ends all connections, once what is under way has its answers; does not wait for a server that does not answer. */
  close(): Promise<void> {
    const ended = () => Promise.all([this.#pool.end(), ...this.#readers.map((reader) => reader.close())]);
    this.#closed ??= Promise.race([ended(), pause(endTimeoutMs, undefined, { ref: false })]).then(() => {});
    return this.#closed;
  }

  #check(): void {
    if (this.#closed !== undefined) throw closedError();
  }

  /**
   * Names a statement that comes again, so that the server parses and plans it once for each connection. Clients choose what they
   * select: statements that come once would use the names up.
   */
  #nameOf(sql: string): string | undefined {
    if (!this.#prepares || sql.length > namedCharactersMax) return undefined;
    const known = this.#names.get(sql);
    if (known !== undefined || this.#names.size >= namedMax) return known;
    if (!this.#once.delete(sql)) {
      this.#once.set(sql, true);
      return undefined;
    }
    const name = `s${this.#names.size}`;
    this.#names.set(sql, name);
    return name;
  }
}

/** Writes a statement with its values, for those who watch. */
function withValues(sql: string, args: readonly unknown[]): string {
  return sql.replace(/\$(\d+)/g, (_, number) => literal(args[Number(number) - 1]));
}

function literal(value: unknown): string {
  if (value === null || value === undefined) return 'NULL';
  if (Array.isArray(value)) return `ARRAY[${value.map(literal).join(', ')}]`;
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') return String(value);
  if (value instanceof Uint8Array) return `'\\x${Buffer.from(value).toString('hex')}'`;
  return `'${(value instanceof Date ? value.toISOString() : String(value)).replaceAll("'", "''")}'`;
}

/** Writes a result in Prisma's terms. */
export function toResultSet({ fields, rows }: pg.QueryArrayResult<unknown[]>): SqlResultSet {
  return {
    columnNames: fields.map(({ name }) => name),
    columnTypes: fields.map(({ dataTypeID }) => columnType(dataTypeID)),
    rows,
  };
}
