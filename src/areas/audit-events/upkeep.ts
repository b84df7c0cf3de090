// The upkeep of the audit trail: deletes old events, chains new ones, and ships them.

import { idBoundAt } from '../../domain/values/ids.ts';
import { dayMs } from '../../domain/values/time.ts';
import { counted } from '../../domain/wording.ts';
import type { Check } from '../../storage/engine.ts';
import { ok, warn } from '../../storage/lifecycle/health.ts';
import type { AreaUpkeep, UpkeepScope, UpkeepSettings } from '../../storage/lifecycle/upkeep.ts';
import { lookThrough, type ServerReads } from '../../storage/objects/server-scope.ts';
import { deletedSlices, type SliceSizes } from '../../storage/sql/read-slices.ts';
import { type Sql, sql } from '../../storage/sql/statement.ts';
import { forgottenFact } from '../../storage/trail/event-reads.ts';
import { readFact } from '../../storage/trail/facts.ts';
import { announcePruning, forgetSegments } from './chain/pruning-store.ts';
import { chainUpkeep } from './chain/upkeep.ts';
import { shippingUpkeep } from './shipping/upkeep.ts';

/** The upkeep of the area. */
export function upkeep({ auditDays, receivers }: UpkeepSettings): readonly AreaUpkeep[] {
  return [chainUpkeep, ...shippingUpkeep(receivers), auditUpkeep(auditDays)];
}

/** Creates the upkeep of the audit trail, which keeps events for a number of days. */
export function auditUpkeep(days: number): AreaUpkeep {
  const keptSince = (now: Date) => new Date(now.getTime() - days * dayMs);
  return {
    async hourly(scope, now, signal) {
      const until = keptSince(now);
      await forgetOldEvents(scope, until, signal);
      if (signal.aborted) return;
      const pruned: Pruning = { at: now.toISOString(), before: idBoundAt('AuditEvent', until) };
      await scope.facts.write(prunedFact, JSON.stringify(pruned));
    },
    gauges: [
      {
        name: 'sallyport_audit_pruned_timestamp_seconds',
        help: 'When events older than AUDIT_DAYS were last deleted, in seconds since 1970; without a value if never.',
        labels: [],
        async count(database) {
          const last = await readPruning(database);
          return last === null ? [] : [{ labels: {}, count: Date.parse(last.at) / 1000 }];
        },
      },
      {
        name: 'sallyport_audit_events_overdue',
        help: `Audit events that have become older than AUDIT_DAYS and that no deletion has looked at yet; ${overdueMax} stands for more.`,
        labels: [],
        count: async (database, now) => [{ labels: {}, count: await countOverdue(database, keptSince(now)) }],
      },
    ],
    check: async (database, now) => [await checkPruning(database, keptSince(now), now)],
  };
}

/** Name of the fact that keeps the last complete deletion of old events: `Pruning` as JSON. */
const prunedFact = 'auditEventsPruned';

/** A complete deletion of old events. */
interface Pruning {
  /** When it ended, in ISO 8601. */
  readonly at: string;
  /** The bound of the ids that it looked at. */
  readonly before: string;
}

async function readPruning(database: ServerReads): Promise<Pruning | null> {
  const fact = await readFact(database, prunedFact);
  return fact === null ? null : JSON.parse(fact);
}

/** Most events that are counted as overdue. */
const overdueMax = 10_000;

/** Accounts whose events one statement counts: more only as long as that takes little time. */
const accountSlices: SliceSizes = { first: 1, most: 100 };

/** Counts the events from before a moment that no deletion has looked at. */
async function countOverdue(database: ServerReads, moment: Date): Promise<number> {
  const after = (await readPruning(database))?.before ?? '';
  const select = (within: (column: string) => Sql) => sql`SELECT (SELECT count(*) FROM (
      SELECT 1 FROM "AuditEvent" e
      WHERE e."accountId" = a."id" AND e."id" >= ${after} AND e."id" < ${idBoundAt('AuditEvent', moment)}
      ORDER BY e."accountId", e."id" LIMIT ${overdueMax}) AS "overdue")
    FROM "Account" a WHERE ${within('a."id"')}`;
  let count = 0;
  for await (const rows of lookThrough(database, 'Account', select, accountSlices)) {
    count += rows.reduce((sum, [some]) => sum + Number(some), 0);
    if (count >= overdueMax) return overdueMax;
  }
  return count;
}

