// What a database engine must provide. Whatever differs between engines has a name here; no code asks which engine it is.

import type { SqlDriverAdapter, SqlQueryable } from '@prisma/driver-adapter-utils';
import type { Trouble } from './engine-error.ts';
import type { PrismaClient } from './generated/client/client.ts';
import type { Gauge } from './lifecycle/gauges.ts';
import type { RowChanger, RowReader } from './objects/row-changer.ts';
import type { Dialect } from './sql/dialect.ts';
import type { TimingObserver } from './sql/statement-kinds.ts';

/** One database of one engine, open or not. `chooseEngine` creates it from the URL. */
export interface Engine extends KeyedDatabase {
  /** The name of the engine, for people. */
  readonly title: string;
  /** What to do if the database cannot be used now. */
  readonly remedy: string;
  /** Whether several processes may serve a database at once. */
  readonly isShared: boolean;
  /** How its statements are written, and how its values are decoded. */
  readonly dialect: Dialect;
  readonly migrations: MigrationTarget;
  /** Returns whether the database exists. */
  exists(): Promise<boolean>;
  /** Takes the right to use it, without waiting. Throws DatabaseInUseError if another process has it. */
  hold(purpose: HoldPurpose): Promise<Hold>;
  /** Waits until a standby takes writes, and tells the owner. Throws Error if it cannot be reached at first. */
  untilWritable(owner: Owner): Promise<void>;
  /** Denies all other users of this machine access to the database files. Returns the paths that others could use. */
  makeFilesPrivate(): string[];
  /** Applies pending migrations, as `migrate` does, without blocking this thread. The caller holds the database. */
  migrateAside(): Promise<string[]>;
  /**
   * Opens the database, which is migrated.
   *
   * @throws Error if it cannot be opened, or does not accept the settings that durability depends on
   */
  open(options: OpenOptions): Promise<OpenDatabase>;
  /**
   * Reads from the database without changing anything, not even next to it. However long the work takes, it sees the database as of
   * its first statement, and holds nobody up.
   */
  reading<T>(work: (database: SqlQueryable) => Promise<T>): Promise<T>;
  /** Checks the structure of the database, in a time that does not grow with it without bound. */
  examineStructure(): Promise<StructureFindings>;
  /** What the metrics tell of the engine, beside what areas count. */
  readonly gauges: readonly Gauge[];
  /** Checks the surroundings of the database: its disk, its permissions. */
  checkSurroundings(): Promise<Check[]>;
  /**
   * Copies the database, as it is at one moment, into a new file that only this user may read. A server may go on writing. The file
   * appears under its name only when it is complete and verified.
   *
   * @param onProgress called with the fraction that has been copied so far, from 0 to 1
   * @throws Error if the file exists, the database cannot be read, or the copy differs from the original
   */
  backUp(file: string, onProgress?: (part: number) => void): Promise<CopyReport>;
  /**
   * Replaces the database, which the caller holds alone, with a copy. Exactly what was verified is put in place, and at every
   * moment there is one whole database, the old one or the new one. The old one is kept.
   *
   * @throws Error if the copy is damaged or was changed since it was made, comes from another program or a newer version,
   *   or was sealed under another secret key, or if another program has the database open; nothing is changed then
   */
  restore(options: RestoreOptions): Promise<RestoreReport>;
}

/** What an open storage needs of its engine: `reading` for drafts. */
export type OpenedEngine = Pick<Engine, 'name' | 'remedy' | 'title' | 'dialect' | 'open'> &
  Partial<Pick<Engine, 'reading'>>;

/** What was found in the structure of a database. */
export interface StructureFindings {
  /** The first faults; none if it is intact. */
  readonly faults: readonly string[];
  /** The tables that were too large to be read. */
  readonly unread: readonly string[];
}

/** What the handling of the secret key needs to know about a database. */
export interface KeyedDatabase {
  /** The name of the database in messages and answers: its path or its address, never with a password. */
  readonly name: string;
  /** Path of the file that holds the secret key if the configuration does not; null if the database is not tied to one machine. */
  readonly keyFile: string | null;
}

/** What migrations are applied to. `migrate.ts` knows their order and Prisma's engine; this knows the database. */
export interface MigrationTarget extends Pick<KeyedDatabase, 'name'> {
  /** Prisma's name for the engine in adapters. */
  readonly provider: 'sqlite' | 'postgres';
  readonly prismaProvider: 'sqlite' | 'postgresql';
  /** Directory of the migrations that this program has for the engine: `<time>_<name>/migration.sql`. */
  readonly directory: string;
  /**
   * Reads the rows of `_prisma_migrations` that were not rolled back, without changing anything; none if there is no database.
   *
   * @throws Error when the database belongs to another program
   */
  readHistory(): Promise<MigrationRow[]>;
  /**
   * Does work in one transaction that may rebuild tables, or fill them. Commits only if the work succeeds and every reference still
   * holds.
   *
   * @param changes what the work changes: tables, which takes more rights than rows
   */
  transact<T>(changes: 'tables' | 'rows', work: (connection: MigrationConnection) => Promise<T>): Promise<T>;
  /** Does work with empty databases on which migrations are tried out, and removes them afterwards. */
  withShadows<T>(work: (open: () => Promise<MigrationConnection>) => Promise<T>): Promise<T>;
}

