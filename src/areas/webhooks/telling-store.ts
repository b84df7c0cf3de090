// Tells webhooks what begins and ends to need attention: compares what needs it now with what did when they were last told.

import { randomBytes } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Attention } from '../../domain/attention.ts';
import { hashOf } from '../../domain/values/hash.ts';
import { kindOfId } from '../../domain/values/ids.ts';
import { groupBy } from '../../domain/values/maps.ts';
import { dayMs } from '../../domain/values/time.ts';
import type { UpkeepScope } from '../../storage/lifecycle/upkeep.ts';
import type { AttentionSource } from '../../storage/objects/attention-source.ts';
import { listsOfStatements } from '../../storage/objects/list-writes.ts';
import { sql } from '../../storage/sql/statement.ts';
import { storedTime } from '../../storage/sql/times.ts';
import { readLanes, type StoredLane } from './lane-store.ts';
import { envelope, wanting } from './rules.ts';
import { deliveryOf } from './waking-store.ts';

/** Something that needs attention, as it is kept and told. */
interface Told {
  readonly begunAt: string;
  readonly code: string;
  readonly severity: string;
  readonly message: string;
  readonly count: number;
  readonly at: string | null;
  readonly subjectId: string | null;
}

/** Most things of each source that are told one by one; the others are one. */
const toldMax = 100;
/** Accounts that one round looks at. */
const accountsMax = 200;
/** The account at which the last round of this process ended. */
const turns = { after: '' };

/** Tells the webhooks of accounts that want to know, one account after the other. */
export async function tellAttention(
  server: UpkeepScope,
  loadSources: () => Promise<readonly AttentionSource[]>,
  now: Date,
  signal: AbortSignal,
): Promise<void> {
  const lanes = (await readLanes(server)).filter((lane) => lane.events.some((type) => /^(\*$|attention\.)/.test(type)));
  const byAccount = [...groupBy(lanes, ({ accountId }) => accountId)].sort(([one], [other]) => (one < other ? -1 : 1));
  if (byAccount.length === 0) return;
  const rest = byAccount.filter(([accountId]) => accountId > turns.after);
  const sources = await loadSources();
  for (const [accountId, hooks] of (rest.length > 0 ? rest : byAccount).slice(0, accountsMax)) {
    if (signal.aborted) return;
    turns.after = accountId;
    await tellAccount(server, sources, accountId, hooks, now);
    await nextTurn();
  }
  if (byAccount.length <= accountsMax) turns.after = '';
}

