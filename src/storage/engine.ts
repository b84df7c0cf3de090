// What a database engine must give. Whatever differs between engines has a name here; nothing asks which engine it is.

import { DriverAdapterError, type SqlDriverAdapter, type SqlQueryable } from '@prisma/driver-adapter-utils';
import type { CommitOrder } from './commit-order.ts';
import type { PrismaClient } from './generated/client/client.ts';
import type { RowChanger, RowReader } from './row-changer.ts';

/** One database of one engine, open or not. `chooseEngine` makes it from the URL. */
export interface Engine extends KeyPlace {
  /** What people call the engine. */
  readonly title: string;
  /** Whether several processes may serve a database at once. */
  readonly isShared: boolean;
  /** How its statements are written, and what its values become. */
  readonly dialect: Dialect;
  readonly migrations: MigrationTarget;
  /** Says whether there is a database. */
  exists(): Promise<boolean>;
  /**
   * Takes the right to use the database, without waiting.
   *
   * @throws DatabaseInUseError when another process has it; another Error when it cannot be had at all
   */
  hold(purpose: HoldPurpose): Promise<Hold>;
  /** Takes the files of the database from all other users of this machine. Gives the paths that others could use. */
  makeFilesPrivate(): string[];
  /** Applies what is pending, as `migrate` does, while this thread goes on with its work. The caller holds the database. */
  migrateAside(): Promise<string[]>;
  /**
   * Opens the database, which is migrated.
   *
   * @throws Error when it cannot be opened, or does not take the settings that durability depends on
   */
  open(options: OpenOptions): Promise<OpenDatabase>;
  /**
   * Reads from the database without changing anything, not even beside it. However long it takes, it sees the database as it is
   * at the first statement, and holds nobody up.
   */
  reading<T>(work: (database: SqlQueryable) => Promise<T>): Promise<T>;
  /** Checks the structure of the database. Gives the first faults; none if it is whole. */
  structureFaults(): Promise<string[]>;
  /** Checks what is around the database: its disk, its permissions. */
  checkSurroundings(): Promise<Check[]>;
  /**
   * Copies the database, as it is at one moment, into a new file that only this user may read. A server may go on writing.
   * The file appears under its name only when it is complete and verified.
   *
   * @param onProgress told what part has been copied so far, from 0 to 1
   * @throws Error when the file exists, the database cannot be read, or the copy is not what was copied
   */
  backUp(file: string, onProgress?: (part: number) => void): Promise<CopyReport>;
  /**
   * Puts a copy in the place of the database, which the caller holds alone. What is verified is exactly what is put there,
   * and at every moment there is one whole database, the old one or the new one. The old one is kept.
   *
   * @throws Error when the copy is damaged, comes from another program or a newer version, or was sealed under another
   *   secret key, or when another program has the database open; everything is then as it was
   */
  restore(options: RestoreOptions): Promise<RestoreReport>;
}

/** A database as its secret key knows it. */
export interface KeyPlace {
  /** What messages and answers call the database: its path or its address, never with a password. */
  readonly name: string;
  /** Path of the file that holds the secret key if the configuration does not; null if the database is not of one machine. */
  readonly keyFile: string | null;
}

/** How statements are written for an engine, and what its driver gives. */
export interface Dialect {
  /** Writes the name of a table or column. */
  quote(name: string): string;
  /** Writes what stands for a value in a statement; the first is number 1. */
  placeholder(number: number): string;
  /** Most values that a list in a statement may have. */
  readonly valuesMax: number;
  /** Whether look-ups by id in one turn of the event loop share a statement: worth it where each is a round trip. */
  readonly gathersIds: boolean;
  /** Whether all reads in one turn of the event loop see the same moment. */
  readonly turnIsMoment: boolean;
  /**
   * Whether the statement of a list has to name, in its order, the columns of the index to read it by. A planner that goes by
   * statistics takes the rows of an account for spread evenly among all ids, and would read the rows of others in the order of
   * their ids until it has found enough: the whole table, where those are newer.
   */
  readonly ordersByIndex: boolean;
  /** Whether a sub-select in a join may refer to the tables before it. */
  readonly joinsLaterally: boolean;
  /**
   * Writes the place at which a value, already in lower case, begins in text, ignoring the case of ASCII letters; 0 where it is not
   * there. Other letters are compared as they are, because the engines disagree on their case.
   */
  placeOf(text: string, value: string): string;
  /** Converts the driver's values into Prisma's, by the type of the field; undefined where both are the same. Never called with null. */
  readonly decode: Decoders;
  readonly json: JsonWriting;
  readonly commitOrder: CommitOrder;
}

