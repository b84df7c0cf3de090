// What an engine's adapter offers beyond what Prisma needs: reading rows by our own statements, and changing them, alone or together.

import type { SqlQuery, SqlResultSet } from '@prisma/driver-adapter-utils';
import type { WorkQueueOptions } from '../domain/work-queue.ts';

/** What reads by statements of our own. */
export interface RowReader {
  /**
   * Gives the values of the rows that a statement finds, as the decoders of the dialect take them.
   *
   * @throws EngineError
   */
  readRows(statement: SqlQuery): Promise<unknown[][]>;
}

/** What stores statements of our own. */
export interface RowChanger {
  /** How accounts share its connections, if a change holds one while it waits for another change; null if it does not. */
  readonly sharing: WorkQueueOptions | null;
  /**
   * Executes statements in their order, all of them or none. Each changes one row and gives it back.
   *
   * @returns the values of the row of each statement, as the decoders of the dialect take them
   * @throws MissingRowError where the first that fails is one that finds no row; EngineError of the first that fails otherwise
   */
  changeRows(statements: readonly SqlQuery[]): Promise<unknown[][]>;
}

/** The row that a statement was to change is not there. */
export class MissingRowError extends Error {
  constructor() {
    super('A row that was to be changed is not there.');
  }
}

/** Gives the row of a statement that changes one. Throws MissingRowError where there is none. */
export function changedRow({ rows: [row] }: Pick<SqlResultSet, 'rows'>): unknown[] {
  if (row === undefined) throw new MissingRowError();
  return row;
}
