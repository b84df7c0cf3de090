// Prisma's adapter for PostgreSQL: which statements share a connection, and what happens to a connection that fails. Knows no
// models.

import type {
  IsolationLevel,
  SqlDriverAdapter,
  SqlDriverAdapterFactory,
  SqlQuery,
  SqlResultSet,
  Transaction,
} from '@prisma/driver-adapter-utils';
import type pg from 'pg';
import {
  type ChangeStatement,
  changedRow,
  MissingRowError,
  type RowChanger,
  type RowReader,
} from '../objects/row-changer.ts';
import type { Client } from './client.ts';
import { Connections, type PostgresOptions, sharing, toResultSet } from './connections.ts';
import {
  endedError,
  isLost,
  isSpoiled,
  isUnfound,
  PipelineError,
  toDriverError,
  unknownOutcomeError,
} from './errors.ts';

const names = { provider: 'postgres', adapterName: 'sallyport-postgres' } as const;

/** Creates adapters that also take our own statements. */
export interface PostgresAdapterFactory extends SqlDriverAdapterFactory {
  connect(): Promise<SqlDriverAdapter & RowReader & RowChanger & Pick<Connections, 'isReadOnly' | 'renew'>>;
}

/** Creates the adapter factory for `new PrismaClient({ adapter })`. Each client opens its own connections. */
export function createPostgresAdapterFactory(options: PostgresOptions): PostgresAdapterFactory {
  return { ...names, connect: async () => new PostgresAdapter(new Connections(options)) };
}

/**
 * A PostgreSQL server, with PostgreSQL's own rules: READ COMMITTED, and a change of a row waits for an earlier change of the row.
 *
 * - Single reads share two connections, on which they are pipelined: the reads of one turn are one round trip.
 * - Each write or transaction has a connection to itself, from a bounded pool. A change by our own statements is one round trip.
 * - A connection that failed is never used again. A write whose answer never came is reported as possibly stored.
 */
class PostgresAdapter implements SqlDriverAdapter, RowReader, RowChanger {
  readonly provider = names.provider;
  readonly adapterName = names.adapterName;
  readonly sharing = sharing;
  readonly #connections: Connections;

  constructor(connections: Connections) {
    this.#connections = connections;
  }

  getConnectionInfo() {
    // The parameters of one statement are counted in 16 bits (protocol, "Bind").
    return { schemaName: 'public', maxBindValues: 32_766, supportsRelationJoins: true };
  }

  async queryRaw(query: SqlQuery): Promise<SqlResultSet> {
    if (isRead(query.sql)) return this.#connections.read(query);
    return toResultSet(await this.#write(query));
  }

  readRows(query: SqlQuery): Promise<unknown[][]> {
    return this.#connections.readRows(query);
  }

  async executeRaw(query: SqlQuery): Promise<number> {
    return (await this.#write(query)).rowCount ?? 0;
  }

  /** Executes statements as `RowChanger` says, in one round trip. */
  async changeRows(statements: readonly ChangeStatement[]): Promise<unknown[][]> {
    if (statements.length === 0) return [];
    // A single statement that finds no row leaves nothing to undo. An INSERT and a count always return a row.
    const isFollowed = statements.length > 1;
    const guarded = statements.map((query) => {
      const { sql, finds = 1 } = query;
      return { query, mustFind: (isFollowed || finds > 1) && !newRow.test(sql) && !isRead(sql) ? finds : 0 };
    });
    try {
      return (await this.#connections.sendTogether(guarded)).map((rows, index) =>
        changedRow({ rows }, statements[index] ?? {}),
      );
    } catch (error) {
      if (!(error instanceof PipelineError)) throw error;
      if (error.isUncertain) throw unknownOutcomeError(error.cause);
      throw isUnfound(error.cause) ? new MissingRowError() : toDriverError(error.cause);
    }
  }

  async executeScript(script: string): Promise<void> {
    await this.#withConnection((client) => this.#connections.script(client, script));
  }

  /** Begins a transaction. BEGIN is sent with its first statement, so that it costs no round trip. */
  async startTransaction(isolationLevel?: IsolationLevel): Promise<Transaction> {
    const client = await this.#connections.take();
    return new PostgresTransaction(this.#connections, client, isolationLevel);
  }

  isReadOnly(): Promise<boolean> {
    return this.#connections.isReadOnly();
  }

  renew(): void {
    this.#connections.renew();
  }

  async dispose(): Promise<void> {
    await this.#connections.close();
  }

  #write(query: SqlQuery): Promise<pg.QueryArrayResult<unknown[]>> {
    return this.#withConnection((client) => this.#connections.send(client, query));
  }

  async #withConnection<T>(work: (client: Client) => Promise<T>): Promise<T> {
    const client = await this.#connections.take();
    let failure: unknown;
    try {
      return await work(client);
    } catch (error) {
      failure = error;
      throw isLost(error) ? unknownOutcomeError(error) : toDriverError(error);
    } finally {
      this.#connections.release(client, failure);
    }
  }
}

/** A transaction of Prisma's client, alone on its connection. */
class PostgresTransaction implements Transaction {
  readonly provider = names.provider;
  readonly adapterName = names.adapterName;
  /** True: `commit` and `rollback` send the statements themselves, as in the adapter for SQLite. */
  readonly options = { usePhantomQuery: true };
  readonly #connections: Connections;
  readonly #client: Client;
  /** Rejects if the transaction could not be begun. */
  #begun: Promise<unknown>;
  #ended = false;
  #failure: unknown;

