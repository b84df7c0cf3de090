// What HTTPS edges bring to the care of the server: logins and sessions that are over.

import type { ServerScope } from '../../storage/server-scope.ts';
import { sql } from '../../storage/statement.ts';
import type { AreaUpkeep } from '../../storage/upkeep.ts';

/** What HTTPS edges bring to the care of the server. */
export const httpsEdgeUpkeep: AreaUpkeep = { hourly: forgetWhatIsOver };

/**
 * Deletes what no longer counts. A used assertion that is gone could be used again by a server whose clock is behind: `now` must be a
 * clock that is believed. Sessions that other limits have ended go with their latest end.
 */
async function forgetWhatIsOver({ change }: ServerScope, now: Date): Promise<void> {
  await change(
    sql`DELETE FROM "SamlLogin" WHERE "expiresAt" <= ${now}`,
    sql`DELETE FROM "SamlUsedAssertion" WHERE "usableUntil" <= ${now}`,
    sql`DELETE FROM "SamlLogout" WHERE "countsUntil" <= ${now}`,
    sql`DELETE FROM "SamlSession" WHERE "endsAt" <= ${now}`,
  );
}