async function tellAccount(
  server: UpkeepScope,
  sources: readonly AttentionSource[],
  accountId: string,
  hooks: readonly StoredLane[],
  now: Date,
): Promise<void> {
  const scope = server.actingFor(accountId);
  const found: Attention[] = [];
  // What restrictions would refuse is counted by each server for itself, and is not told.
  for (const { find } of sources) found.push(...(await find({ scope, most: toldMax, warningsOf: async () => [] })));
  const [stored] = await server.rows(
    sql`SELECT "items", "token", "digestDay" FROM "WebhookAttention" WHERE "accountId" = ${accountId}`,
  );
  const before = new Map<string, Told>(stored === undefined ? [] : Object.entries(JSON.parse(String(stored[0]))));
  const after = new Map(found.map((item) => [keyOf(item), toldOf(item, before.get(keyOf(item)), now)]));
  const changes = [
    ...[...after].filter(([key]) => !before.has(key)).map(([key, item]) => ({ key, type: 'attention.begin', item })),
    ...[...before].filter(([key]) => !after.has(key)).map(([key, item]) => ({ key, type: 'attention.end', item })),
  ];
  const items = JSON.stringify(Object.fromEntries(after));
  const digest = digestOf(accountId, [...after.values()], stored?.[2] ?? null, now);
  if (items === String(stored?.[0] ?? '{}') && digest === null) return;
  const digestDay = digest?.day ?? (stored?.[2] == null ? null : String(stored[2]));
  const token = randomBytes(16).toString('hex');
  const keep =
    stored === undefined
      ? sql`INSERT INTO "WebhookAttention" ("accountId", "items", "token", "digestDay")
          VALUES (${accountId}, ${items}, ${token}, ${digestDay})
          ON CONFLICT ("accountId") DO NOTHING`
      : sql`UPDATE "WebhookAttention" SET "items" = ${items}, "token" = ${token}, "digestDay" = ${digestDay}
          WHERE "accountId" = ${accountId} AND "token" = ${String(stored[1])}`;
  const messages = hooks.flatMap((hook) => {
    const wants = wanting(hook);
    const told = changes
      .filter(({ type, item }) => wants(type, item.subjectId ?? ''))
      .map(({ key, type, item }) => [
        hook.webhookId,
        `msg_${hashOf(`${accountId} ${key} ${item.begunAt} ${type}`).slice(0, 32)}`,
        type,
        item.subjectId ?? key,
        bodyOf(accountId, type, item, now),
      ]);
    if (digest === null || digest.body === null || !wants(digestType, '')) return told;
    const messageId = `msg_${hashOf(`${accountId} ${digest.day} ${digestType}`).slice(0, 32)}`;
    return [...told, [hook.webhookId, messageId, digestType, digestType, digest.body]];
  });
  const { entries } = server.json;
  const writes = listsOfStatements(messages).map(
    (some) => sql`INSERT INTO "WebhookDelivery"
        ("webhookId", "accountId", "messageId", "type", "objectId", "place", "state", "body", "since", "nextAt")
      SELECT e.value ->> 0, ${accountId}, e.value ->> 1, e.value ->> 2, e.value ->> 3, 0, 'waiting', e.value ->> 4, ${now}, ${now}
      FROM ${entries(JSON.stringify(some))} AS e
      WHERE EXISTS (SELECT 1 FROM "WebhookAttention" a WHERE a."accountId" = ${accountId} AND a."token" = ${token})
        AND EXISTS (SELECT 1 FROM "WebhookLane" l WHERE l."webhookId" = e.value ->> 0)
      ON CONFLICT ("webhookId", "messageId") DO NOTHING`,
  );
  await server.change(keep, ...writes);
  deliveryOf(server).wake();
}

const digestType = 'attention.digest';
/** The hour of the day, in UTC, from which on what is due is told, and how far ahead that looks. */
const digestHour = 7;
const digestMs = 7 * dayMs;

/** Returns what is due, once a day; null if this day has been told. A day on which nothing is due has no message. */
function digestOf(accountId: string, items: readonly Told[], lastDay: unknown, now: Date) {
  const day = now.toISOString().slice(0, 10);
  if (now.getUTCHours() < digestHour || lastDay === day) return null;
  const until = new Date(now.getTime() + digestMs);
  const due = items
    .filter(({ at }) => at !== null && at > now.toISOString() && at <= until.toISOString())
    .sort((one, other) => (String(one.at) < String(other.at) ? -1 : 1));
  if (due.length === 0) return { day, body: null };
  const data = { account_id: accountId, until: until.toISOString(), items: due.map((item) => dataOf(item)) };
  return { day, body: envelope(digestType, now, JSON.stringify(data)) };
}

/** Names what needs attention, so that it is recognized later. */
function keyOf({ code, subject }: Attention): string {
  return `${code} ${subject?.id ?? ''}`.trimEnd();
}

function toldOf({ subject, at, ...item }: Attention, before: Told | undefined, now: Date): Told {
  const { code, severity, message, count } = item;
  const begunAt = before?.begunAt ?? storedTime(now);
  return { begunAt, code, severity, message, count, at: at?.toISOString() ?? null, subjectId: subject?.id ?? null };
}

function bodyOf(accountId: string, type: string, item: Told, now: Date): string {
  return envelope(type, now, JSON.stringify({ account_id: accountId, ...dataOf(item) }));
}

function dataOf({ begunAt, subjectId, ...told }: Told) {
  const subject = { subject_id: subjectId, subject_kind: subjectId === null ? null : kindOfId(subjectId) };
  return { ...told, ...subject, begun_at: new Date(begunAt).toISOString() };
}
