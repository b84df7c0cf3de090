// The commit order of an account's events: how each engine derives it, and how it is kept when a database moves.

import type { SqlQueryable } from '@prisma/driver-adapter-utils';
import type { Dialect } from './engine.ts';
import { type Sql, sql, statementOf, verbatim } from './statement.ts';

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
  /** The expression for the lowest number that no transaction has yet; null if numbers are derived from those that are stored. */
  readonly unused: string | null;
}

/** How changes wait for each other. */
export interface TurnStatements {
  /** Waits for one key, as nearly all changes do, with no more work than that takes. */
  take(key: string): Sql;
  /** Waits for the keys that a statement finds. */
  takeAll(keys: Sql): Sql;
}

/**
 * Renumbers events whose numbers come from another database server, from which they were copied or restored, so that they precede
 * all events to come. They keep their order. Must run before this process writes anything.
 */
export async function bringForward(connection: SqlQueryable, dialect: Dialect): Promise<void> {
  const { unused } = dialect.commitOrder;
  if (unused === null) return;
  const end = verbatim(unused);
  // One index look-up per account.
  const late = sql`SELECT a."id" FROM "Account" a WHERE EXISTS
    (SELECT 1 FROM "AuditEvent" e WHERE e."accountId" = a."id" AND e."commitOrder" >= ${end})`;
  for (const [accountId] of (await connection.queryRaw(statementOf(dialect, late))).rows) {
    await connection.executeRaw(
      statementOf(
        dialect,
        sql`UPDATE "AuditEvent" SET "commitOrder" = "commitOrder" -
          (SELECT max(m."commitOrder") - ${end} + 1 FROM "AuditEvent" m WHERE m."accountId" = ${accountId})
          WHERE "accountId" = ${accountId} AND EXISTS
          (SELECT 1 FROM "AuditEvent" x WHERE x."accountId" = ${accountId} AND x."commitOrder" >= ${end})`,
      ),
    );
  }
}
