// Transactions of Prisma's client on SQLite.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SqlQuery, SqlResultSet, Transaction } from '@prisma/driver-adapter-utils';
import { changedRow } from '../row-changer.ts';
import type { Connection } from './connection.ts';
import { endedError } from './errors.ts';

/** What the adapter and its transactions call themselves. */
export const names = { provider: 'sqlite', adapterName: 'sallyport-sqlite' } as const;

/** A transaction of Prisma's client, alone on the writing connection from BEGIN to its end. */
export class SqliteTransaction implements Transaction {
  readonly provider = names.provider;
  readonly adapterName = names.adapterName;
  /**
   * True: `commit` and `rollback` do what they say. With false, Prisma 7.10 sends COMMIT as a statement of its own and
   * calls `commit` or `rollback` only to give the connection back.
   */
  readonly options = { usePhantomQuery: true };
  readonly #connection: Connection;
  readonly #release: () => void;
  #ended = false;

  constructor(connection: Connection, release: () => void) {
    this.#connection = connection;
    this.#release = release;
  }

  async queryRaw(query: SqlQuery): Promise<SqlResultSet> {
    return this.#open().query(query);
  }

  async executeRaw(query: SqlQuery): Promise<number> {
    return this.#open().execute(query);
  }

  async createSavepoint(name: string): Promise<void> {
    this.#open().script(`SAVEPOINT ${name}`);
  }

  async rollbackToSavepoint(name: string): Promise<void> {
    this.#open().script(`ROLLBACK TO ${name}`);
  }

  async releaseSavepoint(name: string): Promise<void> {
    this.#open().script(`RELEASE ${name}`);
  }

  /** Commits. When that fails, nothing has been stored and the next in line has a clean connection. */
  async commit(): Promise<void> {
    await this.#end(() => this.#open().script('COMMIT'));
  }

  /** Rolls back. Does nothing when SQLite has done so after an error. */
  async rollback(): Promise<void> {
    await this.#end(() => undefined);
  }

  /** Gives the connection as long as the transaction is open on it: after its end a statement would commit by itself. */
  #open(): Connection {
    if (this.#ended) throw endedError('The transaction has ended.');
    if (!this.#connection.inTransaction) throw endedError('SQLite has rolled the transaction back after an error.');
    return this.#connection;
  }

  async #end(finish: () => void): Promise<void> {
    if (this.#ended) throw endedError('The transaction has ended.');
    try {
      finish();
    } finally {
      this.#ended = true;
      try {
        undo(this.#connection);
      } finally {
        this.#release();
      }
    }
  }
}

/** Rolls back what is open on a connection, if anything is. */
export function undo(connection: Connection): void {
  if (connection.inTransaction) connection.script('ROLLBACK');
}

/** Does work within a transaction, of which nothing remains if it fails. Where that cannot be had, nothing remains of either. */
export function allOrNothing<T>(connection: Connection, work: () => T): T {
  connection.run('SAVEPOINT change');
  try {
    const result = work();
    connection.run('RELEASE change');
    return result;
  } catch (error) {
    // SQLite has rolled back the whole transaction after some errors.
    if (!connection.inTransaction) throw error;
    try {
      connection.script('ROLLBACK TO change');
      connection.script('RELEASE change');
    } catch {
      undo(connection);
    }
    throw error;
  }
}

/** Changes that are made in one turn of the event loop: about what takes 20 ms, with an event each (measured). */
export const changesAtOnce = 100;

/** Executes statements that change one row each in a transaction of their own, all or none. Everybody else gets turns in between. */
export async function changeInTurns(transaction: Transaction, statements: readonly SqlQuery[]): Promise<unknown[][]> {
  const changed: unknown[][] = [];
  try {
    for (const [place, statement] of statements.entries()) {
      if (place > 0 && place % changesAtOnce === 0) await nextTurn();
      changed.push(changedRow(await transaction.queryRaw(statement)));
    }
  } catch (error) {
    await transaction.rollback();
    throw error;
  }
  await transaction.commit();
  return changed;
}
