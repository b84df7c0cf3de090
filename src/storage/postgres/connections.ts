// The connections to a PostgreSQL server: a pool for writes and transactions, and two that single reads share.

import { setTimeout as pause } from 'node:timers/promises';
import type { SqlQuery, SqlResultSet } from '@prisma/driver-adapter-utils';
import type pg from 'pg';
import type { WorkQueueOptions } from '../../domain/concurrency/work-queue.ts';
import { clientSettings } from '../engine.ts';
import { kindOf, type TimingObserver } from '../sql/statement-kinds.ts';
import { type Client, connect } from './client.ts';
import { closedError, isSpoiled, lostError, PipelineError, toDriverError } from './errors.ts';
import { findingRows, type Prepared, type Step, sendPipeline } from './pipeline.ts';
import { Pool } from './pool.ts';
import { sessionOf } from './sessions.ts';
import { SharedConnection } from './shared-connection.ts';
import { createNameOf, type NameOf, withValues } from './statement-names.ts';
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
/**
 * How much longer the answer to many statements may take that are stored together, in milliseconds for each beyond the first ones. Each
 * writes some hundred rows, in some ten milliseconds (measured).
 */
const timeoutMsOfStatement = 100;
const firstStatements = 20;
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
/** A statement of a pipeline. */
export interface Guarded {
  readonly query: SqlQuery;
  /** The server must undo everything if the statement finds fewer rows; 0 if it need not look. */
  readonly mustFind: number;
}

/** The connections of one Prisma client. Methods throw the errors of `toDriverError`, unless they say otherwise. */
export class Connections {
  readonly #options: PostgresOptions;
  readonly #pool: Pool;
  readonly #readers: SharedConnection[];
  readonly #prepared = new WeakMap<pg.ClientBase, Prepared>();
  readonly #nameOf: NameOf;
  readonly #prepares: boolean;
  #closed: Promise<void> | undefined;

