// What API keys bring to the care of the server: those that are about to expire.

import { expiringDays } from '../../domain/key-scopes.ts';
import { counted, listed } from '../../domain/wording.ts';
import type { Check } from '../../storage/engine.ts';
import { ok, warn } from '../../storage/health.ts';
import type { ServerReads } from '../../storage/server-scope.ts';
import { sql } from '../../storage/statement.ts';
import type { AreaUpkeep } from '../../storage/upkeep.ts';

const dayMs = 86_400_000;

/** What API keys bring to the care of the server. */
export const apiKeyUpkeep: AreaUpkeep = { check: async (database, now) => [await checkExpiring(database, now)] };

/** Looks for keys that expire soon. Whoever had those that have expired knows it by now. */
async function checkExpiring(database: ServerReads, now: Date): Promise<Check> {
  const soon = new Date(now.getTime() + expiringDays * dayMs);
  const expiring = await database.rows(
    sql`SELECT "id", "expiresAt" FROM "ApiKey" WHERE "expiresAt" > ${now} AND "expiresAt" <= ${soon}
      ORDER BY "expiresAt", "id"`,
  );
  if (expiring.length === 0) return ok('api keys', `No API key expires within ${expiringDays} days.`);
  const named = listed(expiring, ([id, expiresAt]) => {
    const days = Math.floor((database.decode.DateTime(expiresAt).getTime() - now.getTime()) / dayMs);
    return `${id} in ${counted(days, 'day')}`;
  });
  return warn(
    'api keys',
    `${counted(expiring.length, 'API key')} expiring within ${expiringDays} days: ${named}.`,
    'Make new ones, and give them to those who use these.',
  );
}
