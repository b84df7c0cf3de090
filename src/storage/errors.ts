// Tells what a failed database call means. The only file that knows Prisma's error codes.

import { SallyportError } from '../domain/errors.ts';
import { Prisma } from './generated/client/client.ts';
import { isDamage, isStorageUnavailable } from './sqlite/errors.ts';

/** Tells whether a write failed because a unique value is taken. */
export function isDuplicate(error: unknown): boolean {
  return hasCode(error, 'P2002');
}

/** Tells whether a write failed because the row that it refers to does not exist. */
export function isMissingReference(error: unknown): boolean {
  return hasCode(error, 'P2003');
}

/** Tells whether an update or delete found no row. */
export function isMissingRow(error: unknown): boolean {
  return hasCode(error, 'P2025');
}

/**
 * Turns what the storage cannot do now, or with a damaged file, into UNAVAILABLE; gives any other error back as it is. Nothing of such a request was stored, so the client can repeat it.
 */
export function translate(error: unknown): unknown {
  // Without its cause: whoever finds the damage tells it in the log, once.
  if (isDamage(error)) return new SallyportError('UNAVAILABLE', damaged);
  // P2024 and P2028: no connection, or no transaction, could be had in time.
  if (!isStorageUnavailable(error) && !hasCode(error, 'P2024', 'P2028')) return error;
  return new SallyportError('UNAVAILABLE', 'The database cannot serve the request now. Repeat it in a few seconds.', {
    cause: error,
  });
}

const damaged = 'The database of this server is damaged or has been moved, and its operator has to put that right.';

/** Awaits a database call that goes around the account scopes, which translate by themselves. Fails as `translate` says. */
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
