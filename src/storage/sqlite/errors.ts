// Maps SQLite's errors to Prisma's, and decides whether the statement or the database is to blame.
import type { MappedError } from '@prisma/driver-adapter-utils';
import { EngineError, type Failure, type Trouble } from '../engine-error.ts';
import { Sqlite } from './driver.ts';

/** SQLite's primary result codes in order: the index is the number (sqlite.org/rescode.html). */
const primaryCodes = (
  'OK ERROR INTERNAL PERM ABORT BUSY LOCKED NOMEM READONLY INTERRUPT IOERR CORRUPT NOTFOUND FULL CANTOPEN PROTOCOL ' +
  'EMPTY SCHEMA TOOBIG CONSTRAINT MISMATCH MISUSE NOLFS AUTH FORMAT RANGE NOTADB'
).split(' ');

/** Failures of the machine below the database, not of the statement: the same request may succeed later. */
const passing = new Set(['BUSY', 'LOCKED', 'NOMEM', 'IOERR', 'FULL', 'CANTOPEN', 'PROTOCOL'].map(primaryCodeOf));

/** Errors of the file itself, or of reading it, which do not go away. */
const damages = new Set(['CORRUPT', 'NOTADB', 'FORMAT'].map(primaryCodeOf));
/** The same for I/O errors. The other I/O errors are temporary, such as an exhausted quota or memory. */
const ioDamages = new Set(
  ['READ', 'SHORT_READ', 'FSYNC', 'DIR_FSYNC', 'DATA', 'CORRUPTFS'].map((kind) => `SQLITE_IOERR_${kind}`),
);
/** The system's codes (errno(3)) for those by which SQLite says that a file cannot be written. */
export const systemCodes = { SQLITE_FULL: 'ENOSPC', SQLITE_READONLY: 'EROFS' } as const;
/** SQLite's code for a database that is no longer where it was opened. */
const movedCode = 'SQLITE_READONLY_DBMOVED';

/**
 * Translates an error of better-sqlite3 into the one that Prisma expects of an adapter. `cause.originalCode` keeps the name of
 * SQLite's extended code, because what Prisma calls `extendedCode` is only the primary code here: the driver gives no number for a code
 * that it has a name for. Any other error is a bug in this program, and is returned as it is.
 */
export function toDriverError(error: unknown): unknown {
  if (!(error instanceof Sqlite.SqliteError)) return error;
  return new EngineError({ ...kindOf(error), originalCode: error.code }, error.message, failureOfCode(error.code));
}

/** Creates the error for a call on a database that this program has closed. */
export function closedError(): EngineError {
  const message = 'The database has been closed: the program is shutting down.';
  return new EngineError({ kind: 'ConnectionClosed' }, message, 'unavailable');
}

/** Creates the error for a write into a database that is damaged, has lost its files or is read-only. */
export function refusedError(why: string, failure: Trouble): EngineError {
  const cause = {
    kind: 'sqlite',
    extendedCode: primaryCodeOf(movedCode),
    message: why,
    originalCode: movedCode,
  } as const;
  return new EngineError(cause, why, failure);
}

/** Creates the error for a call on a transaction that has ended, or that SQLite has rolled back after a failure. */
export function endedError(cause: string): EngineError {
  return new EngineError({ kind: 'TransactionAlreadyClosed', cause }, cause, null);
}

/** Returns whether an error of a connection means that another process has the file locked. */
export function isLocked(error: unknown): boolean {
  return error instanceof EngineError && error.cause.kind === 'SocketTimeout';
}

/** Returns whether a code of SQLite means that a database is damaged. */
export function isDamageCode(code: string): boolean {
  return damages.has(primaryCodeOf(code)) || ioDamages.has(code);
}

function failureOfCode(code: string): Failure | null {
  if (isDamageCode(code) || code === movedCode) return 'damaged';
  if (primaryCodeOf(code) === primaryCodeOf('READONLY')) return 'readOnly';
  return passing.has(primaryCodeOf(code)) ? 'unavailable' : null;
}

function kindOf({ code, message }: InstanceType<typeof Sqlite.SqliteError>): MappedError {
  const detail = message.slice(message.indexOf(': ') + 2);
  const columns = () => ({ fields: detail.split(', ').map((column) => column.slice(column.lastIndexOf('.') + 1)) });
  switch (code) {
    case 'SQLITE_CONSTRAINT_UNIQUE':
    case 'SQLITE_CONSTRAINT_PRIMARYKEY':
    case 'SQLITE_CONSTRAINT_ROWID': {
      const index = /^index '(.*)'$/.exec(detail)?.[1];
      if (index !== undefined) return { kind: 'UniqueConstraintViolation', constraint: { index } };
      const table = detail.slice(0, Math.max(0, detail.indexOf('.')));
      return { kind: 'UniqueConstraintViolation', constraint: columns(), table };
    }
    case 'SQLITE_CONSTRAINT_NOTNULL':
      return { kind: 'NullConstraintViolation', constraint: columns() };
    case 'SQLITE_CONSTRAINT_FOREIGNKEY':
      return { kind: 'ForeignKeyConstraintViolation', constraint: { foreignKey: {} } };
    case 'SQLITE_CONSTRAINT_TRIGGER':
      // ON DELETE RESTRICT is a trigger inside SQLite; a trigger of ours would bring its own message.
      if (message.startsWith('FOREIGN KEY')) {
        return { kind: 'ForeignKeyConstraintViolation', constraint: { foreignKey: {} } };
      }
  }
  if (message.startsWith('no such table: ')) return { kind: 'TableDoesNotExist', table: detail };
  if (message.startsWith('no such column: ')) return { kind: 'ColumnNotFound', column: detail };
  const column = / has no column named (.*)$/.exec(message)?.[1];
  if (column !== undefined) return { kind: 'ColumnNotFound', column };
  const primaryCode = primaryCodeOf(code);
  if (primaryCode === primaryCodeOf('BUSY')) return { kind: 'SocketTimeout' };
  return { kind: 'sqlite', extendedCode: primaryCode, message };
}

/**
 * Returns the primary code, which is the lowest byte of an extended code. The driver gives names, and a number only for an extended
 * code that it has no name for.
 */
function primaryCodeOf(code: string): number {
  const unnamed = /^UNKNOWN_SQLITE_ERROR_(\d+)$/.exec(code)?.[1];
  if (unnamed !== undefined) return Number(unnamed) & 0xff;
  const primary = primaryCodes.indexOf(code.replace(/^SQLITE_/, '').replace(/_.*/, ''));
  return primary === -1 ? primaryCodes.indexOf('ERROR') : primary;
}
