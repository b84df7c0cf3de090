// Deletes rows that are no longer needed, a few at a time: however many there are, nobody waits for all of them.

import type { ServerScope } from '../objects/server-scope.ts';
import { deletedSlices, rowSlices } from '../sql/read-slices.ts';
import { joined, sql, verbatim } from '../sql/statement.ts';

/** A table whose rows are of use only for a while. */
export interface Passing {
  readonly table: string;
  /** The columns of its primary key. */
  readonly key: readonly string[];
  /** The column with the time by which rows are deleted; it has an index if there may be many rows. */
  readonly time: string;
}

/**
 * Deletes the rows of all accounts up to a time, oldest first, slice by slice. Looks first: mostly
 * there is nothing to delete, and a change of several rows goes through Prisma, whose query compiler may not be loaded yet.
 *
 * @param until the latest time that is deleted
 * @param signal leaves the rest for another time
 * @throws as `ServerScope.change`
 */
export async function forgetUntil(
  { rows, change, slices }: Pick<ServerScope, 'rows' | 'change' | 'slices'>,
  { table, key, time }: Passing,
  until: Date,
  signal: AbortSignal,
): Promise<void> {
  const [from, column] = [verbatim(`"${table}"`), verbatim(`"${time}"`)];
  const columns = joined(key.map((name) => verbatim(`"${name}"`)));
  const [any] = await rows(sql`SELECT 1 FROM ${from} WHERE ${column} <= ${until} LIMIT 1`);
  if (any === undefined) return;
  const forget = async (most: number) => {
    const deleted = await change(
      // The time is compared again, because a row that was found may be renewed before it is deleted.
      sql`DELETE FROM ${from} WHERE ${column} <= ${until} AND (${columns}) IN (
        SELECT ${columns} FROM ${from} WHERE ${column} <= ${until} ORDER BY ${column} LIMIT ${most})`,
    );
    return { value: undefined, entries: deleted, isLast: deleted < most || signal.aborted };
  };
  for await (const _ of slices(deletedSlices, forget));
}

/**
 * Deletes the rows of all accounts up to a time that no index finds: looks through the whole table, slice by slice.
 *
 * @param signal leaves the rest for another time
 * @throws as `ServerScope.change`
 */
export async function forgetByLooking(
  { rows, change, slices }: Pick<ServerScope, 'rows' | 'change' | 'slices'>,
  { table, time }: Omit<Passing, 'key'>,
  until: Date,
  signal: AbortSignal,
): Promise<void> {
  const [from, column] = [verbatim(`"${table}"`), verbatim(`"${time}"`)];
  let after = '';
  const forget = async (most: number) => {
    const [found = []] = await rows(
      sql`SELECT count(*), max("id"), count(CASE WHEN "over" THEN 1 END) FROM (
        SELECT "id", ${column} <= ${until} AS "over" FROM ${from} WHERE "id" > ${after} ORDER BY "id" LIMIT ${most}) AS "some"`,
    );
    const [looked, over] = [Number(found[0]), Number(found[2])];
    const last = String(found[1]);
    if (over > 0)
      await change(sql`DELETE FROM ${from} WHERE "id" > ${after} AND "id" <= ${last} AND ${column} <= ${until}`);
    after = last;
    return { value: undefined, entries: looked, isLast: looked < most || signal.aborted };
  };
  for await (const _ of slices(rowSlices, forget));
}
