// How far the trails have been shipped to each receiver, in the database, and which server ships. Every write names the number of
// the lease, so that a server whose lease another has taken over changes nothing.

import type { ReceiverName } from '../../../outgoing/shipping/receiver.ts';
import type { UpkeepScope } from '../../../storage/lifecycle/upkeep.ts';
import { listsOfStatements } from '../../../storage/objects/list-writes.ts';
import { lookThrough, type ServerReads } from '../../../storage/objects/server-scope.ts';
import { type Sql, sql, verbatim } from '../../../storage/sql/statement.ts';
import { beginning, type Cursor } from '../../../storage/trail/event-reads.ts';

/** Seconds for which a server may ship without saying that it is still there. */
const leaseSeconds = 6;
/** Milliseconds after which a server says so. */
export const renewMs = (leaseSeconds * 1_000) / 3;

/** How a receiver has answered lately. */
export interface Standing {
  readonly shippedAt: Date | null;
  readonly failingSince: Date | null;
  readonly failure: string | null;
  readonly rejected: number;
  readonly rejection: string | null;
}

/** The right to ship to a receiver. */
export interface Lease {
  readonly receiver: ReceiverName;
  readonly number: number;
}

/** Reads how a receiver has answered, with its lease; null if nothing was ever shipped to it. */
export async function readReceiver({ rows, decode }: ServerReads, receiver: ReceiverName) {
  const [row] =
    await rows(sql`SELECT "leaseNumber", "leaseUntil", "shippedAt", "failingSince", "failure", "rejected", "rejection"
    FROM "TrailReceiver" WHERE "name" = ${receiver}`);
  if (row === undefined) return null;
  const time = (value: unknown) => (value === null ? null : decode.DateTime(value));
  const textOf = (value: unknown) => (value === null ? null : String(value));
  const standing: Standing = {
    shippedAt: time(row[2]),
    failingSince: time(row[3]),
    failure: textOf(row[4]),
    rejected: Number(row[5]),
    rejection: textOf(row[6]),
  };
  return { leaseNumber: Number(row[0]), leaseUntil: decode.DateTime(row[1]), standing };
}

/** Takes the lease of a receiver, unless another server has it. */
export async function takeLease(
  server: UpkeepScope,
  receiver: ReceiverName,
  now: Date,
): Promise<{ lease: Lease; standing: Standing } | null> {
  await server.change(sql`INSERT INTO "TrailReceiver" ("name", "leaseNumber", "leaseUntil", "rejected")
    VALUES (${receiver}, 0, ${new Date(0)}, 0) ON CONFLICT ("name") DO NOTHING`);
  const found = await readReceiver(server, receiver);
  if (found === null) return null;
  const { leaseNumber, leaseUntil, standing } = found;
  // One that ends much later was taken by a server whose clock was wrong.
  const isFree = leaseUntil <= now || leaseUntil.getTime() > now.getTime() + 10 * leaseSeconds * 1000;
  if (!isFree) return null;
  const taken = await server.change(sql`UPDATE "TrailReceiver"
    SET "leaseNumber" = ${leaseNumber + 1}, "leaseUntil" = ${leaseEnd(now)}
    WHERE "name" = ${receiver} AND "leaseNumber" = ${leaseNumber}`);
  return taken === 1 ? { lease: { receiver, number: leaseNumber + 1 }, standing } : null;
}

function leaseEnd(now: Date): Date {
  return new Date(now.getTime() + leaseSeconds * 1000);
}

/** Prolongs a lease, or gives it up; false if it is lost. */
export async function renewLease(server: UpkeepScope, lease: Lease, now: Date | null): Promise<boolean> {
  const until = now === null ? new Date(0) : leaseEnd(now);
  return (await server.change(sql`UPDATE "TrailReceiver" SET "leaseUntil" = ${until} WHERE ${isHeld(lease)}`)) === 1;
}

function isHeld({ receiver, number }: Lease): Sql {
  return sql`"name" = ${receiver} AND "leaseNumber" = ${number}`;
}

/** Stores how far accounts have been shipped and how the receiver answers, as one change; false if the lease is lost. */
export async function storeProgress(
  server: UpkeepScope,
  lease: Lease,
  standing: Standing,
  cursors: ReadonlyMap<string, Cursor>,
  now: Date,
): Promise<boolean> {
  const { entries, stored } = server.json;
  const { shippedAt, failingSince, failure, rejected, rejection } = standing;
  const moves = listsOfStatements([...cursors]).map((some) => {
    const list = some.map(([accountId, { order, id }]) => [accountId, String(order), id]);
    const order = verbatim(stored.BigInt('e.value ->> 1'));
    return sql`INSERT INTO "TrailPosition" ("receiver", "accountId", "commitOrder", "eventId")
      SELECT ${lease.receiver}, e.value ->> 0, ${order}, e.value ->> 2 FROM ${entries(JSON.stringify(list))} AS e
      WHERE EXISTS (SELECT 1 FROM "TrailReceiver" WHERE ${isHeld(lease)})
      ON CONFLICT ("receiver", "accountId") DO UPDATE SET "commitOrder" = excluded."commitOrder", "eventId" = excluded."eventId"`;
  });
  const held = await server.change(
    sql`UPDATE "TrailReceiver" SET "leaseUntil" = ${leaseEnd(now)}, "shippedAt" = ${shippedAt},
      "failingSince" = ${failingSince}, "failure" = ${failure}, "rejected" = ${rejected}, "rejection" = ${rejection}
      WHERE ${isHeld(lease)}`,
    ...moves,
  );
  return held === 1;
}

/** An account of which something is not shipped. */
export interface AccountBehind {
  readonly id: string;
  readonly name: string;
  /** The stored position. */
  readonly cursor: Cursor;
  /** When the first event after it was stored. */
  readonly since: Date;
}

/** Finds the accounts that have events after their positions at a receiver. */
export async function* accountsBehind(database: ServerReads, receiver: ReceiverName): AsyncGenerator<AccountBehind> {
  const after = sql`(coalesce(p."commitOrder", ${beginning.order}), coalesce(p."eventId", ''))`;
  const slices = lookThrough(
    database,
    'Account',
    // Compared with the last event, which an index finds; whether it is settled shows when it is read.
    (within) => sql`SELECT * FROM (
        SELECT a."id", a."name", p."commitOrder", p."eventId", (SELECT e."createdAt" FROM "AuditEvent" e
          WHERE e."accountId" = a."id" AND (e."commitOrder", e."id") > ${after}
          ORDER BY e."accountId", e."commitOrder", e."id" LIMIT 1) AS "since"
        FROM "Account" a LEFT JOIN "TrailPosition" p ON p."receiver" = ${receiver} AND p."accountId" = a."id"
        WHERE ${within('a."id"')}
      ) AS b WHERE "since" IS NOT NULL`,
  );
  for await (const rows of slices) {
    for (const [id, name, order, eventId, since] of rows) {
      const cursor = order === null ? beginning : { order: BigInt(String(order)), id: String(eventId) };
      yield { id: String(id), name: String(name), cursor, since: database.decode.DateTime(since) };
    }
  }
}
