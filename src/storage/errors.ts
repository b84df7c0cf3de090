// Interprets failed database calls, made by Prisma's client or by our own statements. The only file that knows Prisma's error
// codes.

import { SallyportError } from '../domain/errors.ts';
import { EngineError, type Failure } from './engine-error.ts';
import { Prisma } from './generated/client/client.ts';
import { MissingRowError } from './objects/row-changer.ts';

/** Returns whether a write failed because a unique value is taken. */
export function isDuplicate(error: unknown): boolean {
  return hasCode(error, 'P2002') || hasKind(error, 'UniqueConstraintViolation');
}

/** Returns whether a write failed because the row that it refers to does not exist. */
export function isMissingReference(error: unknown): boolean {
  return hasCode(error, 'P2003') || hasKind(error, 'ForeignKeyConstraintViolation');
}

/** Returns whether an update or delete found no row. */
export function isMissingRow(error: unknown): boolean {
  return hasCode(error, 'P2025') || error instanceof MissingRowError;
}

/**
 * Returns why the database failed, whether the error comes from Prisma's client or from its adapter; null if the statement itself
 * was to blame.
 */
export function failureOf(error: unknown): Failure | null {
  // No connection, or no transaction, was available in time.
  return failedEngine(error)?.failure ?? (hasCode(error, 'P2024', 'P2028') ? 'unavailable' : null);
}

/**
 * Returns in the words of its engine what keeps the database from serving anybody, which is a lost or refused connection, or that
 * it takes no writes; null if something else failed, which may concern one statement alone.
 */
export function outageOf(error: unknown): string | null {
  const found = failedEngine(error);
  if (found === null) return null;
  const isLost = found.failure === 'unavailable' && found.cause.kind === 'ConnectionClosed';
  return isLost || found.failure === 'readOnly' ? found.message : null;
}

/** Returns the error of the engine that is the cause of an error, if the database is to blame. */
function failedEngine(error: unknown): EngineError | null {
  for (let inner = error, depth = 0; inner instanceof Error && depth < 5; depth++) {
    if (inner instanceof EngineError && inner.failure !== null) return inner;
    // Prisma's client keeps the adapter's error in its own `meta`.
    const { meta } = inner as { meta?: { driverAdapterError?: unknown } }; // a property that any Error may lack
    inner = meta?.driverAdapterError ?? inner.cause;
  }
  return null;
}

/** Returns whether the database undid a change only because another one got in its way: it may succeed when it is sent again. */
export function isConflict(error: unknown): boolean {
  return failureOf(error) === 'conflict';
}

/**
 * Turns the error of a storage that cannot serve a request now, or is damaged, into UNAVAILABLE; returns any other error unchanged.
 * Nothing of such a request was stored, so the client can retry it, unless the message says that it may have been.
 */
export function translate(error: unknown): unknown {
  switch (failureOf(error)) {
    case null:
      return error;
    case 'damaged':
      // Without its cause: the part that finds the damage logs it, once.
      return new SallyportError('UNAVAILABLE', damaged);
    case 'readOnly':
      return new SallyportError('UNAVAILABLE', readOnly, { cause: error });
    case 'uncertain':
      return new SallyportError('UNAVAILABLE', uncertain, { cause: error });
    case 'conflict':
    case 'unavailable':
      return new SallyportError('UNAVAILABLE', unavailable, { cause: error });
  }
}

/** What clients are told while the database takes no writes. */
export const readOnly =
  "The server's database takes no writes now, as during a failover. Retry; if it lasts, its operator must make it writable.";
const damaged = "The server's database is damaged or has been moved. Its operator must repair it.";
const uncertain =
  'The connection to the database was lost while the change was being stored. It may have been stored: read before you retry.';
/** What clients are told while the database is closed, or fails. */
export const unavailable = 'The database cannot serve the request now. Retry in a few seconds.';

/**
 * Awaits a database call that bypasses the account scopes, which translate errors by themselves. Rejects with the translated error.
 */
export async function translated<T>(call: PromiseLike<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw translate(error);
  }
}

function hasCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Prisma.PrismaClientKnownRequestError && codes.includes(error.code);
}

function hasKind(error: unknown, kind: EngineError['cause']['kind']): boolean {
  return error instanceof EngineError && error.cause.kind === kind;
}