/** How a statement makes JSON out of rows. Both engines make the same values. */
export interface JsonWriting {
  /** Writes an object, of names and expressions. */
  object(entries: readonly (readonly [name: string, value: string])[]): string;
  /** Writes the value of the one row that `from` finds, or null. */
  one(value: string, from: string): string;
  /** Writes the values of all rows that `from` finds, in an order. */
  list(value: string, order: string, from: string): string;
  /** Writes a column as a value: times as `2027-01-31T09:30:00.000Z`, and a number that a double cannot keep as text. */
  readonly value: Readonly<Record<Exclude<keyof Decoders, 'Bytes'>, (column: string) => string>>;
  /** Makes text of it. */
  text(value: string): string;
}

/** Converts a value of the driver into Prisma's. */
export type Decode = (value: unknown) => unknown;

/** The conversion for each type of field that models have. */
export interface Decoders {
  readonly String: Decode | undefined;
  readonly Int: Decode | undefined;
  readonly Boolean: Decode | undefined;
  readonly BigInt: Decode | undefined;
  readonly Json: Decode | undefined;
  readonly DateTime: (value: unknown) => Date;
  readonly Bytes: (value: unknown) => Uint8Array<ArrayBuffer>;
}

/** What migrations are applied to. `migrate.ts` knows their order and Prisma's engine; this knows the database. */
export interface MigrationTarget extends Pick<KeyPlace, 'name'> {
  /** Prisma's name for the engine in adapters. */
  readonly provider: 'sqlite' | 'postgres';
  /** Prisma's name for the engine in schemas. */
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
  /** Does work with empty databases on which migrations are tried, and removes them afterwards. */
  withShadows<T>(work: (open: () => Promise<MigrationConnection>) => Promise<T>): Promise<T>;
}

/** A connection that migrations are applied to: it runs scripts of several statements. */
export type MigrationConnection = SqlQueryable & Pick<SqlDriverAdapter, 'executeScript'>;

/** A row of the table that Prisma keeps about migrations, as far as it is looked at here. */
export interface MigrationRow {
  readonly migration_name: string;
  readonly checksum: string;
  /** Null for a migration that has begun only. */
  readonly finished_at: unknown;
}

/**
 * What a database is held for: to serve it, which makes an empty one if there is none; to migrate it; or to replace what is in
 * it, its secrets or everything, during which no other process may have it, however many may serve it.
 */
export type HoldPurpose = 'serve' | 'migrate' | 'replace';

/** The right to use a database. The end of the process gives it back too, whatever ends it. */
export interface Hold {
  /** Why other processes are kept out less reliably than usual, for the log; null if they are not. */
  readonly weakness: string | null;
  /** Gives it back; call it after the database is closed. */
  release(): void;
}

/** Another process, or this one, has the database. */
export class DatabaseInUseError extends Error {}

/** How a database is opened. */
export interface OpenOptions {
  /** Sees every SQL statement that is executed, with its values: for tests and debugging, never for a log. */
  readonly onStatement?: ((sql: string) => void) | undefined;
  /** Told what every statement was and how long it took. */
  readonly onTiming?: TimingObserver | undefined;
  /** Has the database watched: for the process that holds it. */
  readonly owner?: Owner | undefined;
}

/** The process that holds a database. */
export interface Owner {
  /** Told what is wrong with the database and what to do, once for each thing; null when it is well again. */
  readonly onTrouble: (message: string | null) => void;
}

