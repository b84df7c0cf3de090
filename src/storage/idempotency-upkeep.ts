// The end of what is remembered of requests with an idempotency key.

import { setImmediate as nextTurn } from 'node:timers/promises';
import { rememberedMs } from './idempotency.ts';
import type { ServerScope } from './server-scope.ts';
import { sql } from './statement.ts';
import type { AreaUpkeep } from './upkeep.ts';

/** What remembered requests bring to the care of the server. */
export const idempotencyUpkeep: AreaUpkeep = { hourly: forgetOldRequests };

/** Rows that are deleted by one statement. */
const rowsAtOnce = 500;

/** Deletes what is remembered of requests from more than a day ago. Everybody else gets a turn after each slice. */
async function forgetOldRequests(scope: ServerScope, now: Date, signal: AbortSignal): Promise<void> {
  const end = new Date(now.getTime() - rememberedMs);
  while (!signal.aborted) {
    const deleted = await scope.change(
      sql`DELETE FROM "IdempotencyRecord" WHERE ("accountId", "keyHash", "place") IN (
        SELECT "accountId", "keyHash", "place" FROM "IdempotencyRecord" WHERE "createdAt" <= ${end}
        ORDER BY "createdAt" LIMIT ${rowsAtOnce})`,
    );
    if (deleted < rowsAtOnce) return;
    await nextTurn();
  }
}
