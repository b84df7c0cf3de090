// The offset of the commit order: what is added to the transaction numbers of this database server, so that new events come after
// those that were restored or copied from a server with higher numbers.

import type { SqlDriverAdapter, SqlQueryable } from '@prisma/driver-adapter-utils';
import { type Sql, sql, statementOf, verbatim } from '../sql/statement.ts';
import { oldestNumber, postgresDialect, unusedNumber } from './dialect.ts';

/** Name of the fact that keeps the offset, as decimal digits. Without it, the offset is 0. */
const offsetFact = 'commitOrderOffset';
/** Key of the advisory lock that lets one process at a time find the offset. */
const lockNumber = 5_127_309_417;
/** Accounts whose last number is looked up by one statement: one index look-up each. */
const accountsAtOnce = 1_000;

/**
 * Returns the offset, after raising it if stored events have numbers that transactions still get on this server. No stored event
 * is changed, however many there are. Every process must call this before it writes: all of them then use the same offset, because
 * a raise comes before all events that are numbered by this server.
 *
 * @throws the errors of the adapter, in particular if the offset must be raised and the server takes no writes
 */
export async function agreeOnOffset(connection: Pick<SqlDriverAdapter, 'startTransaction'>): Promise<bigint> {
  const transaction = await connection.startTransaction();
  try {
    const offset = await findOffset(transaction);
    await transaction.commit();
    return offset;
  } catch (error) {
    await transaction.rollback().catch(() => {});
    throw error;
  }
}

async function findOffset(transaction: SqlQueryable): Promise<bigint> {
  const rowsOf = async (statement: Sql) => (await transaction.queryRaw(statementOf(postgresDialect, statement))).rows;
  // The default lock timeout of a change is too short for several servers that start at once.
  await rowsOf(
    sql`SELECT set_config('lock_timeout', '4s', true), pg_advisory_xact_lock(${verbatim(String(lockNumber))})`,
  );
  const [stored] = await rowsOf(
    sql`SELECT convert_from("value", 'UTF8') FROM "ServerFact" WHERE "name" = ${offsetFact}`,
  );
  const offset = BigInt(String(stored?.[0] ?? 0));
  const last = await lastNumber(rowsOf);
  const [numbers] = await rowsOf(sql`SELECT ${verbatim(unusedNumber)}, ${verbatim(oldestNumber)}`);
  const [unused, oldest] = (numbers ?? []).map((number) => BigInt(String(number)));
  if (unused === undefined || oldest === undefined || last === null || last < unused + offset) return offset;
  // Counted from the oldest transaction in progress, so that all stored events are settled.
  const raised = last + 1n - oldest;
  await rowsOf(
    sql`INSERT INTO "ServerFact" ("name", "value") VALUES (${offsetFact}, ${Buffer.from(String(raised))})
      ON CONFLICT ("name") DO UPDATE SET "value" = excluded."value" RETURNING "name"`,
  );
  return raised;
}

/** Returns the highest number of all events; null if there are none. */
async function lastNumber(rowsOf: (statement: Sql) => Promise<unknown[][]>): Promise<bigint | null> {
  let highest: bigint | null = null;
  for (let after = ''; ; ) {
    const accounts = await rowsOf(
      sql`SELECT a."id", (SELECT max(e."commitOrder") FROM "AuditEvent" e WHERE e."accountId" = a."id")::text
        FROM "Account" a WHERE a."id" > ${after} ORDER BY a."id" LIMIT ${accountsAtOnce}`,
    );
    for (const [id, last] of accounts) {
      after = String(id);
      if (last !== null && (highest === null || BigInt(String(last)) > highest)) highest = BigInt(String(last));
    }
    if (accounts.length < accountsAtOnce) return highest;
  }
}
