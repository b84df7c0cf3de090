// One connection to one SQLite file: opened with the required settings, statements prepared once. Synchronous throughout.
import type { SqlQuery, SqlResultSet } from '@prisma/driver-adapter-utils';
import type Database from 'better-sqlite3';
import { kindOf, type TimingObserver } from '../sql/statement-kinds.ts';
import { type Columns, describeColumns, fromSqlite, toSqlite } from './convert.ts';
import { Sqlite } from './driver.ts';
import { toDriverError } from './errors.ts';

/** Most prepared statements cached per connection. This program needs about a hundred. */
const statementsMax = 500;
/** Longer statements are not cached: each has its own length (a list of values) and is hardly ever repeated. */
const statementCharactersMax = 16_384;

/**
 * Pages in the write-ahead log at which it is moved into the file: usually, and for connections with many writes. Those use four
 * times SQLite's default, because a page that was written often is moved only once. The limit stays below the 4,062 pages that the
 * log's first index block covers.
 */
const logPagesUsual = 1_000;
const logPagesMax = 4_000;

/**
 * Size of a connection's page cache, in KiB. A miss costs a copy from the system's cache: no request took longer than with the
 * 16,000 KiB that `better-sqlite3` defaults to, even among a million objects. Scanning all indexes, each of which has the rows in
 * another order, took half as long with 16,000.
 */
const cacheKiB = 2_000;
const cacheKiBRebuilding = 16_000;

export interface ConnectionOptions {
  readonly path: string;
  /**
   * How long a statement waits while another process has the file locked, in milliseconds. The wait blocks the whole program,
   * so work that may wait long begins with `beginNow`.
   */
  readonly busyTimeoutMs: number;
  /** Opens an existing file for reading only. */
  readonly readonly?: boolean;
  /** For rebuilding tables, as a migration does: without foreign keys, and with a larger page cache. */
  readonly rebuildsTables?: boolean;
  /**
   * Saves work for frequent changes. SQLite keeps the statement journal, by which it undoes a statement or savepoint, in memory:
   * otherwise it creates a temporary file for each journal of more than 64 KiB, which is 16 pages. A change with its event touches
   * about as many, and the file cost a third of the processor time of its write (measured). Sorting happens in memory too, so use
   * this only for connections that sort little. The write-ahead log is moved into the file only at `logPagesMax` pages.
   */
  readonly writesOften?: boolean;
  /** Called with every statement that is executed, including its values. */
  readonly onStatement?: ((sql: string) => void) | undefined;
  /** Called with the kind and the duration of every statement. */
  readonly onTiming?: TimingObserver | undefined;
  /** Called with every error of a statement. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

interface Prepared {
  readonly statement: Database.Statement<unknown[], unknown[]>;
  /** Whether it returns rows and changes nothing. */
  readonly reads: boolean;
  /** Undefined if the columns can change between executions. */
  readonly columns: Columns | undefined;
}

/** SQLite's result of a checkpoint: whether it was blocked, the frames in the log, and the frames moved into the file. */
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
   * Opens the file, applies the settings that durability and integrity depend on, and reads them back.
   * @throws Error if a setting did not take effect, for example WAL on a file system without shared memory.
   */
  constructor(options: ConnectionOptions) {
    const { path, busyTimeoutMs, readonly = false, rebuildsTables = false, writesOften = false } = options;
    const { onStatement } = options;
    const watching = onStatement === undefined ? {} : { verbose: (sql: unknown) => onStatement(String(sql)) };
    this.#onTiming = options.onTiming;
    this.#onError = options.onError;
    this.#busyTimeoutMs = busyTimeoutMs;
    this.#database = guard(() => new Sqlite(path, { readonly, timeout: busyTimeoutMs, ...watching }));
    const settings = {
      // FULL: a commit is on the disk when it returns. With NORMAL, a power loss takes the last ones (sqlite.org/pragma).
      synchronous: 2,
      foreign_keys: rebuildsTables ? 0 : 1,
      busy_timeout: busyTimeoutMs,
      // 0 is the compiled-in default, a file; 2 is memory (https://www.sqlite.org/tempfiles.html#statement_journal_files).
      temp_store: writesOften ? 2 : 0,
      // Negative values are in KiB.
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

  /** Number of cached prepared statements. */
  get preparedCount(): number {
    return this.#prepared.size;
  }

  /** Returns whether a statement only reads; false for one that does not compile. */
  isRead(sql: string): boolean {
    try {
      return (this.#prepared.get(sql) ?? this.#prepare(sql)).reads;
    } catch {
      return false;
    }
  }

  /** Runs one statement and returns its rows. */
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

  /** Runs one statement and returns the number of rows it changed. */
  execute(query: SqlQuery): number {
    return this.#timed(query.sql, () => this.#prepare(query.sql).statement.run(...bind(query)).changes);
  }

  /** Runs a cached statement without arguments or rows, for statements that every change needs. */
  run(sql: string): void {
    this.#timed(sql, () => this.#prepare(sql).statement.run());
  }

  /** Runs statements without arguments, separated by semicolons. */
  script(sql: string): void {
    this.#timed(sql, () => this.#database.exec(sql));
  }

  /**
   * Makes reads see the file as it is now, until `endSnapshot`, whatever others write. They share the locks that each would
   * otherwise take, which cost more than a look-up by id. Neither call is timed, because neither waits.
   */
  beginSnapshot(): void {
    if (!this.#database.inTransaction) this.#guard(() => this.#begin.run());
  }

  /** Ends the snapshot, unless SQLite has ended it after an error. Never throws: there is nothing to lose. */
  endSnapshot(): void {
    try {
      if (this.#database.inTransaction) this.#commit.run();
    } catch {
      // The snapshot stays open and stale until the next call. Not known to happen, and no reason to end the process.
    }
  }

  /** Begins a writing transaction without waiting. Throws SocketTimeout if another process has the file locked. */
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
   * Moves the write-ahead log into the file, as far as no reader still needs the file's current pages.
   * @returns whether all of the log was moved
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
      // The columns of `*` may change with the tables; named columns do not.
      const columns = statement.reader && !sql.includes('*') ? describeColumns(statement.columns()) : undefined;
      if (columns?.wide === false) statement.safeIntegers(false);
      // COMMIT and the like count as read-only too, but return no rows.
      prepared = { statement, columns, reads: statement.reader && statement.readonly };
      if (sql.length > statementCharactersMax) return prepared;
    } else {
      this.#prepared.delete(sql); // put back below as the most recently used
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
  return query.args.map((value, index) => toSqlite(value, query.argTypes[index]));
}

function guard<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw toDriverError(error);
  }
}