/** Hours without a deletion after which overdue events are reported. */
const lateHours = 48;

async function checkPruning(database: ServerReads, moment: Date, now: Date): Promise<Check> {
  const last = await readPruning(database);
  const overdue = await countOverdue(database, moment);
  const name = 'audit trail';
  const when = last === null ? 'never' : `last at ${last.at}`;
  const isLate = last === null || now.getTime() - Date.parse(last.at) > lateHours * 3_600_000;
  if (overdue === 0 || !isLate) return ok(name, `Events older than AUDIT_DAYS were deleted ${when}.`);
  return warn(
    name,
    `Events older than AUDIT_DAYS were deleted ${when}; ${overdue === overdueMax ? 'more than ' : ''}${counted(overdue, 'event')} should be gone.`,
    'They are deleted once the clock has been right for 24 hours, in one server after the other with pauses of less than an hour.',
  );
}

/**
 * Milliseconds by which the clocks of servers may differ. An event may be stored after another whose id has a later time, so
 * following the changes from that other event is not safe either.
 */
const skewMs = 3_600_000;

/**
 * Deletes events from before a moment. The last one of each object stays, because later changes are computed by comparison with it;
 * if it is a deletion, it is deleted after all others of the object. The deletion event of a whole goes with or before those of its
 * parts, so that the whole cannot be restored without them. Other work gets a turn after each slice.
 */
async function forgetOldEvents(scope: UpkeepScope, moment: Date, signal: AbortSignal): Promise<void> {
  // Ids are ordered by time.
  const end = idBoundAt('AuditEvent', moment);
  const accountIds: string[] = [];
  const withOld = (within: (column: string) => Sql) => sql`SELECT a."id" FROM "Account" a
    WHERE ${within('a."id"')} AND EXISTS (SELECT 1 FROM "AuditEvent" e WHERE e."accountId" = a."id" AND e."id" < ${end})`;
  for await (const rows of lookThrough(scope, 'Account', withOld)) accountIds.push(...rows.map(([id]) => String(id)));
  if (accountIds.length === 0) return;
  // Signed first: whatever is missing without that was removed by somebody else.
  await announcePruning(scope, end, signal);
  if (signal.aborted) return;
  // Written first, so that no client can resume after an event whose successors are deleted without being told.
  const bound = Buffer.from(idBoundAt('AuditEvent', new Date(moment.getTime() + skewMs)));
  await scope.change(
    sql`INSERT INTO "ServerFact" ("name", "value") VALUES (${forgottenFact}, ${bound})
      ON CONFLICT ("name") DO UPDATE SET "value" = excluded."value" WHERE "ServerFact"."value" < excluded."value"`,
  );
  for (const accountId of accountIds) {
    for await (const _ of scope.slices(deletedSlices, forgettingIn(scope, accountId, end, signal)));
    if (signal.aborted) return;
  }
  await forgetSegments(scope, moment, signal);
}

/** Returns what deletes the next events of an account with ids before an end. */
function forgettingIn(scope: UpkeepScope, accountId: string, end: string, signal: AbortSignal) {
  let after = '';
  return async (most: number) => {
    const [last] = await scope.rows(
      sql`SELECT "id" FROM "AuditEvent" WHERE "accountId" = ${accountId} AND "id" > ${after} AND "id" < ${end}
        ORDER BY "accountId", "id" LIMIT 1 OFFSET ${most - 1}`,
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
      sql`DELETE FROM "AuditEvent" AS e WHERE e."accountId" = ${accountId} AND e."id" > ${after} AND ${slice} AND ${isNotLast} AND (
        EXISTS (SELECT 1 FROM "AuditEvent" x WHERE ${ofObject} AND x."version" > e."version" AND x."id" < ${end})
        OR e."action" = 'refuse'
        OR e."action" = 'delete'
          AND NOT EXISTS (SELECT 1 FROM "AuditEvent" x WHERE ${ofObject} AND x."version" < e."version" AND ${behind}))`,
    );
    if (last !== undefined) after = String(last[0]);
    return { value: undefined, entries: most, isLast: last === undefined || signal.aborted };
  };
}
