// How far the messages of webhooks have been sent, in the database: leases, positions, and deliveries that wait. Every write names
// the number of the lease, so that a server whose lease another has taken over changes nothing.

import { readTextList } from '../../domain/values/decode.ts';
import type { UpkeepScope } from '../../storage/lifecycle/upkeep.ts';
import { listsOfStatements } from '../../storage/objects/list-writes.ts';
import { sql, verbatim } from '../../storage/sql/statement.ts';
import { storedTime } from '../../storage/sql/times.ts';
import type { Cursor } from '../../storage/trail/event-reads.ts';
import { type DeliveryState, deliveredKept, setAsideKept } from './rules.ts';

/** Seconds for which a server may send the messages of a webhook without saying that it is still there. */
export const leaseSeconds = 15;

/** A webhook that is enabled, with its lane. */
export interface StoredLane {
  readonly webhookId: string;
  readonly accountId: string;
  readonly version: number;
  readonly url: string;
  readonly events: readonly string[];
  readonly objectIds: readonly string[];
  readonly sealedSecret: Uint8Array;
  readonly sealedFormerSecret: Uint8Array | null;
  readonly formerSecretUntil: Date | null;
  readonly cursor: Cursor;
  readonly leaseNumber: number;
  readonly leaseUntil: Date;
  readonly standing: Standing;
}

/** How the receiver of a lane has answered lately. */
export interface Standing {
  readonly failingSince: Date | null;
  readonly failures: number;
  readonly pausedUntil: Date | null;
  readonly deliveredAt: Date | null;
}

/** Webhooks that are read by one statement. */
const lanesAtOnce = 500;

/** Reads all lanes of webhooks that are enabled. */
export async function readLanes({ rows, decode }: UpkeepScope): Promise<StoredLane[]> {
  const time = (value: unknown) => (value === null ? null : decode.DateTime(value));
  const lanes: StoredLane[] = [];
  for (let after = ''; ; ) {
    const found = await rows(sql`SELECT w."id", w."accountId", w."version", w."url", CAST(w."events" AS TEXT),
        CAST(w."objectIds" AS TEXT), w."sealedSecret", w."sealedFormerSecret", w."formerSecretUntil", l."commitOrder", l."eventId",
        l."leaseNumber", l."leaseUntil", l."failingSince", l."failures", l."pausedUntil", l."deliveredAt"
      FROM (
        SELECT * FROM "Webhook" WHERE "enabled" = true AND "id" > ${after} ORDER BY "id" LIMIT ${lanesAtOnce}
      ) AS w JOIN "WebhookLane" l ON l."webhookId" = w."id" AND l."webhookId" > ${after} ORDER BY w."id"`);
    for (const row of found) {
      after = String(row[0]);
      lanes.push({
        webhookId: after,
        accountId: String(row[1]),
        version: Number(row[2]),
        url: String(row[3]),
        events: readTextList(JSON.parse(String(row[4]))),
        objectIds: readTextList(JSON.parse(String(row[5]))),
        sealedSecret: decode.Bytes(row[6]),
        sealedFormerSecret: row[7] === null ? null : decode.Bytes(row[7]),
        formerSecretUntil: time(row[8]),
        cursor: { order: BigInt(String(row[9])), id: String(row[10]) },
        leaseNumber: Number(row[11]),
        leaseUntil: decode.DateTime(row[12]),
        standing: {
          failingSince: time(row[13]),
          failures: Number(row[14]),
          pausedUntil: time(row[15]),
          deliveredAt: time(row[16]),
        },
      });
    }
    if (found.length < lanesAtOnce) return lanes;
  }
}

/** Takes a lease over; returns its number, or null if another server was faster. */
export async function takeLease(server: UpkeepScope, lane: StoredLane, now: Date): Promise<number | null> {
  const { webhookId, leaseNumber } = lane;
  const taken = await server.change(
    sql`UPDATE "WebhookLane" SET "leaseNumber" = ${leaseNumber + 1}, "leaseUntil" = ${leaseEnd(now)}
      WHERE "webhookId" = ${webhookId} AND "leaseNumber" = ${leaseNumber}`,
  );
  return taken === 1 ? leaseNumber + 1 : null;
}

