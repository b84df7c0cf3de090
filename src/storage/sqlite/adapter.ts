// Prisma's adapter for SQLite: schedules reads, writes and transactions on one file. It knows no models.
import type {
  IsolationLevel,
  SqlDriverAdapter,
  SqlDriverAdapterFactory,
  SqlQuery,
  SqlResultSet,
  Transaction,
} from '@prisma/driver-adapter-utils';
import { DriverAdapterError } from '@prisma/driver-adapter-utils';
import type { OpenOptions } from '../engine.ts';
import { type ChangeStatement, changedRow, type RowChanger, type RowReader } from '../objects/row-changer.ts';
import type { TimingObserver } from '../sql/statement-kinds.ts';
import { Connection } from './connection.ts';
import { closedError, endedError, isLocked, refusedError } from './errors.ts';
import { alone, createMemoryGather, firstGroup, gather, type Turn, withOthers } from './gather.ts';
import { allOrNothing, changeInTurns, changesAtOnce, names, SqliteTransaction, undo } from './transaction.ts';
import type { Watch } from './watch.ts';

export interface SqliteOptions extends Pick<OpenOptions, 'onStatement' | 'onTiming'> {
  /** Path of the file, created if it does not exist; `:memory:` for a database that ends with its client. */
  readonly path: string;
  /** How long a write waits while another process has the file locked, in milliseconds; 5000 by default. */
  readonly busyTimeoutMs?: number;
  /** Notified of every error; says why nothing may be written any more. */
  readonly watch?: Pick<Watch, 'met' | 'refusal'> | undefined;
}

/** Creates adapters that can also save the write-ahead log. */
export interface SqliteAdapterFactory extends SqlDriverAdapterFactory {
  connect(): Promise<SqliteAdapter>;
}

/** Creates the adapter for `new PrismaClient({ adapter })`. Each client opens its own connections: see `SqliteAdapter`. */
export function createSqliteAdapterFactory(options: SqliteOptions): SqliteAdapterFactory {
  return { ...names, connect: async () => new SqliteAdapter(options) };
}

/** Milliseconds between attempts to begin while another process has the file locked. */
const retryMs = 20;

/**
 * One file, a connection that writes and a connection that reads.
 *
 * - Reads outside a transaction never wait. They see only committed data, and everything that has been acknowledged.
 * - Writes and transactions take turns, first come, first served. So no write joins the transaction of another
 *   request and is rolled back with it.
 * - Writes that arrive together (`gather.ts`) share one transaction and one fsync: single statements, and groups that are stored
 *   atomically. Each is acknowledged after the COMMIT. A write that fails is undone alone; if the COMMIT fails, all fail.
 * - Transactions begin with BEGIN IMMEDIATE: what they read cannot have changed by the time they write.
 * - While another process has the file locked, writes wait without blocking the program, and reads go on.
 * - Nothing is written into a file that is damaged or has been moved: it would be acknowledged and then lost.
 */
export class SqliteAdapter implements SqlDriverAdapter, RowReader, RowChanger {
  readonly provider = names.provider;
  readonly adapterName = names.adapterName;
  readonly sharing = null;
  readonly #writer: Connection;
  /** Undefined for a database in memory, because no second connection can see it. */
  readonly #reader: Connection | undefined;
  readonly #waiting: Turn[] = [];
  /** Whether a transaction holds the writing connection. */
  #taken = false;
  /** Set while another process has the file locked, until the next attempt. */
  #retry: NodeJS.Timeout | undefined;
  /** When the file was first found locked; undefined while it is not locked. */
  #lockedSinceMs: number | undefined;
  readonly #busyTimeoutMs: number;
  readonly #onTiming: TimingObserver | undefined;
  readonly #watch: SqliteOptions['watch'];
  readonly #gather: typeof gather;
  #scheduled = false;
  /** Whether the reading connection holds a snapshot. */
  #snapshot = false;
  #closed = false;

  constructor({ path, busyTimeoutMs = 5000, onStatement, onTiming, watch }: SqliteOptions) {
    const watching = { onStatement, onTiming, onError: watch?.met };
    this.#watch = watch;
    this.#busyTimeoutMs = busyTimeoutMs;
    this.#onTiming = onTiming;
    this.#gather = path === ':memory:' ? createMemoryGather() : gather;
    this.#writer = new Connection({ path, busyTimeoutMs, ...watching, writesOften: true });
    try {
      this.#reader =
        path === ':memory:' ? undefined : new Connection({ path, busyTimeoutMs, ...watching, readonly: true });
    } catch (error) {
      this.#writer.close();
      throw error;
    }
  }

  async queryRaw(query: SqlQuery): Promise<SqlResultSet> {
    const reader = this.#readerFor(query);
    return reader ? reader.query(query) : this.#wait(withOthers(query), () => this.#writer.query(query));
  }

  readRows = async (query: SqlQuery) => (await this.queryRaw(query)).rows;

  async executeRaw(query: SqlQuery): Promise<number> {
    const reader = this.#readerFor(query);
    return reader ? reader.execute(query) : this.#wait(withOthers(query), () => this.#writer.execute(query));
  }