/** A connection that migrations are applied to: it runs scripts of several statements. */
export type MigrationConnection = SqlQueryable & Pick<SqlDriverAdapter, 'executeScript'>;

/** A row of Prisma's table of migrations, with the columns that are used here. */
export interface MigrationRow {
  readonly migration_name: string;
  readonly checksum: string;
  /** Null for a migration that has begun but not finished. */
  readonly finished_at: unknown;
}

/**
 * Why a database is held: to serve it, which creates an empty one if there is none; to migrate it; or to replace its secrets or
 * everything in it, during which no other process may hold it, however many may serve it.
 */
export type HoldPurpose = 'serve' | 'migrate' | 'replace';

/** The right to use a database. The end of the process also releases it, whatever the cause. */
export interface Hold {
  /** Why other processes are kept out less reliably than usual, for the log; null if they are not. */
  readonly weakness: string | null;
  /** Fires if the right to replace a database is lost before it is released: other processes may use the database from then on. */
  readonly lost: AbortSignal;
  /** Releases the right; call it after the database is closed. */
  release(): void;
}

/** The signal of a right that lasts until it is released. */
export const neverLost: AbortSignal = new AbortController().signal;

export interface OpenOptions {
  /** Called with every SQL statement that is executed, including its values: for tests and debugging, never for a log. */
  readonly onStatement?: ((sql: string) => void) | undefined;
  /** Called with the kind and the duration of every statement. */
  readonly onTiming?: TimingObserver | undefined;
  /** If given, the database is watched: for the process that holds it. */
  readonly owner?: Owner | undefined;
}

/** The process that holds a database. */
export interface Owner {
  /** Called with what is wrong with the database and what to do, once per problem; with null when it is well again. */
  readonly onTrouble: (message: string | null) => void;
}

export interface OpenDatabase {
  readonly client: PrismaClient;
  /** The client's own connection, for plain statements. */
  readonly connection: SqlQueryable & RowReader & RowChanger;
  /** Returns the dialect with the commit order of this migrated database. Call it before anything is written. */
  agreeOnDialect(): Promise<Dialect>;
  /** Begins to watch over the database; call it once the database has been used successfully. */
  watch(): void;
  /** Checks quickly whether the database is still the one that was opened, and takes writes. Returns what is wrong with it. */
  trouble(): Trouble | null;
  /** Looks for damage, unless that was done a moment ago. Damage that it finds counts as trouble from then on. */
  inspect(): Promise<void>;
  /** Closes the database once the accepted work is done. */
  close(): Promise<void>;
  /** Resolves when no thread works on the database any more, which may be long after `close`. */
  ended(): Promise<void>;
}

/** Settings of every Prisma client, whatever the engine. */
export const clientSettings = {
  // Prisma's other forms put the arguments of the failed call into the message, and messages go into the log.
  errorFormat: 'minimal',
  // Writes that take several statements wait for each other. Prisma's default of 2 s is too short for a burst.
  transactionOptions: { maxWait: 15_000, timeout: 15_000 },
} as const;

/** What a verified copy holds. */
export interface CopyReport {
  readonly bytes: number;
  /** Number of rows by table, in the order of the tables' names. */
  readonly tables: Readonly<Record<string, number>>;
  /** Whether the copy can tell the right secret key from others: false only before the first start of a server. */
  readonly secretCheck: boolean;
}

/** What to restore, and how. */
export interface RestoreOptions {
  /** Path of the copy, which is left unchanged. */
  readonly from: string;
  /** The configured secret key; null to use the key file. */
  readonly secretKey: Uint8Array | null;
  readonly now: Date;
  /** Called with what an operator should know about the database that is being replaced. */
  readonly tell: (message: string) => void;
}

/** What a restored database holds, and what happened to the previous one. */
export interface RestoreReport extends CopyReport {
  /** Where the replaced database is now; null if there was none. */
  readonly replaced: string | null;
  /** Migrations that the next start will apply. */
  readonly pending: readonly string[];
  /** Whether the contents are known to be those of when the backup was made: false if it has no digests. */
  readonly isCompared: boolean;
}

/** The result of one check of a part of the installation. */
export interface Check {
  readonly name: string;
  readonly level: 'ok' | 'warn' | 'fail';
  readonly message: string;
  /** What to do about it; null if there is nothing to do. */
  readonly remedy: string | null;
}
