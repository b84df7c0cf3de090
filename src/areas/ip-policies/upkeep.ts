// The upkeep of IP policies: deletes rules that have ended, which have not counted since, and reads sources again.

import { SallyportError } from '../../domain/errors.ts';
import { groupBy } from '../../domain/values/group-by.ts';
import type { Outgoing } from '../../outgoing/outgoing.ts';
import type { AreaUpkeep, UpkeepScope, UpkeepSettings } from '../../storage/lifecycle/upkeep.ts';
import type { AccountScope } from '../../storage/objects/account-scope.ts';
import { lookThrough } from '../../storage/objects/server-scope.ts';
import { type Sql, sifting, sql } from '../../storage/sql/statement.ts';
import { readAgain } from './refresh-store.ts';
import { intervalMax } from './source-rules.ts';
import { deleteIpPolicyRules } from './store.ts';

/** The upkeep of the area. */
export const upkeep = ({ outgoing }: UpkeepSettings): readonly AreaUpkeep[] => [
  { hourly: deleteEndedRules, eachRound: (server, now, signal) => refreshSources(server, outgoing, now, signal) },
];

/** Most sources that one round reads. */
const refreshedMax = 500;
/** Sources that are due, of which those are chosen: the oldest, so that the statement is bounded whatever has piled up. */
const dueMax = 10_000;
/** How many sources of one account are read at once: as many as its outgoing requests may be under way (`createOutgoing`). */
const refreshedAtOnce = 4;
/** Milliseconds after which a round begins to read no more: other upkeep waits for it, and a server may say nothing for long. */
const roundMsMax = 20_000;
/** Seconds for which a source belongs to the server that reads it. */
const claimSeconds = 120;

/**
 * Reads the sources that are due, each by one server. One that cannot be read keeps its ranges, and is tried again soon. Accounts are
 * read beside each other, and each has its turn before another has many, so that sources that say nothing hold up those of nobody else.
 */
async function refreshSources(server: UpkeepScope, outgoing: Outgoing, now: Date, signal: AbortSignal): Promise<void> {
  const inSeconds = (seconds: number) => new Date(now.getTime() + seconds * 1000);
  // A time beyond the longest interval was set by a clock that was ahead.
  const due = sql`("nextAt" <= ${now} OR "nextAt" > ${inSeconds(2 * intervalMax)})`;
  const found = await server.rows(
    sql`SELECT "id", "accountId" FROM (
      SELECT "id", "accountId", "nextAt", ROW_NUMBER() OVER (PARTITION BY "accountId" ORDER BY "nextAt") AS "turn"
      FROM (SELECT * FROM "IpPolicySource" WHERE ${due} ORDER BY "nextAt" LIMIT ${dueMax}) AS d
    ) AS s ORDER BY "turn", "nextAt" LIMIT ${refreshedMax}`,
  );
  const endMs = performance.now() + roundMsMax;
  const readOf = async (accountId: string, ids: string[]) => {
    for (let id = ids.shift(); id !== undefined; id = ids.shift()) {
      if (signal.aborted || performance.now() > endMs) return;
      const claim = sql`UPDATE "IpPolicySource" SET "nextAt" = ${inSeconds(claimSeconds)} WHERE "id" = ${id} AND ${due}`;
      if ((await server.change(claim)) === 1) await refreshSource(server.actingFor(accountId), outgoing, id, signal);
    }
  };
  const byAccount = groupBy(found, ([, accountId]) => String(accountId));
  const reading = [...byAccount].flatMap(([accountId, rows]) => {
    const ids = rows.map(([id]) => String(id));
    return Array.from({ length: refreshedAtOnce }, () => readOf(accountId, ids));
  });
  // All of them, also after a failure: none may go on once the round counts as ended.
  for (const result of await Promise.allSettled(reading)) if (result.status === 'rejected') throw result.reason;
}

async function refreshSource(scope: AccountScope, outgoing: Outgoing, id: string, signal: AbortSignal): Promise<void> {
  try {
    await readAgain(scope, outgoing, id, signal);
  } catch (error) {
    // Deleted meanwhile, or the server stops: the next one goes on once the claim has ended.
    const isOver = signal.aborted || (error instanceof SallyportError && error.code === 'NOT_FOUND');
    if (!isOver) throw error;
  }
}

/**
 * Deletes rules that have ended, one change each, so that the trail has an event of each and their number stays right whoever else
 * deletes them. `now` comes from a trustworthy clock, because a deleted rule is gone.
 */
async function deleteEndedRules(server: UpkeepScope, now: Date, signal: AbortSignal): Promise<void> {
  const select = (
    within: (column: string) => Sql,
  ) => sql`SELECT r."accountId", r."id", r."version" FROM "IpPolicyRule" r
    WHERE ${within('r."id"')} AND ${sifting(sql`r."expiresAt" <= ${now}`)} ORDER BY r."id"`;
  for await (const ended of lookThrough(server, 'IpPolicyRule', select)) {
    for (const [accountId, id, version] of ended) {
      if (signal.aborted) return;
      await deleteUnlessChanged(server, String(accountId), String(id), Number(version));
    }
  }
}

async function deleteUnlessChanged(server: UpkeepScope, accountId: string, id: string, version: number): Promise<void> {
  try {
    await deleteIpPolicyRules(server.actingFor(accountId), [{ id, expectedVersion: version }]);
  } catch (error) {
    // Another server has deleted it, or somebody has given it another end.
    const isOvertaken = error instanceof SallyportError && ['NOT_FOUND', 'VERSION_CONFLICT'].includes(error.code);
    if (!isOvertaken) throw error;
  }
}
