// The upkeep of IP policies: deletes rules that have ended, which have not counted since, and reads sources again.

import { SallyportError } from '../../domain/errors.ts';
import { type Due, doDue } from '../../storage/lifecycle/due-rows.ts';
import type { AreaUpkeep, UpkeepScope, UpkeepSettings } from '../../storage/lifecycle/upkeep.ts';
import { lookThrough } from '../../storage/objects/server-scope.ts';
import { type Sql, sifting, sql } from '../../storage/sql/statement.ts';
import { readAgain } from './refresh-store.ts';
import { intervalMax } from './source-rules.ts';
import { deleteIpPolicyRules } from './store.ts';

/** The upkeep of the area. */
export const upkeep = ({ outgoing }: UpkeepSettings): readonly AreaUpkeep[] => [
  {
    hourly: deleteEndedRules,
    // One that cannot be read keeps its ranges, and is tried again soon.
    eachRound: (server, now, signal) =>
      doDue(server, sources, now, signal, (scope, id) => readAgain(scope, outgoing, id, signal)),
  },
];

/** When sources are read again. */
const sources = { table: 'IpPolicySource', key: 'id', time: 'nextAt', secondsMax: intervalMax } as const satisfies Due;

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