  constructor(options: PostgresOptions) {
    this.#options = options;
    const { address } = options;
    this.#prepares = !address.behindPooler;
    this.#nameOf = this.#prepares ? createNameOf() : () => undefined;
    const own = {
      // BEGIN is sent together with the first statement, and the reads of one turn with each other.
      pipeline: true,
      query_timeout: queryTimeoutMs,
      application_name: 'sallyport',
    };
    this.#pool = new Pool({
      sizeMax: poolSize,
      waitMsMax: turnTimeoutMs,
      connect: async () => {
        const client = await connect(address, own);
        // Sent with the first statement. Behind a pooler, it would change the session of another client: there, the role has the
        // setting.
        if (this.#prepares) client.query(`SET lock_timeout = ${lockTimeoutMs}`).catch(() => {});
        return client;
      },
    });
    this.#readers = Array.from({ length: readersCount }, () => new SharedConnection(() => connect(address, own)));
  }

  /** Reads with one statement, together with the other reads of this event loop turn. */
  async read(query: SqlQuery): Promise<SqlResultSet> {
    try {
      return await this.#reading(async (client) => toResultSet(await this.send(client, query)));
    } catch (error) {
      throw toDriverError(error);
    }
  }

  /** Reads as `read` does. Returns the rows in the form that the decoders of the dialect take. */
  async readRows(query: SqlQuery): Promise<unknown[][]> {
    const alone = [{ query, mustFind: 0 }];
    try {
      const [rows = []] = await this.#reading((client) => this.#sendPipeline(client, alone));
      return rows;
    } catch (error) {
      throw toDriverError(error instanceof PipelineError ? error.cause : error);
    }
  }

  /** Returns whether one of the connections that reads share takes no writes. */
  async isReadOnly(): Promise<boolean> {
    this.#check();
    const open = this.#readers.filter(({ isOpen }) => isOpen);
    try {
      const asked = open.length > 0 ? open.map((reader) => reader.run(sessionOf)) : [this.#reading(sessionOf)];
      const sessions = await Promise.all(asked);
      return sessions.some((session) => session.isReadOnly);
    } catch (error) {
      throw toDriverError(error);
    }
  }

  /** Ends all connections, which lead to the wrong server: the next statements go over new ones. */
  renew(): void {
    this.#pool.renew();
    for (const reader of this.#readers) reader.renew();
  }

  /** Does work with the shared connection that has the fewest pending answers, or with another one if it cannot be opened. */
  async #reading<T>(work: (client: Client) => Promise<T>): Promise<T> {
    this.#check();
    const reader = freest(this.#readers);
    try {
      return await reader.run(work);
    } catch (error) {
      // Nothing was sent.
      if (!reader.isRefused) throw error;
      const other = this.#readers.find(({ isOpen }) => isOpen);
      if (other !== undefined) return other.run(work);
      if (!this.#pool.hasOpen) throw error;
      return this.#withPooled(work);
    }
  }

  async #withPooled<T>(work: (client: Client) => Promise<T>): Promise<T> {
    const client = await this.take();
    let failure: unknown;
    try {
      return await work(client);
    } catch (error) {
      failure = error;
      throw error;
    } finally {
      this.release(client, failure);
    }
  }

  /**
   * Executes statements, all of them or none, in one round trip. Returns the rows of each.
   *
   * @throws PipelineError, and what `take` throws
   */
  sendTogether(statements: readonly Guarded[]): Promise<unknown[][][]> {
    return this.#withPooled((client) => this.#sendPipeline(client, statements));
  }

  /** Takes a connection for exclusive use. It must be released. */
  async take(): Promise<Client> {
    this.#check();
    try {
      return await this.#pool.take();
    } catch (error) {
      // Whatever the reason, nothing was sent over it.
      throw lostError(error);
    }
  }

  /** Returns a connection to the pool, or ends it if an error has spoiled it. */
  release(client: Client, error?: unknown): void {
    this.#pool.release(client, error !== undefined && isSpoiled(error));
  }

  /** Sends a statement on a connection. Throws the errors of the driver. */
  async send(client: pg.ClientBase, query: SqlQuery): Promise<pg.QueryArrayResult<unknown[]>> {
    const { sql, args, argTypes } = query;
    this.#options.onStatement?.(withValues(sql, args));
    const name = this.#nameOf(query);
    const begun = performance.now();
    try {
      return await client.query<unknown[]>({
        text: sql,
        values: args.map((value, index) => toPostgres(value, argTypes[index])),
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
      const name = this.#nameOf(query);
      return {
        text: () => (mustFind > 0 ? findingRows(query.sql, mustFind) : query.sql),
        // A statement that must find rows has another text, and the driver keeps track of the names that it sends alone.
        name: name && `${mustFind > 0 ? `f${mustFind}` : 'p'}${name}`,
        values: query.args.map((value, index) => toText(value, query.argTypes[index])),
      };
    });
    const begun = performance.now();
    try {
      const more = Math.max(0, steps.length - firstStatements);
      return await sendPipeline(client, prepared, steps, queryTimeoutMs + more * timeoutMsOfStatement);
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
    const ended = () => Promise.all([this.#pool.close(), ...this.#readers.map((reader) => reader.close())]);
    this.#closed ??= Promise.race([ended(), pause(endTimeoutMs, undefined, { ref: false })]).then(() => {});
    return this.#closed;
  }

  #check(): void {
    if (this.#closed !== undefined) throw closedError();
  }
}

/** Returns the shared connection with the fewest pending answers, if possible one that could be opened. */
function freest([first, ...others]: readonly SharedConnection[]): SharedConnection {
  if (first === undefined) throw closedError();
  return others.reduce(
    (best, one) => (best.isRefused || (!one.isRefused && one.waiting < best.waiting) ? one : best),
    first,
  );
}

/** Converts a result into Prisma's form. */
export function toResultSet({ fields, rows }: pg.QueryArrayResult<unknown[]>): SqlResultSet {
  return {
    columnNames: fields.map(({ name }) => name),
    columnTypes: fields.map(({ dataTypeID }) => columnType(dataTypeID)),
    rows,
  };
}
