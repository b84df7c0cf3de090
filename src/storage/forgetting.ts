// Deletes rows that are no longer needed, a few at a time: however many there are, nobody waits for all of them.

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ServerScope } from './server-scope.ts';
import { joined, sql, verbatim } from './statement.ts';

/** Maximum number of rows deleted in one turn of the event loop and by one statement. */
const rowsAtOnce = 500;

/** A table whose rows are of use only for a while. */
export interface Passing {
  readonly table: string;
  /** The columns of its primary key. */
  readonly key: readonly string[];
  /** The column with the time by which rows are deleted; it has an index if there may be many rows. */
  readonly time: string;
}

/**
 * Deletes the rows of all accounts up to a time, oldest first. Everybody else gets a turn after each slice. Looks first: mostly
 * there is nothing to delete, and a change of several rows goes through Prisma, whose query compiler may not be loaded yet.
 *
 * @param until the latest time that is deleted
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
