// The connections to a PostgreSQL server: a pool for writes and transactions, and two that single reads share.

import { setTimeout as pause } from 'node:timers/promises';
import type { SqlQuery, SqlResultSet } from '@prisma/driver-adapter-utils';
import { LRUCache } from 'lru-cache';
import pg from 'pg';
import type { WorkQueueOptions } from '../../domain/work-queue.ts';
import { clientSettings } from '../engine.ts';
import { kindOf, type TimingObserver } from '../statement-kinds.ts';
import { Client, connect } from './client.ts';
import { closedError, isSpoiled, lostError, PipelineError, toDriverError } from './errors.ts';
import { findingRow, type Prepared, type Step, sendPipeline } from './pipeline.ts';
import { SharedConnection } from './shared-connection.ts';
import type { Address } from './url.ts';
import { columnType, toPostgres, toText } from './values.ts';

/** Where the database is and how it is used. */
export interface PostgresOptions {
  readonly address: Address;
  /** Called with every statement that is sent: for tests and debugging, never for a log. */
  readonly onStatement?: ((sql: string) => void) | undefined;
  /** Called with the kind and the duration of every statement. */
  readonly onTiming?: TimingObserver | undefined;
}

/**
 * Connections for writes and transactions, and how many of them one account may have. The connections of all servers must fit into
 * `max_connections`.
 */
const poolSize = 12;
const poolSizeOfAccount = 10;
/** Connections that reads share. On each of them, reads are pipelined. */
const readersCount = 2;
/** How long an answer may take before the connection is given up, in milliseconds. */
const queryTimeoutMs = 5_000;
/** How long the server's own writes, which take no turns, may wait for a connection, in milliseconds. */
const turnTimeoutMs = clientSettings.transactionOptions.maxWait;
/**
 * How accounts share the connections for writes. One account never has all of them, because all of its changes may be waiting for
 * locked rows. If the changes of several accounts are, the others get their turns when those give up (`lockTimeoutMs`).
 */
export const sharing: WorkQueueOptions = {
  atOnce: poolSize,
  atOnceOfOwner: poolSizeOfAccount,
  waitingMax: 1_000,
};
/**
 * How long a write may wait for a lock before it gives up its connection, in milliseconds. Longer than `deadlock_timeout`, so that
 * PostgreSQL looks for a deadlock first, and much shorter than the time limit of an answer, so that the outcome is never unknown.
 */
const lockTimeoutMs = 1_200;
/** How long to wait for all connections to end, in milliseconds. */
const endTimeoutMs = 2_000;
/**
 * Maximum number of statements that have a name. A service has some hundred. One connection may have each of them under three
 * names: sent alone, and in a pipeline with and without having to find a row (`#sendPipeline`).
 */
const namedMax = 1_000;
/** Characters of all statements that are remembered as sent once. */
const onceCharactersMax = 2_000_000;
/** Longest statement that is prepared, in characters. */
const namedCharactersMax = 10_000;

/** A statement of a pipeline. */
export interface Guarded {
  readonly query: SqlQuery;
  /** Whether the server must undo everything if the statement finds no row. */
  readonly mustFind: boolean;
}

/** The connections of one Prisma client. Methods throw the errors of `toDriverError`, unless they say otherwise. */
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
      // BEGIN is sent together with the first statement, and the reads of one turn with each other.
      pipeline: true,
      query_timeout: queryTimeoutMs,
      application_name: 'sallyport',
    };
    // The pool has one time limit, both for a free connection and for a new one. So the connections enforce the shorter limit of
    // the latter themselves.
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
    // Sent with the first statement. Behind a pooler, it would change the session of another client: there, the role has the
    // setting.
    if (this.#prepares) {
      this.#pool.on('connect', (client) => {
        client.query(`SET lock_timeout = ${lockTimeoutMs}`).catch(() => {});
      });
    }
    // The pool has already removed an idle connection that was lost.
    this.#pool.on('error', () => {});
    this.#readers = Array.from({ length: readersCount }, () => new SharedConnection(() => connect(address, own)));
  }

  /** Reads with one statement, together with the other reads of this event loop turn. */
  async read(query: SqlQuery): Promise<SqlResultSet> {
    try {
      return await this.#freest().run(async (client) => toResultSet(await this.send(client, query)));
    } catch (error) {
      throw toDriverError(error);
    }
  }

  /** Reads as `read` does. Returns the rows in the form that the decoders of the dialect take. */
  async readRows(query: SqlQuery): Promise<unknown[][]> {
    const alone = [{ query, mustFind: false }];
    try {
      const [rows = []] = await this.#freest().run((client) => this.#sendPipeline(client, alone));
      return rows;
    } catch (error) {
      throw toDriverError(error instanceof PipelineError ? error.cause : error);
    }
  }

  /** Returns the shared connection with the fewest pending answers. */
  #freest(): SharedConnection {
    this.#check();
    const [first, ...others] = this.#readers;
    if (first === undefined) throw closedError();
    return others.reduce((best, reader) => (reader.waiting < best.waiting ? reader : best), first);
  }

  /**
   * Executes statements, all of them or none, in one round trip. Returns the rows of each.
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

  /** Takes a connection for exclusive use. It must be released. */
  async take(): Promise<pg.PoolClient> {
    this.#check();
    try {
      return await this.#pool.connect();
    } catch (error) {
      // Whatever the reason, nothing was sent over it.
      throw lostError(error);
    }
  }

  /** Returns a connection to the pool, or ends it if an error has spoiled it. */
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
        // A statement that must find a row has another text, and the driver keeps track of the names that it sends alone.
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

  /** Sends statements without arguments, separated by semicolons. Throws the errors of the driver. */
  async script(client: pg.ClientBase, sql: string): Promise<void> {
    this.#options.onStatement?.(sql);
    await client.query(sql);
  }

  /** Ends all connections, once the statements in flight have their answers; does not wait for a server that does not answer. */
  close(): Promise<void> {
    const ended = () => Promise.all([this.#pool.end(), ...this.#readers.map((reader) => reader.close())]);
    this.#closed ??= Promise.race([ended(), pause(endTimeoutMs, undefined, { ref: false })]).then(() => {});
    return this.#closed;
  }

  #check(): void {
    if (this.#closed !== undefined) throw closedError();
  }

  /**
   * Returns the name of a statement that is sent again, so that the server parses and plans it once per connection. Clients choose
   * what they select, so statements that are sent only once would use up the names.
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

/** Writes a statement with its values, for observers. */
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

/** Converts a result into Prisma's form. */
export function toResultSet({ fields, rows }: pg.QueryArrayResult<unknown[]>): SqlResultSet {
  return {
    columnNames: fields.map(({ name }) => name),
    columnTypes: fields.map(({ dataTypeID }) => columnType(dataTypeID)),
    rows,
  };
}