  constructor(connections: Connections, client: Client, isolationLevel?: IsolationLevel) {
    this.#connections = connections;
    this.#client = client;
    const level = isolationLevel === undefined ? '' : ` ISOLATION LEVEL ${isolationLevel}`;
    this.#begun = connections.script(client, `BEGIN${level}`).catch((error: unknown) => {
      // The first statement is in flight as well and, without a transaction, is committed on its own.
      throw isLost(error) ? error : unknownOutcomeError(error);
    });
    // The sender of the first statement gets the error.
    this.#begun.catch(() => {});
  }

  async queryRaw(query: SqlQuery): Promise<SqlResultSet> {
    return toResultSet(await this.#send(query));
  }

  async executeRaw(query: SqlQuery): Promise<number> {
    return (await this.#send(query)).rowCount ?? 0;
  }

  async createSavepoint(name: string): Promise<void> {
    await this.#script(`SAVEPOINT ${name}`);
  }

  async rollbackToSavepoint(name: string): Promise<void> {
    await this.#script(`ROLLBACK TO SAVEPOINT ${name}`);
  }

  async releaseSavepoint(name: string): Promise<void> {
    await this.#script(`RELEASE SAVEPOINT ${name}`);
  }

  /** Commits. A transaction in which a statement failed is rolled back by the server instead, which is an error here. */
  async commit(): Promise<void> {
    await this.#end(async () => {
      const { command } = await this.#connections.send(this.#client, { sql: 'COMMIT', args: [], argTypes: [] });
      if (command === 'ROLLBACK') throw endedError('PostgreSQL has rolled the transaction back after an error.');
    });
  }

  async rollback(): Promise<void> {
    // A connection that is gone has rolled back by itself.
    if (this.#failure !== undefined && isSpoiled(this.#failure)) return this.#end(async () => {});
    await this.#end(() => this.#connections.script(this.#client, 'ROLLBACK'));
  }

  async #send(query: SqlQuery): Promise<pg.QueryArrayResult<unknown[]>> {
    return this.#during(() => this.#connections.send(this.#client, query));
  }

  async #script(sql: string): Promise<void> {
    await this.#during(() => this.#connections.script(this.#client, sql));
  }

  async #during<T>(work: () => Promise<T>): Promise<T> {
    if (this.#ended) throw endedError('The transaction has ended.');
    try {
      const [, result] = await Promise.all([this.#begun, work()]);
      return result;
    } catch (error) {
      this.#failure ??= error;
      throw toDriverError(error);
    }
  }

  async #end(finish: () => Promise<void>): Promise<void> {
    if (this.#ended) throw endedError('The transaction has ended.');
    this.#ended = true;
    let failure = this.#failure;
    try {
      await finish();
    } catch (error) {
      failure = error;
      // The connection was intact before COMMIT was sent, so only the answer is missing.
      throw isLost(error) ? unknownOutcomeError(error) : toDriverError(error);
    } finally {
      this.#connections.release(this.#client, failure);
    }
  }
}

const newRow = /^INSERT INTO [^(]+ (?:\([^)]*\) )?VALUES /;

/** Returns whether a statement only reads, and locks nothing. */
function isRead(sql: string): boolean {
  return sql.startsWith('SELECT') && !/ FOR (?:NO KEY )?(?:UPDATE|SHARE)\b/.test(sql);
}
