// One connection to one SQLite file: opened as the promises need it, statements prepared once. Synchronous throughout.
import type { SqlQuery, SqlResultSet } from '@prisma/driver-adapter-utils';
import Database from 'better-sqlite3';
import { kindOf, type TimingObserver } from '../engine.ts';
import { type Columns, describeColumns, fromSqlite, toSqlite } from './convert.ts';
import { toDriverError } from './errors.ts';

/** Prepared statements kept per connection. This program needs about a hundred. */
const statementsMax = 500;
/** A longer statement has a length of its own (a list of values) and hardly comes again: kept, it would only cost memory. */
const statementCharactersMax = 16_384;

/**
 * Pages of the write-ahead log at which it moves into the file, usually and where there are many writes. It may be four times as long as
 * SQLite has it because a page that was written often moves once. No longer than the 4,062 pages that its first index finds.
 */
const logPagesUsual = 1_000;
const logPagesMax = 4_000;

/**
 * Pages that a connection keeps in memory, in KiB. A page that it does not keep costs a copy out of the system's own cache: no request took
 * longer than with the 16,000 that `better-sqlite3` would have, also among a million objects. Looking through all indexes, each of
 * which has the rows in another order, took half as long with them.
 */
const cacheKiB = 2_000;
const cacheKiBRebuilding = 16_000;

/** How a connection is opened. */
export interface ConnectionOptions {
  readonly path: string;
  /**
   * How long a statement waits for another process that has the file locked. The whole program stands still meanwhile,
   * so that what may wait long begins with `beginNow`.
   */
  readonly busyTimeoutMs: number;
  /** Opens a file that exists, for reading only. */
  readonly readonly?: boolean;
  /** Rebuilds tables, as a migration does: without foreign keys, and with more pages in memory. */
  readonly rebuildsTables?: boolean;
  /**
   * Saves work for changes that follow each other. What SQLite notes for undoing a statement or a savepoint stays in memory: otherwise it
   * makes a temporary file for each that notes more than 64 KiB, which is 16 pages. A change with its event touches about as many, and
   * the file cost a third of the processor time of its write (measured). What is sorted stays there as well: for a connection that sorts
   * little. And the write-ahead log moves into the file when it has `logPagesMax`.
   */
  readonly writesOften?: boolean;
  /** Sees every statement that is executed, with its values. */
  readonly onStatement?: ((sql: string) => void) | undefined;
  /** Told of every statement what it was and how long it took. */
  readonly onTiming?: TimingObserver | undefined;
  /** Told of every error of a statement. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

interface Prepared {
  readonly statement: Database.Statement<unknown[], unknown[]>;
  /** Whether it gives rows and changes nothing. */
  readonly reads: boolean;
  /** Known only where it cannot change under the statement. */
  readonly columns: Columns | undefined;
}

/** What SQLite tells of a checkpoint: whether it was kept from it, and frames in the log and in the file. */
interface Checkpoint {
  readonly busy: bigint;
  readonly log: bigint;
  readonly checkpointed: bigint;
}

/** A connection. Every method throws the errors of `toDriverError`. */
export class Connection {
  readonly #database: Database.Database;
  readonly #prepared = new Map<string, Prepared>();
  readonly #onTiming: TimingObserver | undefined;
  readonly #onError: ((error: unknown) => void) | undefined;
  readonly #busyTimeoutMs: number;
  readonly #begin: Database.Statement;
  readonly #commit: Database.Statement;