  /**
   * Executes statements as `RowChanger` says, in the transaction that the writes of this turn share. More than `changesAtOnce`
   * rows get their own transaction, over several event loop turns: only other writes wait for its end.
   */
  async changeRows(statements: readonly ChangeStatement[]): Promise<unknown[][]> {
    const rows = statements.reduce((sum, statement) => sum + (statement.rows ?? 1), 0);
    if (rows > changesAtOnce) return changeInTurns(await this.startTransaction(), statements);
    const change = () => statements.map((statement) => changedRow(this.#writer.query(statement), statement));
    return this.#wait(withOthers(...statements), () =>
      statements.length === 1 && (statements[0]?.finds ?? 1) <= 1 ? change() : allOrNothing(this.#writer, change),
    );
  }

  /** Runs a script alone: it may contain transactions and settings. A transaction that it leaves open is rolled back. */
  async executeScript(script: string): Promise<void> {
    return this.#wait(alone, () => {
      try {
        this.#writer.script(script);
      } finally {
        undo(this.#writer);
      }
    });
  }

  /**
   * Moves the write-ahead log into the file. This is not refused like a write, because everything in the log has been acknowledged.
   * @returns whether all of the log was moved; a reader that still uses the log holds some of it back
   */
  async saveLog(): Promise<boolean> {
    return this.#wait(alone, () => this.#writer.checkpoint());
  }

  /** Begins a transaction when its turn comes. Nothing else is written until it ends. */
  async startTransaction(isolationLevel?: IsolationLevel): Promise<Transaction> {
    if (isolationLevel !== undefined && isolationLevel !== 'SERIALIZABLE') {
      throw new DriverAdapterError({ kind: 'InvalidIsolationLevel', level: isolationLevel });
    }
    return this.#wait({ ...alone, begins: true }, () => {
      this.#taken = true;
      return new SqliteTransaction(this.#writer, () => {
        this.#taken = false;
        // The commit is acknowledged next, and later reads must see it.
        this.#endSnapshot();
        this.#schedule();
      });
    });
  }

  /** Refuses new work, waits for the accepted work, and closes the file. */
  async dispose(): Promise<void> {
    if (this.#closed) return;
    const done = new Promise<void>((resolve) => {
      this.#enqueue({ ...alone, run: () => resolve, fail: () => resolve() });
    });
    this.#closed = true;
    await done;
    this.#reader?.close();
    this.#writer.close();
  }

  /**
   * Returns the reading connection for a statement that only reads; undefined for any other. All reads in one event loop turn share
   * a snapshot, which ends before any commit of that turn is acknowledged.
   */
  #readerFor(query: SqlQuery): Connection | undefined {
    if (this.#closed) throw closedError();
    if (!this.#reader?.isRead(query.sql)) return undefined;
    if (!this.#snapshot) {
      this.#reader.beginSnapshot();
      this.#snapshot = true;
      setImmediate(() => this.#endSnapshot());
    }
    return this.#reader;
  }

  #endSnapshot(): void {
    if (!this.#snapshot) return;
    this.#snapshot = false;
    this.#reader?.endSnapshot();
  }

  #wait<T>(how: Pick<Turn, 'grouped' | 'begins' | 'size'>, work: () => T): Promise<T> {
    if (this.#closed) return Promise.reject(closedError());
    return new Promise((resolve, reject) => {
      const run = () => {
        const result = work();
        return () => resolve(result);
      };
      this.#enqueue({ ...how, run, fail: reject });
    });
  }

  #enqueue(turn: Turn): void {
    this.#waiting.push(turn);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#gather(
      () => this.#waiting.length,
      () => {
        this.#scheduled = false;
        this.#takeTurns();
      },
    );
  }

  #takeTurns(): void {
    this.#endSnapshot();
    while (!this.#taken && this.#retry === undefined) {
      const [first] = this.#waiting;
      if (first === undefined) return;
      if (first.begins && !this.#begin()) continue;
      if (first.grouped) {
        this.#commitTogether(this.#waiting.splice(0, firstGroup(this.#waiting)));
        if (this.#waiting.length === 0) return;
        // Other work has its turn before the next commit.
        setImmediate(() => this.#takeTurns());
        return;
      }
      this.#waiting.shift();
      try {
        first.run()();
      } catch (error) {
        first.fail(error);
      }
    }
  }

  #commitTogether(group: readonly Turn[]): void {
    const acknowledgements: (() => void)[] = [];
    try {
      for (const turn of group) {
        let failure: unknown;
        try {
          acknowledgements.push(turn.run());
        } catch (error) {
          failure = error;
          turn.fail(error);
        }
        // After some errors (disk full, I/O) SQLite rolls back the whole transaction, not only the statement.
        if (!this.#writer.inTransaction) {
          throw failure ?? endedError('A statement ended the transaction that it shared with others.');
        }
      }
      this.#writer.run('COMMIT');
    } catch (error) {
      for (const turn of group) turn.fail(error);
      undo(this.#writer);
      return;
    }
    for (const acknowledge of acknowledgements) acknowledge();
  }

  /**
   * Opens a transaction. While the file is locked, the queue waits up to the busy timeout. Then, or on other errors, all turns that
   * need a transaction fail.
   */
  #begin(): boolean {
    try {
      const refusal = this.#watch?.refusal ?? null;
      if (refusal !== null) throw refusedError(refusal.message, refusal.kind);
      undo(this.#writer); // A transaction is open only if an earlier rollback failed.
      this.#writer.beginNow();
      this.#endWait();
      return true;
    } catch (error) {
      this.#lockedSinceMs ??= performance.now();
      if (isLocked(error) && performance.now() - this.#lockedSinceMs < this.#busyTimeoutMs) {
        this.#retry = setTimeout(() => {
          this.#retry = undefined;
          this.#takeTurns();
        }, retryMs);
        return false;
      }
      this.#endWait();
      for (const turn of this.#waiting.splice(0)) {
        if (turn.begins) turn.fail(error);
        else this.#waiting.push(turn);
      }
      return false;
    }
  }

  #endWait(): void {
    if (this.#lockedSinceMs === undefined) return;
    this.#onTiming?.('wait', (performance.now() - this.#lockedSinceMs) / 1000);
    this.#lockedSinceMs = undefined;
  }
}
