// Does what is due for rows at times of their own, such as reading again what others keep: each by one server, and in turns of accounts.

import { SallyportError } from '../../domain/errors.ts';
import { groupBy } from '../../domain/values/maps.ts';
import type { AccountScope } from '../objects/account-scope.ts';
import { sql, verbatim } from '../sql/statement.ts';
import type { UpkeepScope } from './upkeep.ts';

/** A table whose rows are due now and then. */
export interface Due {
  readonly table: string;
  /** The column of its primary key. */
  readonly key: string;
  /** The column with the time from which a row is due, with an index. Whoever reads the row puts it off first. */
  readonly time: string;
  /** Longest time until a row is due again, in seconds: a later one was set by a clock that was ahead. */
  readonly secondsMax: number;
}

/** Most rows that one round does something for. */
const doneMax = 500;
/** Rows that are due, of which those are chosen: the oldest, so that the statement is bounded whatever has piled up. */
const dueMax = 10_000;
/** How many rows of one account are done at once: as many as its outgoing requests may be under way (`createOutgoing`). */
const atOnce = 4;
/** Milliseconds after which a round begins no more: other upkeep waits for it, and a server may say nothing for long. */
const roundMsMax = 20_000;
/** Seconds for which a row belongs to the server that does it. */
export const claimSeconds = 120;

/**
 * Does the rows that are due, each by one server. Accounts are done beside each other, and each has its turn before another has many,
 * so that what takes long holds up nobody else.
 *
 * @param work sets the time at which the row is due again; if it fails because the row is gone or has changed, the claim ends by itself
 * @param signal begins no more
 * @throws what the work throws
 */
export async function doDue(
  server: UpkeepScope,
  { table, key, time, secondsMax }: Due,
  now: Date,
  signal: AbortSignal,
  work: (scope: AccountScope, id: string) => Promise<unknown>,
): Promise<void> {
  const [from, id, at] = [verbatim(`"${table}"`), verbatim(`"${key}"`), verbatim(`"${time}"`)];
  const inSeconds = (seconds: number) => new Date(now.getTime() + seconds * 1000);
  const due = sql`(${at} <= ${now} OR ${at} > ${inSeconds(2 * secondsMax)})`;
  const found = await server.rows(
    sql`SELECT ${id}, "accountId" FROM (
      SELECT ${id}, "accountId", ${at}, ROW_NUMBER() OVER (PARTITION BY "accountId" ORDER BY ${at}) AS "turn"
      FROM (SELECT * FROM ${from} WHERE ${due} ORDER BY ${at} LIMIT ${dueMax}) AS d
    ) AS s ORDER BY "turn", ${at} LIMIT ${doneMax}`,
  );
  const endMs = performance.now() + roundMsMax;
  const doneOf = async (accountId: string, ids: string[]) => {
    for (let next = ids.shift(); next !== undefined; next = ids.shift()) {
      if (signal.aborted || performance.now() > endMs) return;
      const claim = sql`UPDATE ${from} SET ${at} = ${inSeconds(claimSeconds)} WHERE ${id} = ${next} AND ${due}`;
      if ((await server.change(claim)) === 1) await doOne(server.actingFor(accountId), next, signal, work);
    }
  };
  const byAccount = groupBy(found, ([, accountId]) => String(accountId));
  const doing = [...byAccount].flatMap(([accountId, rows]) => {
    const ids = rows.map(([one]) => String(one));
    return Array.from({ length: atOnce }, () => doneOf(accountId, ids));
  });
  // All of them, also after a failure: none may go on once the round counts as ended.
  for (const result of await Promise.allSettled(doing)) if (result.status === 'rejected') throw result.reason;
}

async function doOne(
  scope: AccountScope,
  id: string,
  signal: AbortSignal,
  work: (scope: AccountScope, id: string) => Promise<unknown>,
): Promise<void> {
  try {
    await work(scope, id);
  } catch (error) {
    // Deleted or changed meanwhile, or the server stops: the next one goes on once the claim has ended.
    const isOver = error instanceof SallyportError && ['NOT_FOUND', 'VERSION_CONFLICT'].includes(error.code);
    if (!signal.aborted && !isOver) throw error;
  }
}
