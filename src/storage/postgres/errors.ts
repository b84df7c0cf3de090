// Translates PostgreSQL's errors into Prisma's terms, and classifies them for the layers above.

import { DriverAdapterError, type MappedError } from '@prisma/driver-adapter-utils';
import pg from 'pg';
import { messageOf } from '../../domain/wording.ts';
import { EngineError, type Failure } from '../engine-error.ts';

/** Marks a write with an unknown outcome: the connection was lost before the answer came. */
const unknownOutcome = 'SALLYPORT_UNKNOWN_OUTCOME';

/**
 * SQLSTATEs of temporary failures (PostgreSQL, appendix A): connection (08), resources (53), system (58), an administrator or crash
 * ended the session (57P), and cancelled (57014).
 */
const passingStates = /^(08|53|58|57P)|^57014$/;
/**
 * SQLSTATEs of a lost connection. A session that an administrator or a crash ends (57P) says so, and its transaction may have been
 * committed before.
 */
const lostStates = /^(08|57P)/;
/** SQLSTATE of a write where none is taken, such as on a primary that has become a standby. */
const readOnlyState = '25006';

/**
 * SQLSTATEs of transactions that failed because of another one, by a conflict, a deadlock or a lock timeout: the same transaction
 * may succeed when it is repeated.
 */
const conflictStates = ['40001', '40P01', '55P03'];

/** SQLSTATEs after which a connection must not be used: its prepared statements are gone or stale, or it cannot write any more. */
const spoilingStates = /^(08|57P|58)|^(0A000|26000|42P05|25006)$/;

/** The failure of a pipeline. Unless `isUncertain`, nothing of it was stored. */
export class PipelineError extends Error {
  override readonly cause: unknown;
  /** Whether the whole pipeline may be stored: it was sent, and it is unknown whether the server has committed it. */
  readonly isUncertain: boolean;

  constructor(cause: unknown, isUncertain: boolean) {
    super('A pipeline has failed.');
    this.cause = cause;
    this.isUncertain = isUncertain;
  }
}

/** Returns whether a statement found too few rows: `findingRows` has it divide by zero. No other statement here divides. */
export function isUnfound(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '22012';
}

/** Returns whether a connection must not be used again after an error. */
export function isSpoiled(error: unknown): boolean {
  // Our own error: the connection has answered.
  if (error instanceof EngineError) return false;
  if (error instanceof PipelineError) return isSpoiled(error.cause);
  return !(error instanceof pg.DatabaseError) || spoilingStates.test(error.code ?? '');
}

/**
 * Translates an error of the driver into the one that Prisma expects of an adapter. `cause.originalCode` keeps the SQLSTATE, or
 * Node's code.
 */
export function toDriverError(error: unknown): unknown {
  if (error instanceof DriverAdapterError || !(error instanceof Error)) return error;
  if (error instanceof pg.DatabaseError) return described(kindOf(error), error.code, error.message);
  return isOurs(error) ? error : lostError(error);
}

/**
 * Returns whether a connection was lost before an answer came, as opposed to an answer that is an error. The driver, TLS and Node
 * have dozens of errors for that, with codes and without; PostgreSQL's own are all of one class.
 */
export function isLost(error: unknown): boolean {
  if (error instanceof EngineError || isOurs(error)) return false;
  return !(error instanceof pg.DatabaseError) || lostStates.test(error.code ?? '');
}

/** Returns whether an error is a bug of this program rather than a failure of the connection. */
function isOurs(error: unknown): boolean {
  return error instanceof TypeError || error instanceof RangeError;
}

/** Creates the error for a connection that could not be opened, or was lost. */
export function lostError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { code } = error as { code?: unknown }; // a property that any Error may lack
  // The driver gives up on one slow statement: its connection is lost, but the database may serve everybody else.
  const kind = error.message === readTimeout ? 'SocketTimeout' : 'ConnectionClosed';
  return described({ kind }, typeof code === 'string' ? code : undefined, reasonOf(error));
}

