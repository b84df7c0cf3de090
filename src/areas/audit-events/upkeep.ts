// The upkeep of the audit trail: deletes old events.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { idBoundAt } from '../../domain/ids.ts';
import { dayMs } from '../../domain/time.ts';
import { forgottenFact } from '../../storage/event-reads.ts';
import type { ServerScope } from '../../storage/server-scope.ts';
import { sql } from '../../storage/statement.ts';
import type { AreaUpkeep } from '../../storage/upkeep.ts';

/** Creates the upkeep of the audit trail, which keeps events for a number of days. */
export function auditUpkeep(days: number): AreaUpkeep {
  return {
    hourly: (scope, now, signal) => forgetOldEvents(scope, new Date(now.getTime() - days * dayMs), signal),
  };
}

/**
 * Milliseconds by which the clocks of servers may differ. An event may be stored after another whose id has a later time, so
 * following the changes from that other event is not safe either.
 */
const skewMs = 3_600_000;

/** Maximum number of events scanned and deleted by one statement, in one turn of the event loop. */
const eventsAtOnce = 500;

/**
 * Deletes events from before a moment. The last one of each object stays, because later changes are computed by comparison with it;
 * if it is a deletion, it is deleted after all others of the object. The deletion event of a whole goes with or before those of its
 * parts, so that the whole cannot be restored without them. Other work gets a turn after each slice.
 */
async function forgetOldEvents(scope: ServerScope, moment: Date, signal: AbortSignal): Promise<void> {
  // Ids are ordered by time, and are indexed across all accounts.
  const end = idBoundAt('AuditEvent', moment);
  const [any] = await scope.rows(sql`SELECT "id" FROM "AuditEvent" WHERE "id" < ${end} ORDER BY "id" LIMIT 1`);
  if (any === undefined) return;
  // Written first, so that no client can resume after an event whose successors are deleted without being told.
  const bound = Buffer.from(idBoundAt('AuditEvent', new Date(moment.getTime() + skewMs)));
  await scope.change(
    sql`INSERT INTO "ServerFact" ("name", "value") VALUES (${forgottenFact}, ${bound})
      ON CONFLICT ("name") DO UPDATE SET "value" = excluded."value" WHERE "ServerFact"."value" < excluded."value"`,
  );
  let after = '';
  while (!signal.aborted) {
    const [last] = await scope.rows(
      sql`SELECT "id" FROM "AuditEvent" WHERE "id" > ${after} AND "id" < ${end}
        ORDER BY "id" LIMIT 1 OFFSET ${eventsAtOnce - 1}`,
    );
    const [slice, behind] =
      last === undefined
        ? [sql`e."id" < ${end}`, sql`x."id" >= ${end}`]
        : [sql`e."id" <= ${String(last[0])}`, sql`x."id" > ${String(last[0])}`];
    // The newest event of an account stays, because new events are numbered after it.
    const isNotLast = sql`(e."commitOrder", e."id") < (SELECT n."commitOrder", n."id" FROM "AuditEvent" n
      WHERE n."accountId" = e."accountId" ORDER BY n."commitOrder" DESC, n."id" DESC LIMIT 1)`;
    const ofObject = sql`x."accountId" = e."accountId" AND x."objectId" = e."objectId"`;
    await scope.change(
      sql`DELETE FROM "AuditEvent" AS e WHERE e."id" > ${after} AND ${slice} AND ${isNotLast} AND (
        EXISTS (SELECT 1 FROM "AuditEvent" x WHERE ${ofObject} AND x."version" > e."version" AND x."id" < ${end})
        OR e."action" = 'refuse'
        OR e."action" = 'delete'
          AND NOT EXISTS (SELECT 1 FROM "AuditEvent" x WHERE ${ofObject} AND x."version" < e."version" AND ${behind}))`,
    );
    if (last === undefined) return;
    after = String(last[0]);
    await nextTurn();
  }
}