  /**
   * Opens the file and sets what durability and integrity rest on, then reads it back.
   * @throws Error when a setting does not hold, for example WAL on a file system without shared memory.
   */
  constructor(options: ConnectionOptions) {
    const { path, busyTimeoutMs, readonly = false, rebuildsTables = false, writesOften = false } = options;
    const { onStatement } = options;
    const watching = onStatement === undefined ? {} : { verbose: (sql: unknown) => onStatement(String(sql)) };
    this.#onTiming = options.onTiming;
    this.#onError = options.onError;
    this.#busyTimeoutMs = busyTimeoutMs;
    this.#database = guard(() => new Database(path, { readonly, timeout: busyTimeoutMs, ...watching }));
    const settings = {
      // A commit is on the disk when it returns: with NORMAL, power loss takes the last ones (sqlite.org/pragma).
      synchronous: 2,
      foreign_keys: rebuildsTables ? 0 : 1,
      busy_timeout: busyTimeoutMs,
      // 0 is what SQLite was built with: a file; 2 is memory (https://www.sqlite.org/tempfiles.html#statement_journal_files).
      temp_store: writesOften ? 2 : 0,
      // In KiB, where it is negative.
      cache_size: rebuildsTables ? -cacheKiBRebuilding : -cacheKiB,
      wal_autocheckpoint: writesOften ? logPagesMax : logPagesUsual,
      journal_mode: path === ':memory:' ? 'memory' : 'wal',
    };
    try {
      for (const [name, wanted] of Object.entries(settings)) {
        guard(() => this.#database.pragma(`${name} = ${wanted}`));
        const actual = guard(() => this.#database.pragma(name, { simple: true }));
        if (actual !== wanted) {
          throw new Error(`Cannot open ${path}: SQLite keeps ${name} at ${actual}, and ${wanted} is needed.`);
        }
      }
    } catch (error) {
      this.#database.close();
      throw error;
    }
    this.#database.defaultSafeIntegers(true);
    this.#begin = this.#database.prepare('BEGIN');
    this.#commit = this.#database.prepare('COMMIT');
  }

  /** Whether a transaction is open. SQLite itself closes it after some errors. */
  get inTransaction(): boolean {
    return this.#database.inTransaction;
  }

  /** How many prepared statements are kept. */
  get preparedCount(): number {
    return this.#prepared.size;
  }

  /** Says whether a statement only reads. One that does not compile is not known to. */
  isRead(sql: string): boolean {
    try {
      return (this.#prepared.get(sql) ?? this.#prepare(sql)).reads;
    } catch {
      return false;
    }
  }

  /** Runs one statement and gives its rows. */
  query(query: SqlQuery): SqlResultSet {
    return this.#timed(query.sql, () => {
      const { statement, columns: known } = this.#prepare(query.sql);
      if (!statement.reader) {
        statement.run(...bind(query));
        return { columnNames: [], columnTypes: [], rows: [] };
      }
      const rows = statement.all(...bind(query));
      const columns = known ?? describeColumns(statement.columns());
      return { columnNames: columns.names, columnTypes: fromSqlite(columns, rows), rows };
    });
  }

  /** Runs one statement and gives the number of rows that it changed. */
  execute(query: SqlQuery): number {
    return this.#timed(query.sql, () => this.#prepare(query.sql).statement.run(...bind(query)).changes);
  }

  /** Runs a statement without arguments and rows that is prepared once, because every change needs it. */
  run(sql: string): void {
    this.#timed(sql, () => this.#prepare(sql).statement.run());
  }

  /** Runs statements without arguments, separated by semicolons. */
  script(sql: string): void {
    this.#timed(sql, () => this.#database.exec(sql));
  }

  /**
   * Lets the following reads see the file as it is now, whatever others write, until `endSnapshot`. They share the locks
   * that each would take by itself, which cost more than a look-up by id. Not timed: neither waits for anything.
   */
  beginSnapshot(): void {
    if (!this.#database.inTransaction) this.#guard(() => this.#begin.run());
  }

  /** Ends the snapshot. SQLite itself has done so after some errors. Throws nothing: there is nothing to be lost. */
  endSnapshot(): void {
    try {
      if (this.#database.inTransaction) this.#commit.run();
    } catch {
      // It goes on, older than it should be, until the next end: not known to happen, and no reason to end the process.
    }
  }

  /** Begins a transaction that writes, without waiting: throws SocketTimeout when another process has the file locked. */
  beginNow(): void {
    this.#timed('BEGIN', () => {
      this.#database.exec('PRAGMA busy_timeout = 0');
      try {
        this.#prepare('BEGIN IMMEDIATE').statement.run();
      } finally {
        this.#database.exec(`PRAGMA busy_timeout = ${this.#busyTimeoutMs}`);
      }
    });
  }

  /**
   * Moves the write-ahead log into the file, as far as nobody still reads what the file has now.
   * @returns whether all of it is there
   */
  checkpoint(): boolean {
    const rows = this.#guard(() => this.#database.prepare<[], Checkpoint>('PRAGMA wal_checkpoint(PASSIVE)').all());
    return rows.every(({ busy, log, checkpointed }) => busy === 0n && log === checkpointed);
  }

  /** Closes the file. The last connection to close moves the write-ahead log into it. */
  close(): void {
    this.#database.close();
  }

  #timed<T>(sql: string, work: () => T): T {
    if (this.#onTiming === undefined) return this.#guard(work);
    const begun = performance.now();
    try {
      return this.#guard(work);
    } finally {
      this.#onTiming(kindOf(sql), (performance.now() - begun) / 1000);
    }
  }

  #guard<T>(work: () => T): T {
    try {
      return guard(work);
    } catch (error) {
      this.#onError?.(error);
      throw error;
    }
  }

  #prepare(sql: string): Prepared {
    let prepared = this.#prepared.get(sql);
    if (prepared === undefined) {
      const statement = this.#database.prepare<unknown[], unknown[]>(sql);
      if (statement.reader) statement.raw(true);
      // What `*` stands for may change with the tables; columns called by name do not.
      const columns = statement.reader && !sql.includes('*') ? describeColumns(statement.columns()) : undefined;
      if (columns?.wide === false) statement.safeIntegers(false);
      // COMMIT and the like count as read-only too, but give no rows.
      prepared = { statement, columns, reads: statement.reader && statement.readonly };
      if (sql.length > statementCharactersMax) return prepared;
    } else {
      this.#prepared.delete(sql); // and put back below as the one used last
    }
    this.#prepared.set(sql, prepared);
    if (this.#prepared.size > statementsMax) {
      for (const oldest of this.#prepared.keys()) {
        this.#prepared.delete(oldest);
        break;
      }
    }
    return prepared;
  }
}

function bind(query: SqlQuery): unknown[] {
  return query.args.map((value, place) => toSqlite(value, query.argTypes[place]));
}

function guard<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw toDriverError(error);
  }
}
