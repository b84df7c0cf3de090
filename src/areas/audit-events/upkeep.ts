// What the trail brings to the care of the server: the end of events that are old enough.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { idBoundAt } from '../../domain/ids.ts';
import { dayMs } from '../../domain/time.ts';
import { forgottenFact } from '../../storage/event-reads.ts';
import type { ServerScope } from '../../storage/server-scope.ts';
import { sql } from '../../storage/statement.ts';
import type { AreaUpkeep } from '../../storage/upkeep.ts';

/** Makes what the trail brings to the care of the server. */
export function auditUpkeep(days: number): AreaUpkeep {
  return {
    hourly: (scope, now, signal) => forgetOldEvents(scope, new Date(now.getTime() - days * dayMs), signal),
  };
}

/**
 * Milliseconds by which clocks of servers may differ: an event may be stored after another one whose id says a later time, which is
 * then no place to follow the changes from either.
 */
const skewMs = 3_600_000;

/** Events that are looked through, and deleted at most, in one turn of the event loop and by one statement. */
const eventsAtOnce = 500;

/**
 * Deletes events from before a moment. The last one of each object stays, because what came after is told by comparison with
 * it; that of a deletion goes last. That of a whole goes with or before those of its parts, without which nobody shall restore it.
 * Everybody else gets a turn after each slice.
 */
async function forgetOldEvents(scope: ServerScope, moment: Date, signal: AbortSignal): Promise<void> {
  // Ids are in the order of time, and have an index over all accounts.
  const end = idBoundAt('AuditEvent', moment);
  const [any] = await scope.rows(sql`SELECT "id" FROM "AuditEvent" WHERE "id" < ${end} ORDER BY "id" LIMIT 1`);
  if (any === undefined) return;
  // First, so that nobody goes on after an event whose successors are gone without hearing of it.
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
    // The newest event of an account stays: new ones are numbered after it.
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
