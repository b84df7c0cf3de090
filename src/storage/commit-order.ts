// The order in which the events of an account were committed: what each engine makes it of, and how it is kept when a database moves.

import type { SqlQueryable } from '@prisma/driver-adapter-utils';
import type { Dialect } from './engine.ts';
import { type Sql, sql, statementOf, verbatim } from './statement.ts';

/** How the events of an account are put into the order of their commits: by numbers, and those of one number by their ids. */
export interface CommitOrder {
  /** Writes what gives the number of a new event of an account, inside of the statement that stores it. */
  next(accountId: string): Sql;
  /**
   * Writes the condition on a number that no event with a lower one can appear any more: whoever reads only where it holds, in order,
   * misses none.
   */
  settled(number: string): string;
  /**
   * Writes the statements by which a change waits, before it gets its number, until the others that have the same keys are committed.
   * Null where the numbers are those of the commits anyway.
   */
  readonly turns: TurnStatements | null;
  /** Writes the lowest number that no transaction has yet; null where numbers are made of those that are stored. */
  readonly unused: string | null;
}

/** How changes wait for each other. */
export interface TurnStatements {
  /** Waits for one key, as nearly all changes do: no more work than that takes. */
  take(key: string): Sql;
  /** Waits for the keys that a statement finds. */
  takeAll(keys: Sql): Sql;
}

/**
 * Puts events before those to come whose numbers were given by another server of the database, from which they were copied or
 * restored. They keep their order. Done before anything is written by this process.
 */
export async function bringForward(connection: SqlQueryable, dialect: Dialect): Promise<void> {
  const { unused } = dialect.commitOrder;
  if (unused === null) return;
  const end = verbatim(unused);
  // One look into the index for each account.
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
