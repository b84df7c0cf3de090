// Forgets what is over, a little at a time: however much there is, nobody waits for all of it.

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ServerScope } from './server-scope.ts';
import { joined, sql, verbatim } from './statement.ts';

/** Rows that are deleted at most in one turn of the event loop and by one statement. */
const rowsAtOnce = 500;

/** Rows that are over after a while. */
export interface Passing {
  readonly table: string;
  /** The columns of its primary key. */
  readonly key: readonly string[];
  /** The column that tells when a row is over, which has an index where there may be many rows. */
  readonly time: string;
}

/**
 * Deletes the rows whose time has come, oldest first, over all accounts. Everybody else gets a turn after each slice. Looks first: mostly
 * there is nothing to delete, and a change of several rows goes through Prisma, whose compiler of queries may not have been needed yet.
 *
 * @param until the last moment that is over
 * @param signal leaves the rest for another time
 * @throws as `ServerScope.change`
 */
export async function forgetUntil(
  { rows, change }: Pick<ServerScope, 'rows' | 'change'>,
  { table, key, time }: Passing,
  until: Date,
  signal: AbortSignal,
): Promise<void> {
  const [from, column] = [verbatim(`"${table}"`), verbatim(`"${time}"`)];
  const columns = joined(key.map((name) => verbatim(`"${name}"`)));
  const [any] = await rows(sql`SELECT 1 FROM ${from} WHERE ${column} <= ${until} LIMIT 1`);
  if (any === undefined) return;
  while (!signal.aborted) {
    const deleted = await change(
      sql`DELETE FROM ${from} WHERE (${columns}) IN (
        SELECT ${columns} FROM ${from} WHERE ${column} <= ${until} ORDER BY ${column} LIMIT ${rowsAtOnce})`,
    );
    if (deleted < rowsAtOnce) return;
    await nextTurn();
  }
}