/** The driver's message for a statement that was not answered in time. */
const readTimeout = 'Query read timeout';
/** The driver's messages that say too little, and what they mean. */
const meanings: Readonly<Record<string, string>> = {
  [readTimeout]: 'The database did not answer a statement in time.',
  'timeout expired': 'it does not answer',
};

/** Returns why a connection could not be opened, or was lost. */
export function reasonOf(error: unknown): string {
  const message = messageOf(error);
  return meanings[message] ?? message;
}

/**
 * Creates the error for a database to which no connection could be opened.
 *
 * @param reasons one for each host that was tried
 * @param last the last reason as an error
 */
export function unreachableError(name: string, reasons: readonly string[], last: unknown): EngineError {
  const { code } = (last ?? {}) as { code?: unknown }; // a property that any Error may lack
  const message = `No connection to the database ${name}: ${reasons.join('; ')}`;
  return described({ kind: 'ConnectionClosed' }, typeof code === 'string' ? code : undefined, message);
}

/** Creates the error for a write that may or may not have been stored. */
export function unknownOutcomeError(error: unknown): unknown {
  const message = messageOf(error);
  return described({ kind: 'ConnectionClosed' }, unknownOutcome, message);
}

/** Creates the error for a call on a transaction that has ended. */
export function endedError(cause: string): EngineError {
  return described({ kind: 'TransactionAlreadyClosed', cause }, undefined, cause);
}

/** Creates the error for a call on a database that this program has closed. */
export function closedError(): EngineError {
  return described(
    { kind: 'ConnectionClosed' },
    undefined,
    'The database has been closed: the program is shutting down.',
  );
}

function described(kind: MappedError, originalCode: string | undefined, message: string): EngineError {
  const code = originalCode === undefined ? {} : { originalCode };
  return new EngineError({ ...kind, ...code }, message, failureOf(kind, originalCode));
}

function failureOf({ kind }: MappedError, code = ''): Failure | null {
  if (code === unknownOutcome) return 'uncertain';
  if (conflictStates.includes(code)) return 'conflict';
  if (code === readOnlyState) return 'readOnly';
  const isLost = kind === 'ConnectionClosed' || kind === 'SocketTimeout';
  return isLost || passingStates.test(code) ? 'unavailable' : null;
}

function kindOf(error: pg.DatabaseError): MappedError {
  const { code = '', message, severity = 'ERROR', detail, column, hint, constraint, table } = error;
  if (lostStates.test(code)) return { kind: 'ConnectionClosed' };
  const index = constraint === undefined ? undefined : { index: constraint };
  const constrained = index === undefined ? {} : { constraint: index };
  switch (code) {
    case '22001':
      return { kind: 'LengthMismatch', ...(column === undefined ? {} : { column }) };
    case '22003':
      return { kind: 'ValueOutOfRange', cause: message };
    case '22P02':
      return { kind: 'InvalidInputValue', message };
    case '23502':
      return { kind: 'NullConstraintViolation', ...(column === undefined ? {} : { constraint: { fields: [column] } }) };
    // RESTRICT has its own SQLSTATE since PostgreSQL 18.
    case '23001':
    case '23503':
      return { kind: 'ForeignKeyConstraintViolation', ...constrained };
    case '23505':
      return { kind: 'UniqueConstraintViolation', ...constrained, ...(table === undefined ? {} : { table }) };
    case '28P01':
      return { kind: 'AuthenticationFailed' };
    case '28000':
      return { kind: 'DatabaseAccessDenied' };
    case '3D000':
      return { kind: 'DatabaseDoesNotExist' };
    case '40001':
    case '40P01':
      return { kind: 'TransactionWriteConflict' };
    case '42P01':
      return { kind: 'TableDoesNotExist' };
    case '42703':
      return { kind: 'ColumnNotFound' };
    case '42P04':
      return { kind: 'DatabaseAlreadyExists' };
    case '53300':
      return { kind: 'TooManyConnections', cause: message };
    default:
      return { kind: 'postgres', code, severity, message, detail, column, hint };
  }
}
