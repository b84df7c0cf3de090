// The services that a test file has started and not closed.

import type { Storage } from '../../src/storage/storage.ts';
import type { TestDatabase } from './database.ts';

/** A service that is closed at the end of its file. */
export interface Running {
  readonly failures: readonly unknown[];
  readonly storage: Storage;
  readonly database: TestDatabase;
  close(): Promise<void>;
}

/** The services that run, in the order of their start. */
export const running = new Set<Running>();
