// Prisma's door to SQLite: the order in which reads, writes and transactions use one file. Knows no model.
import type {
  IsolationLevel,
  SqlDriverAdapter,
  SqlDriverAdapterFactory,
  SqlQuery,
  SqlResultSet,
  Transaction,
} from '@prisma/driver-adapter-utils';
import { DriverAdapterError } from '@prisma/driver-adapter-utils';
import type { OpenOptions, TimingObserver } from '../engine.ts';
import { changedRow, type RowChanger, type RowReader } from '../row-changer.ts';
import { Connection } from './connection.ts';
import { closedError, endedError, isLocked, refusedError } from './errors.ts';
import { gather } from './gather.ts';
import { allOrNothing, changeInTurns, changesAtOnce, names, SqliteTransaction, undo } from './transaction.ts';
import type { Watch } from './watch.ts';

/** Where the database is and how it is opened. */
export interface SqliteOptions extends Pick<OpenOptions, 'onStatement' | 'onTiming'> {
  /** Path of the file, made if it does not exist; `:memory:` for a database that ends with its client. */
  readonly path: string;
  /** How long a write waits for another process that has the file locked, in milliseconds; 5000 unless given. */
  readonly busyTimeoutMs?: number;
  /** Told of every error; says why nothing may be written any more. */
  readonly watch?: Pick<Watch, 'met' | 'refusal'> | undefined;
}

/** Makes adapters that can also save a log. */
export interface SqliteAdapterFactory extends SqlDriverAdapterFactory {
  connect(): Promise<SqliteAdapter>;
}

/** Makes the adapter for `new PrismaClient({ adapter })`. Each client opens its own connections: `SqliteAdapter` says what they promise. */
export function createSqliteAdapterFactory(options: SqliteOptions): SqliteAdapterFactory {
  return { ...names, connect: async () => new SqliteAdapter(options) };
}

/** Milliseconds between two attempts to begin while another process has the file locked. */
const retryMs = 20;

/** A piece of work that waits for the writing connection. */
interface Turn {
  /** Whether it needs a transaction to be open. */
  readonly begins: boolean;
  /** Whether it may share a transaction with its neighbours. */
  readonly grouped: boolean;
  /** Does the work and returns what tells the caller so, to be called once the work is durable. */
  readonly run: () => () => void;
  /** Tells the caller of a failure. Does nothing once the caller has been told of another. */
  readonly fail: (error: unknown) => void;
}

/** How a write waits that shares a transaction with its neighbours. */
const withOthers: Pick<Turn, 'begins' | 'grouped'> = { grouped: true, begins: true };

/**
 * One file, a connection that writes and a connection that reads.
 *
 * - Reads outside a transaction never wait, and see only what has been committed, and all that has been acknowledged.
 * - Writes and transactions take turns, first come, first served. So no write joins the transaction of another
 *   request and vanishes with it.
 * - Writes that meet (`gather.ts`) share one transaction and one fsync: single statements, and those that are stored together.
 *   Each is acknowledged after the COMMIT. One that fails is undone alone; if the COMMIT fails, all fail.
 * - Transactions begin with BEGIN IMMEDIATE: what they read cannot have changed by the time they write.
 * - While another process has the file locked, writes wait without holding up the program: reads go on.
 * - Nothing is written into a file that is damaged or has been moved: it would be acknowledged and never found again.
 */
export class SqliteAdapter implements SqlDriverAdapter, RowReader, RowChanger {
  readonly provider = names.provider;
  readonly adapterName = names.adapterName;
  readonly sharing = null;
  readonly #writer: Connection;
  /** Undefined for a database in memory, which no second connection can see. */
  readonly #reader: Connection | undefined;
  readonly #waiting: Turn[] = [];
  /** Whether a transaction holds the writing connection. */
  #taken = false;
  /** Set while another process has the file locked, until the next attempt. */
  #retry: NodeJS.Timeout | undefined;
  /** When the file was first found locked; undefined while it is not. */
  #lockedSinceMs: number | undefined;
  readonly #busyTimeoutMs: number;
  readonly #onTiming: TimingObserver | undefined;
  readonly #watch: SqliteOptions['watch'];
  #scheduled = false;
  /** Whether the reading connection holds a snapshot. */
  #snapshot = false;
  #closed = false;

