// How far the messages of webhooks have been sent, in the database: leases, positions, and deliveries that wait. Every write names
// the number of the lease, so that a server whose lease another has taken over changes nothing.

import { readChoice, readTextList } from '../../domain/values/decode.ts';
import type { UpkeepScope } from '../../storage/lifecycle/upkeep.ts';
import { listsOfStatements, rowsOfStatementMax } from '../../storage/objects/list-writes.ts';
import { sql, verbatim } from '../../storage/sql/statement.ts';
import { storedTime } from '../../storage/sql/times.ts';
import type { Cursor } from '../../storage/trail/event-reads.ts';
import { readSeen, type Seen } from '../../storage/trail/seen.ts';
import { type WebhookFormat, webhookFormats } from './formats.ts';
import type { DeliveryState } from './rules.ts';

/** Seconds for which a server may send the messages of a webhook without saying that it is still there. */
export const leaseSeconds = 15;

/** A webhook that is enabled, with its lane. */
export interface StoredLane {
  readonly webhookId: string;
  readonly accountId: string;
  readonly version: number;
  readonly url: string;
  readonly description: string;
  readonly format: WebhookFormat;
  readonly events: readonly string[];
  readonly objectIds: readonly string[];
  readonly sealedSecret: Uint8Array;
  readonly sealedFormerSecret: Uint8Array | null;
  readonly formerSecretUntil: Date | null;
  readonly cursor: Cursor;
  /** Which events after the cursor were there when the webhook was enabled; null if none was. */
  readonly seen: Seen | null;
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
    const found =
      await rows(sql`SELECT w."id", w."accountId", w."version", w."url", w."format", CAST(w."events" AS TEXT),
        CAST(w."objectIds" AS TEXT), w."sealedSecret", w."sealedFormerSecret", w."formerSecretUntil", l."commitOrder", l."eventId",
        l."leaseNumber", l."leaseUntil", l."failingSince", l."failures", l."pausedUntil", l."deliveredAt", w."description", l."seen"
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
        description: String(row[18]),
        format: readChoice(webhookFormats, String(row[4])),
        events: readTextList(JSON.parse(String(row[5]))),
        objectIds: readTextList(JSON.parse(String(row[6]))),
        sealedSecret: decode.Bytes(row[7]),
        sealedFormerSecret: row[8] === null ? null : decode.Bytes(row[8]),
        formerSecretUntil: time(row[9]),
        cursor: { order: BigInt(String(row[10])), id: String(row[11]) },
        seen: row[19] === null ? null : readSeen(String(row[19])),
        leaseNumber: Number(row[12]),
        leaseUntil: decode.DateTime(row[13]),
        standing: {
          failingSince: time(row[14]),
          failures: Number(row[15]),
          pausedUntil: time(row[16]),
          deliveredAt: time(row[17]),
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

/** Returns whether a lease is held, and its webhook enabled. What was read before was then stored while it was. */
export async function isHeld({ rows }: UpkeepScope, { webhookId, leaseNumber }: Lease): Promise<boolean> {
  const found = await rows(sql`SELECT 1 FROM "WebhookLane" l JOIN "Webhook" w ON w."id" = l."webhookId"
    WHERE l."webhookId" = ${webhookId} AND l."leaseNumber" = ${leaseNumber} AND w."enabled" = true`);
  return found.length > 0;
}

/** Prolongs leases; false if some of them were lost. */
export async function renewLeases(server: UpkeepScope, leases: readonly Lease[], now: Date): Promise<boolean> {
  return (await endLeases(server, leases, leaseEnd(now))) === leases.length;
}

/** Gives leases up, so that another server need not wait for their ends. */
export async function releaseLeases(server: UpkeepScope, leases: readonly Lease[]): Promise<void> {
  await endLeases(server, leases, new Date(0));
}

/** Sets the ends of leases that are still held; returns how many are. */
async function endLeases(server: UpkeepScope, leases: readonly Lease[], until: Date): Promise<number> {
  const { entries, stored } = server.json;
  let held = 0;
  for (const some of listsOfStatements(leases.map(({ webhookId, leaseNumber }) => [webhookId, leaseNumber]))) {
    held += await server.change(sql`UPDATE "WebhookLane" SET "leaseUntil" = ${until}
      WHERE ("webhookId", "leaseNumber") IN (
        SELECT e.value ->> 0, ${verbatim(stored.Int('e.value ->> 1'))} FROM ${entries(JSON.stringify(some))} AS e)`);
  }
  return held;
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
        ROW_NUMBER() OVER (PARTITION BY "objectId" ORDER BY "place", "since", "messageId") AS "turn"
      FROM "WebhookDelivery" WHERE "webhookId" = ${webhookId} AND "state" = 'waiting'
    ) AS d WHERE "turn" = 1 AND "nextAt" <= ${now} ORDER BY "place", "since", "messageId" LIMIT ${most}`);
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

/** Returns which of some webhooks have messages that are due. */
export async function webhooksWithDue(
  { rows, json }: UpkeepScope,
  ids: readonly string[],
  now: Date,
): Promise<string[]> {
  const due: string[] = [];
  for (const some of listsOfStatements(ids.map((id) => [id]))) {
    const found = await rows(sql`SELECT e.value ->> 0 FROM ${json.entries(JSON.stringify(some))} AS e
      WHERE EXISTS (SELECT 1 FROM "WebhookDelivery" d
        WHERE d."webhookId" = e.value ->> 0 AND d."state" = 'waiting' AND d."nextAt" <= ${now})`);
    due.push(...found.map(([webhookId]) => String(webhookId)));
  }
  return due;
}

/** How far a lane has come, and what became of messages, of which new ones are events of the trail, whose bodies are there. */
export interface Step extends Lease, Pick<StoredLane, 'accountId' | 'cursor' | 'standing'> {
  readonly results: readonly DeliveryResult[];
}

/** Stores steps of lanes, as one change; false if some of the leases were lost, whose steps change nothing. */
export async function storeSteps(server: UpkeepScope, steps: readonly Step[], now: Date): Promise<boolean> {
  const { entries, stored } = server.json;
  const text = (index: number) => `e.value ->> ${index}`;
  const timeOf = (time: Date | null) => (time === null ? null : storedTime(time));
  const isHeld = verbatim(`l."webhookId" = ${text(0)} AND l."leaseNumber" = ${stored.Int(text(1))}`);
  const progress = listsOfStatements(steps).map((some) => {
    const list = some.map(({ webhookId, leaseNumber, cursor, standing }) => [
      webhookId,
      leaseNumber,
      String(cursor.order),
      cursor.id,
      timeOf(standing.failingSince),
      standing.failures,
      timeOf(standing.pausedUntil),
      timeOf(standing.deliveredAt),
    ]);
    const sets = [
      `"commitOrder" = ${stored.BigInt(text(2))}`,
      `"eventId" = ${text(3)}`,
      `"failingSince" = ${stored.DateTime(text(4))}`,
      `"failures" = ${stored.Int(text(5))}`,
      `"pausedUntil" = ${stored.DateTime(text(6))}`,
      `"deliveredAt" = ${stored.DateTime(text(7))}`,
    ];
    return sql`UPDATE "WebhookLane" AS l SET ${verbatim(sets.join(', '))}, "leaseUntil" = ${leaseEnd(now)}
      FROM ${entries(JSON.stringify(list))} AS e WHERE ${isHeld}`;
  });
  const columns =
    '"webhookId", "accountId", "messageId", "type", "objectId", "place", "state", "since", "attempts", "triedAt", "nextAt", "status", "answer", "failure"';
  const values = [
    text(0),
    ...[2, 3, 4, 5].map(text),
    stored.BigInt(text(6)),
    text(7),
    stored.DateTime(text(8)),
    stored.Int(text(9)),
    stored.DateTime(text(10)),
    stored.DateTime(text(11)),
    stored.Int(text(12)),
    ...[13, 14].map(text),
  ];
  const changed = ['state', 'attempts', 'triedAt', 'nextAt', 'status', 'answer', 'failure', 'since'];
  const replaced = changed.map((column) => `"${column}" = excluded."${column}"`).join(', ');
  const rows = steps.flatMap(({ webhookId, leaseNumber, accountId, results }) =>
    results.map((each) => [
      webhookId,
      leaseNumber,
      accountId,
      each.messageId,
      each.type,
      each.objectId,
      String(each.place),
      each.state,
      storedTime(each.since),
      each.attempts,
      timeOf(each.triedAt),
      storedTime(each.nextAt),
      each.status,
      each.answer,
      each.failure,
    ]),
  );
  const deliveries = listsOfStatements(rows).map(
    (some) => sql`INSERT INTO "WebhookDelivery" (${verbatim(columns)})
      SELECT ${verbatim(values.join(', '))} FROM ${entries(JSON.stringify(some))} AS e
      WHERE EXISTS (SELECT 1 FROM "WebhookLane" l WHERE ${isHeld})
      ON CONFLICT ("webhookId", "messageId") DO UPDATE SET ${verbatim(replaced)}`,
  );
  const [first, ...others] = progress;
  if (first === undefined) return true;
  // Only the first statement counts what it changes. Of more lanes than it has, the leases are looked at when they are prolonged.
  const held = await server.change(first, ...others, ...deliveries);
  return held === Math.min(steps.length, rowsOfStatementMax);
}
