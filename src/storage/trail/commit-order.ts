// The commit order of an account's events: how each engine derives it.

import type { Sql } from '../sql/statement.ts';

/** How the events of an account are put into commit order: by number, and events with the same number by id. */
export interface CommitOrder {
  /** Writes the expression for the number of an account's new event, inside the statement that stores the event. */
  next(accountId: string): Sql;
  /**
   * Writes the condition on a number that no event with a lower number can appear any more. A reader that reads in order, and only
   * where the condition holds, misses none.
   */
  settled(number: string): string;
  /**
   * Writes the statements by which a change, before it gets its number, waits until other changes with the same keys are committed.
   * Null if the numbers are in commit order anyway.
   */
  readonly turns: TurnStatements | null;
}

/** How changes wait for each other. */
export interface TurnStatements {
  /** Waits for one key, as nearly all changes do, with no more work than that takes. */
  take(key: string): Sql;
  /** Waits for the keys that a statement finds. */
  takeAll(keys: Sql): Sql;
}