  constructor({ path, busyTimeoutMs = 5000, onStatement, onTiming, watch }: SqliteOptions) {
    const watching = { onStatement, onTiming, onError: watch?.met };
    this.#watch = watch;
    this.#busyTimeoutMs = busyTimeoutMs;
    this.#onTiming = onTiming;
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
    return reader ? reader.query(query) : this.#wait(withOthers, () => this.#writer.query(query));
  }

  readRows = async (query: SqlQuery) => (await this.queryRaw(query)).rows;

  async executeRaw(query: SqlQuery): Promise<number> {
    const reader = this.#readerFor(query);
    return reader ? reader.execute(query) : this.#wait(withOthers, () => this.#writer.execute(query));
  }

  /**
   * Executes them as `RowChanger` says, in the transaction that the writes of this turn share. Many have a transaction of their own,
   * which takes several turns: other writes wait for its end, and nothing else does.
   */
  async changeRows(statements: readonly SqlQuery[]): Promise<unknown[][]> {
    if (statements.length > changesAtOnce) return changeInTurns(await this.startTransaction(), statements);
    const change = () => statements.map((statement) => changedRow(this.#writer.query(statement)));
    return this.#wait(withOthers, () => (statements.length === 1 ? change() : allOrNothing(this.#writer, change)));
  }

  /** Runs a script by itself: it may hold transactions and settings of its own. A transaction left open is undone. */
  async executeScript(script: string): Promise<void> {
    return this.#wait({ grouped: false, begins: false }, () => {
      try {
        this.#writer.script(script);
      } finally {
        undo(this.#writer);
      }
    });
  }

  /**
   * Moves the write-ahead log into the file, which is no write that could be refused: all of it has been acknowledged.
   * @returns whether all of it is there; somebody who still reads from the log keeps some back
   */
  async saveLog(): Promise<boolean> {
    return this.#wait({ grouped: false, begins: false }, () => this.#writer.checkpoint());
  }

  /** Begins a transaction when its turn comes; nothing else is written until it has ended. */
  async startTransaction(isolationLevel?: IsolationLevel): Promise<Transaction> {
    if (isolationLevel !== undefined && isolationLevel !== 'SERIALIZABLE') {
      throw new DriverAdapterError({ kind: 'InvalidIsolationLevel', level: isolationLevel });
    }
    return this.#wait({ grouped: false, begins: true }, () => {
      this.#taken = true;
      return new SqliteTransaction(this.#writer, () => {
        this.#taken = false;
        // What it has committed is acknowledged next, and seen by whoever reads after that.
        this.#endSnapshot();
        this.#schedule();
      });
    });
  }

  /** Refuses new work, lets the accepted work end, and closes the file. */
  async dispose(): Promise<void> {
    if (this.#closed) return;
    const done = new Promise<void>((resolve) => {
      this.#enqueue({ grouped: false, begins: false, run: () => resolve, fail: () => resolve() });
    });
    this.#closed = true;
    await done;
    this.#reader?.close();
    this.#writer.close();
  }

  /**
   * Gives the reading connection for a statement that only reads. All reads of one turn of the event loop share a snapshot;
   * it ends before anything that is committed in that turn is acknowledged.
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

  #wait<T>(how: Pick<Turn, 'grouped' | 'begins'>, work: () => T): Promise<T> {
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
    gather(
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
      if (first === undefined || (first.begins && !this.#begin())) return;
      if (first.grouped) {
        const groupSize = this.#waiting.findIndex((turn) => !turn.grouped);
        this.#commitTogether(this.#waiting.splice(0, groupSize === -1 ? this.#waiting.length : groupSize));
        continue;
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
        // After some errors (disk full, input or output) SQLite rolls back everything, not only the statement.
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

  /** Opens a transaction. When it cannot, those who wait go on waiting, up to the busy timeout, and then fail together. */
  #begin(): boolean {
    try {
      const refusal = this.#watch?.refusal ?? null;
      if (refusal !== null) throw refusedError(refusal);
      undo(this.#writer); // There is something only after a rollback that failed itself.
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
      for (const turn of this.#waiting.splice(0)) turn.fail(error);
      return false;
    }
  }

  #endWait(): void {
    if (this.#lockedSinceMs === undefined) return;
    this.#onTiming?.('wait', (performance.now() - this.#lockedSinceMs) / 1000);
    this.#lockedSinceMs = undefined;
  }
}
