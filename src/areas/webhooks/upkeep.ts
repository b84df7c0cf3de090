// The upkeep of webhooks: sends their messages, tells them what needs attention, and forgets old deliveries.

import type { AreaUpkeep, UpkeepScope, UpkeepSettings } from '../../storage/lifecycle/upkeep.ts';
import { listsOfStatements } from '../../storage/objects/list-writes.ts';
import { lookThrough } from '../../storage/objects/server-scope.ts';
import { type Sql, sql, verbatim } from '../../storage/sql/statement.ts';
import { storedTime } from '../../storage/sql/times.ts';
import { deliver } from './delivering-store.ts';
import { deliveredKept, setAsideKept } from './rules.ts';
import { tellAttention } from './telling-store.ts';

/** The upkeep of the area. */
export const upkeep = ({ outgoing, attention }: UpkeepSettings): readonly AreaUpkeep[] => [
  {
    beside: (server, now, signal, onFailure) => deliver(server, outgoing, now, signal, onFailure),
    async eachRound(server, now, signal) {
      // First: what the attention of one account fails with ends the round.
      await forgetDeliveries(server, signal);
      await tellAttention(server, attention, now, signal);
    },
  },
];

/** Deliveries that one statement deletes. */
const forgottenAtOnce = 500;

/** Deletes the oldest deliveries beyond as many as each webhook keeps. */
async function forgetDeliveries(server: UpkeepScope, signal: AbortSignal): Promise<void> {
  for (const [state, kept] of [
    ['delivered', deliveredKept],
    ['set_aside', setAsideKept],
  ] as const) {
    const firstBeyond = (column: string) => sql`(SELECT ${verbatim(column)} FROM "WebhookDelivery" d
      WHERE d."webhookId" = w."id" AND d."state" = ${state} ORDER BY d."since" DESC, d."messageId" DESC LIMIT 1 OFFSET ${kept})`;
    const select = (within: (column: string) => Sql) => sql`SELECT * FROM (
        SELECT w."id" AS "id", ${firstBeyond('d."since"')} AS "since", ${firstBeyond('d."messageId"')} AS "messageId"
        FROM "Webhook" w WHERE ${within('w."id"')}
      ) AS f WHERE f."since" IS NOT NULL`;
    for await (const found of lookThrough(server, 'Webhook', select)) {
      if (signal.aborted) return;
      await forgetBeyond(server, state, found, signal);
    }
  }
}

/** Deletes the deliveries of webhooks in a state from ones on that were found, which go, too. */
async function forgetBeyond(server: UpkeepScope, state: string, found: readonly unknown[][], signal: AbortSignal) {
  const { entries, stored } = server.json;
  const list = found.map(([id, since, messageId]) => [id, storedTime(server.decode.DateTime(since)), messageId]);
  const since = verbatim(stored.DateTime('e.value ->> 1'));
  for (const some of listsOfStatements(list)) {
    const beyond = sql`SELECT d."webhookId", d."messageId" FROM ${entries(JSON.stringify(some))} AS e
      JOIN "WebhookDelivery" d ON d."webhookId" = e.value ->> 0 AND d."state" = ${state}
        AND (d."since", d."messageId") <= (${since}, e.value ->> 2) LIMIT ${forgottenAtOnce}`;
    const remove = sql`DELETE FROM "WebhookDelivery" WHERE ("webhookId", "messageId") IN (${beyond})`;
    let removed = forgottenAtOnce;
    while (removed === forgottenAtOnce && !signal.aborted) removed = await server.change(remove);
  }
}
