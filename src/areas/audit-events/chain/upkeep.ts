// The upkeep of the hash chains: goes on with them in each round, and tells how far behind they are.

import { dayMs } from '../../../domain/values/time.ts';
import type { Check } from '../../../storage/engine.ts';
import { ok, warn } from '../../../storage/lifecycle/health.ts';
import type { AreaUpkeep } from '../../../storage/lifecycle/upkeep.ts';
import { lookThrough, type ServerReads } from '../../../storage/objects/server-scope.ts';
import { sql } from '../../../storage/sql/statement.ts';
import { beginning } from '../../../storage/trail/event-reads.ts';
import { chainEvents } from './chaining-store.ts';

/** The upkeep of the chains of all accounts. */
export const chainUpkeep: AreaUpkeep = {
  eachRound: chainEvents,
  gauges: [
    {
      name: 'sallyport_audit_chain_lag_seconds',
      help: 'Age of the oldest audit event that is not in the hash chain of its account yet, in seconds; 0 if there is none.',
      labels: [],
      count: async (database, now) => [{ labels: {}, count: Math.round((await readLagMs(database, now)) / 1000) }],
    },
  ],
  check: async (database, now) => [await checkLag(database, now)],
};

/** Returns the age of the oldest event that is in no chain, in milliseconds; 0 if there is none. */
async function readLagMs(database: ServerReads, now: Date): Promise<number> {
  const after = sql`(coalesce(c."commitOrder", ${beginning.order}), coalesce(c."eventId", ''))`;
  const slices = lookThrough(
    database,
    'Account',
    (within) => sql`SELECT (SELECT e."createdAt" FROM "AuditEvent" e
        WHERE e."accountId" = a."id" AND (e."commitOrder", e."id") > ${after}
        ORDER BY e."accountId", e."commitOrder", e."id" LIMIT 1)
      FROM "Account" a LEFT JOIN "AuditChain" c ON c."accountId" = a."id" WHERE ${within('a."id"')}`,
  );
  let lagMs = 0;
  for await (const rows of slices) {
    for (const [at] of rows) {
      if (at !== null) lagMs = Math.max(lagMs, now.getTime() - database.decode.DateTime(at).getTime());
    }
  }
  return lagMs;
}

/** The lag that is reported as a problem, in milliseconds. */
const lateMs = dayMs / 24;

async function checkLag(database: ServerReads, now: Date): Promise<Check> {
  const name = 'hash chain';
  const lagMs = await readLagMs(database, now);
  const minutes = Math.round(lagMs / 60_000);
  if (lagMs < lateMs)
    return ok(name, `The audit events are in the hash chain, or younger than ${minutes + 1} minutes.`);
  return warn(
    name,
    `Audit events have not been in the hash chain for ${minutes} minutes.`,
    'A running server goes on with it every minute: if one runs, its log says what keeps it from doing so.',
  );
}