/** What a statement does; a commit is what waits for the disk. `wait` is not a statement: another program writes. */
export type StatementKind = 'read' | 'write' | 'begin' | 'commit' | 'rollback' | 'wait' | 'other';

const statementKinds: ReadonlyMap<string, StatementKind> = new Map([
  ['SELECT', 'read'],
  ['INSERT', 'write'],
  ['UPDATE', 'write'],
  ['DELETE', 'write'],
  ['BEGIN', 'begin'],
  ['COMMIT', 'commit'],
  ['ROLLBACK', 'rollback'],
]);

/** Tells the kind of a statement by its first word, which costs nothing; a `WITH` is one of the others. */
export function kindOf(sql: string): StatementKind {
  const end = sql.indexOf(' ');
  return statementKinds.get(end === -1 ? sql : sql.slice(0, end)) ?? 'other';
}

/** Takes the time that a statement took, failed or not. */
export type TimingObserver = (kind: StatementKind, seconds: number) => void;

/** An open database. */
export interface OpenDatabase {
  readonly client: PrismaClient;
  /** The client's own connection, for plain statements. */
  readonly connection: SqlQueryable & RowReader & RowChanger;
  /** Begins to watch over the database; call it once the database has been used successfully. */
  watch(): void;
  /** Takes a quick look at whether the database is still the one that was opened, and says whether anything is wrong with it. */
  hasTrouble(): boolean;
  /** Looks for damage, unless that was done a moment ago. What it finds is trouble from then on. */
  inspect(): Promise<void>;
  /** Closes the database, after the accepted work. */
  close(): Promise<void>;
  /** Resolves when no thread works on the database any more, which may be long after `close`. */
  ended(): Promise<void>;
}

/** Settings of every client of Prisma, whatever the engine. */
export const clientSettings = {
  // Prisma's other forms put the arguments of the failed call into the message, and messages go into the log.
  errorFormat: 'minimal',
  // Writes that take several statements wait for each other. Prisma's default of 2 s is too short for a burst.
  transactionOptions: { maxWait: 15_000, timeout: 15_000 },
} as const;

/**
 * Why the database did not do its work, where the statement was not to blame: `unavailable` passes (nothing was stored, and the
 * same request may succeed later), `conflict` is undone because of another change and may succeed at once, `uncertain` passes too
 * but the change may have been stored, `damaged` does not pass.
 */
export type Failure = 'unavailable' | 'conflict' | 'uncertain' | 'damaged';

/** An error of a driver adapter, with its message in plain sight, that says whether the database is to blame. */
export class EngineError extends DriverAdapterError {
  readonly failure: Failure | null;

  constructor(cause: DriverAdapterError['cause'], message: string, failure: Failure | null) {
    super({ ...cause, originalMessage: message });
    // Prisma's own would say only the kind in a log.
    this.message = message;
    this.failure = failure;
  }
}

/** What a verified copy holds. */
export interface CopyReport {
  readonly bytes: number;
  /** Rows by table, in the order of their names. */
  readonly tables: Readonly<Record<string, number>>;
  /** Whether something tells the right secret key from others: false only before the first start of a server. */
  readonly secretCheck: boolean;
}

/** What to restore, and how. */
export interface RestoreOptions {
  /** Path of the copy. It stays as it is. */
  readonly from: string;
  /** The configured secret key; null to use the key file. */
  readonly secretKey: Uint8Array | null;
  readonly now: Date;
  /** Told what an operator should know about the database that is being replaced. */
  readonly tell: (message: string) => void;
}

/** What a restored database holds, and what became of the one before. */
export interface RestoreReport extends CopyReport {
  /** Where the replaced database is now; null when there was none. */
  readonly replaced: string | null;
  /** Migrations that the next start will apply. */
  readonly pending: readonly string[];
}

/** What one look at a part of the installation found. */
export interface Check {
  readonly name: string;
  readonly level: 'ok' | 'warn' | 'fail';
  readonly message: string;
  /** What to do about it; null where there is nothing to do. */
  readonly remedy: string | null;
}