/** What identifies a lease. */
export interface Lease {
  readonly webhookId: string;
  readonly leaseNumber: number;
}

/** Prolongs leases; false if some of them were lost. */
export async function renewLeases(server: UpkeepScope, leases: readonly Lease[], now: Date): Promise<boolean> {
  const { entries, stored } = server.json;
  let renewed = 0;
  for (const some of listsOfStatements(leases.map(({ webhookId, leaseNumber }) => [webhookId, leaseNumber]))) {
    renewed += await server.change(sql`UPDATE "WebhookLane" SET "leaseUntil" = ${leaseEnd(now)}
      WHERE ("webhookId", "leaseNumber") IN (
        SELECT e.value ->> 0, ${verbatim(stored.Int('e.value ->> 1'))} FROM ${entries(JSON.stringify(some))} AS e)`);
  }
  return renewed === leases.length;
}

/** Gives a lease up, so that another server need not wait for its end. */
export async function releaseLease(server: UpkeepScope, { webhookId, leaseNumber }: Lease): Promise<void> {
  await server.change(sql`UPDATE "WebhookLane" SET "leaseUntil" = ${new Date(0)}
    WHERE "webhookId" = ${webhookId} AND "leaseNumber" = ${leaseNumber}`);
}

function leaseEnd(now: Date): Date {
  return new Date(now.getTime() + leaseSeconds * 1000);
}

/** A message that waits. */
export interface WaitingDelivery {
  readonly messageId: string;
  readonly type: string;
  readonly objectId: string;
  readonly place: bigint;
  readonly body: string | null;
  readonly since: Date;
  readonly attempts: number;
}

/** A delivery to be stored, over what was known of it. */
export interface DeliveryResult extends WaitingDelivery {
  readonly state: DeliveryState;
  readonly triedAt: Date | null;
  readonly nextAt: Date;
  readonly status: number | null;
  readonly answer: string;
  readonly failure: string | null;
}

/** Most messages that wait and are tried by one step. */
const dueAtOnce = 64;

/** Reads the messages that are due: of each object only the first, so that its others keep their order. */
export async function readDue(
  { rows, decode }: UpkeepScope,
  webhookId: string,
  now: Date,
  most = dueAtOnce,
): Promise<WaitingDelivery[]> {
  const found = await rows(sql`SELECT "messageId", "type", "objectId", "place", "body", "since", "attempts" FROM (
      SELECT "messageId", "type", "objectId", "place", "body", "since", "attempts", "nextAt",
        ROW_NUMBER() OVER (PARTITION BY "objectId" ORDER BY "place", "messageId") AS "turn"
      FROM "WebhookDelivery" WHERE "webhookId" = ${webhookId} AND "state" = 'waiting'
    ) AS d WHERE "turn" = 1 AND "nextAt" <= ${now} ORDER BY "place", "messageId" LIMIT ${most}`);
  return found.map(([messageId, type, objectId, place, body, since, attempts]) => ({
    messageId: String(messageId),
    type: String(type),
    objectId: String(objectId),
    place: BigInt(String(place)),
    body: body === null ? null : String(body),
    since: decode.DateTime(since),
    attempts: Number(attempts),
  }));
}

/** Counts the messages of a webhook that wait, by object. */
export async function countWaiting({ rows }: UpkeepScope, webhookId: string): Promise<Map<string, number>> {
  const found = await rows(sql`SELECT "objectId", count(*) FROM "WebhookDelivery"
    WHERE "webhookId" = ${webhookId} AND "state" = 'waiting' GROUP BY "objectId"`);
  return new Map(found.map(([objectId, count]) => [String(objectId), Number(count)]));
}

/** Returns which webhooks have messages that are due. */
export async function webhooksWithDue({ rows }: UpkeepScope, now: Date): Promise<string[]> {
  const found = await rows(sql`SELECT DISTINCT "webhookId" FROM "WebhookDelivery"
    WHERE "state" = 'waiting' AND "nextAt" <= ${now} LIMIT 1000`);
  return found.map(([webhookId]) => String(webhookId));
}

