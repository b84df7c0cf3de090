// Transactions of Prisma's client on SQLite.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SqlQuery, SqlResultSet, Transaction } from '@prisma/driver-adapter-utils';
import { type ChangeStatement, changedRow } from '../objects/row-changer.ts';
import type { Connection } from './connection.ts';
import { endedError } from './errors.ts';

export const names = { provider: 'sqlite', adapterName: 'sallyport-sqlite' } as const;

/** A transaction of Prisma's client, alone on the writing connection from BEGIN to its end. */
export class SqliteTransaction implements Transaction {
  readonly provider = names.provider;
  readonly adapterName = names.adapterName;
  /**
   * True: `commit` and `rollback` end the transaction. With false, Prisma 7.10 sends COMMIT as a separate statement and
   * calls `commit` or `rollback` only to release the connection.
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

  /** Commits. If that fails, nothing is stored, and the next in the queue still gets a clean connection. */
  async commit(): Promise<void> {
    await this.#end(() => this.#open().script('COMMIT'));
  }

  /** Rolls back, unless SQLite has done so after an error. */
  async rollback(): Promise<void> {
    await this.#end(() => undefined);
  }

  /** Returns the connection. Throws if the transaction is no longer open: a statement would then commit on its own. */
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

/** Rolls back the open transaction of a connection, if there is one. */
export function undo(connection: Connection): void {
  if (connection.inTransaction) connection.script('ROLLBACK');
}

/** Does work within a transaction. If it fails, only the work is undone; if that is not possible, the whole transaction is. */
export function allOrNothing<T>(connection: Connection, work: () => T): T {
  connection.run('SAVEPOINT change');
  try {
    const result = work();
    connection.run('RELEASE change');
    return result;
  } catch (error) {
    // After some errors SQLite has rolled back the whole transaction.
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

/** Most rows that are changed in the transaction of others, in one event loop turn: some 20 ms, with an event each (measured). */
export const changesAtOnce = 100;

/** Milliseconds after which a change in its own transaction lets others have a turn sooner. */
const turnMs = 5;

/** Executes statements in their own transaction, all or none, with event loop turns in between. */
export async function changeInTurns(
  transaction: Transaction,
  statements: readonly ChangeStatement[],
): Promise<unknown[][]> {
  const changed: unknown[][] = [];
  try {
    let [rows, begun] = [0, performance.now()];
    for (const statement of statements) {
      if (rows >= changesAtOnce || performance.now() - begun > turnMs) {
        await nextTurn();
        [rows, begun] = [0, performance.now()];
      }
      rows += statement.rows ?? 1;
      changed.push(changedRow(await transaction.queryRaw(statement), statement));
    }
  } catch (error) {
    await transaction.rollback();
    throw error;
  }
  await transaction.commit();
  return changed;
}
