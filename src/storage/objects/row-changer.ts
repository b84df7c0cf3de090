// What an engine's adapter offers beyond Prisma's needs: reading and changing rows with our own statements, singly or together.

import type { SqlQuery, SqlResultSet } from '@prisma/driver-adapter-utils';
import type { WorkQueueOptions } from '../../domain/concurrency/work-queue.ts';

/** Reads rows with our own statements. */
export interface RowReader {
  /** Returns the values of the rows that a statement finds, in the form that the dialect's decoders expect. Throws EngineError. */
  readRows(statement: SqlQuery): Promise<unknown[][]>;
}

export interface ChangeStatement extends SqlQuery {
  /** Least number of rows that it must find; 1 unless given. */
  readonly finds?: number;
  /** How many rows it writes at most, by which its work is shared out; 1 unless given. */
  readonly rows?: number;
  /** Whether the number of its rows is wanted, in place of the values of the first one. */
  readonly counted?: boolean;
}

/** A write that has not been sent. It is sent with its change or never. */
export interface Write<T = unknown> {
  readonly statement: ChangeStatement;
  /** Turns the values that the statement returns into its result. */
  readonly read: (values: readonly unknown[]) => T;
}

/** Changes rows with our own statements. */
export interface RowChanger {
  /** How accounts share the connections, if a change holds one while it waits for another change; null if it does not. */
  readonly sharing: WorkQueueOptions | null;
  /**
   * Executes statements in order, all or none. Each changes a row, or several, and returns them.
   *
   * @returns the values of each statement's first row, in the form that the dialect's decoders expect, or the number of its rows
   * @throws MissingRowError if the first failure is a statement that finds too few rows; otherwise the EngineError of the first
   *   failure
   */
  changeRows(statements: readonly ChangeStatement[]): Promise<unknown[][]>;
}

/** The row that a statement should have changed does not exist. */
export class MissingRowError extends Error {
  constructor() {
    super('A row that was to be changed is not there.');
  }
}

/** Returns the first row that a statement changed, empty if it need not find any, or their number. Throws MissingRowError if it found too few. */
export function changedRow(
  { rows }: Pick<SqlResultSet, 'rows'>,
  { finds = 1, counted = false }: Pick<ChangeStatement, 'finds' | 'counted'>,
): unknown[] {
  if (rows.length < finds) throw new MissingRowError();
  return counted ? [rows.length] : (rows[0] ?? []);
}