/**
 * Stores a step of a lane: how far it has come, and what became of messages, of which new ones are events of the trail, whose bodies
 * are there; false if the lease was lost.
 */
export async function storeStep(
  server: UpkeepScope,
  lease: Lease & { readonly accountId: string },
  { cursor, standing }: Pick<StoredLane, 'cursor' | 'standing'>,
  results: readonly DeliveryResult[],
  now: Date,
): Promise<boolean> {
  const { webhookId, leaseNumber, accountId } = lease;
  const { failingSince, failures, pausedUntil, deliveredAt } = standing;
  const progress = sql`UPDATE "WebhookLane" SET "commitOrder" = ${cursor.order}, "eventId" = ${cursor.id},
      "failingSince" = ${failingSince}, "failures" = ${failures}, "pausedUntil" = ${pausedUntil}, "deliveredAt" = ${deliveredAt},
      "leaseUntil" = ${leaseEnd(now)}
    WHERE "webhookId" = ${webhookId} AND "leaseNumber" = ${leaseNumber}`;
  const { entries, stored } = server.json;
  const text = (index: number) => `e.value ->> ${index}`;
  const values = [
    ...[0, 1, 2].map(text),
    stored.BigInt(text(3)),
    text(4),
    stored.DateTime(text(5)),
    stored.Int(text(6)),
    stored.DateTime(text(7)),
    stored.DateTime(text(8)),
    stored.Int(text(9)),
    ...[10, 11].map(text),
  ];
  const columns =
    '"messageId", "type", "objectId", "place", "state", "since", "attempts", "triedAt", "nextAt", "status", "answer", "failure"';
  const changed = ['state', 'attempts', 'triedAt', 'nextAt', 'status', 'answer', 'failure', 'since'];
  const sets = changed.map((column) => `"${column}" = excluded."${column}"`).join(', ');
  const writes = listsOfStatements(results).map((some) => {
    const list = JSON.stringify(
      some.map((each) => [
        each.messageId,
        each.type,
        each.objectId,
        String(each.place),
        each.state,
        storedTime(each.since),
        each.attempts,
        each.triedAt === null ? null : storedTime(each.triedAt),
        storedTime(each.nextAt),
        each.status,
        each.answer,
        each.failure,
      ]),
    );
    return sql`INSERT INTO "WebhookDelivery" ("webhookId", "accountId", ${verbatim(columns)})
      SELECT ${webhookId}, ${accountId}, ${verbatim(values.join(', '))} FROM ${entries(list)} AS e
      WHERE EXISTS (SELECT 1 FROM "WebhookLane" l WHERE l."webhookId" = ${webhookId} AND l."leaseNumber" = ${leaseNumber})
      ON CONFLICT ("webhookId", "messageId") DO UPDATE SET ${verbatim(sets)}`;
  });
  return (await server.change(progress, ...writes)) === 1;
}

/** Deliveries that one statement deletes. */
const forgottenAtOnce = 500;

/** Deletes the oldest deliveries beyond as many as each webhook keeps. */
export async function forgetDeliveries(server: UpkeepScope, signal: AbortSignal): Promise<void> {
  for (const [state, kept] of [
    ['delivered', deliveredKept],
    ['set_aside', setAsideKept],
  ] as const) {
    const beyond = sql`SELECT "webhookId", "messageId" FROM (
        SELECT "webhookId", "messageId", ROW_NUMBER() OVER (PARTITION BY "webhookId" ORDER BY "since" DESC, "messageId" DESC) AS "place"
        FROM "WebhookDelivery" WHERE "state" = ${state}
      ) AS d WHERE "place" > ${kept} LIMIT ${forgottenAtOnce}`;
    // Looks first: mostly there is nothing to delete.
    while (!signal.aborted && (await server.rows(beyond)).length > 0) {
      await server.change(
        sql`DELETE FROM "WebhookDelivery" WHERE "state" = ${state} AND ("webhookId", "messageId") IN (${beyond})`,
      );
    }
  }
}
