// How a database engine fails.

import { DriverAdapterError } from '@prisma/driver-adapter-utils';

/** Another process, or this one, holds the database. */
export class DatabaseInUseError extends Error {}

/** What is wrong with an open database: it is damaged or not the one that was opened, or takes no writes. */
export type Trouble = 'damaged' | 'readOnly';

/**
 * Why the database failed, if the statement was not to blame. `unavailable` is temporary: nothing was stored, and the same request
 * may succeed later. `conflict` was undone because of another change, and may succeed at once. `uncertain` is temporary too, but
 * the change may have been stored.
 */
export type Failure = 'unavailable' | 'conflict' | 'uncertain' | Trouble;

/** An error of a driver adapter that carries its message and says whether the database is to blame. */
export class EngineError extends DriverAdapterError {
  readonly failure: Failure | null;

  constructor(cause: DriverAdapterError['cause'], message: string, failure: Failure | null) {
    super({ ...cause, originalMessage: message });
    // Prisma's own message would show only the kind in a log.
    this.message = message;
    this.failure = failure;
  }
}
