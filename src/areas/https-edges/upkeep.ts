// What HTTPS edges bring to the care of the server: logins and sessions that are over.

import { forgetUntil, type Passing } from '../../storage/forgetting.ts';
import type { ServerScope } from '../../storage/server-scope.ts';
import type { AreaUpkeep } from '../../storage/upkeep.ts';

/** What HTTPS edges bring to the care of the server. */
export const httpsEdgeUpkeep: AreaUpkeep = { hourly: forgetWhatIsOver };

/**
 * Deletes what no longer counts. A used assertion that is gone could be used again by a server whose clock is behind: `now` must be a
 * clock that is believed. Sessions that other limits have ended go with their latest end.
 */
async function forgetWhatIsOver(scope: ServerScope, now: Date, signal: AbortSignal): Promise<void> {
  for (const passing of passings) await forgetUntil(scope, passing, now, signal);
}

const passings: readonly Passing[] = [
  { table: 'SamlLogin', key: ['ticketHash'], time: 'expiresAt' },
  { table: 'SamlUsedAssertion', key: ['routeId', 'idHash'], time: 'usableUntil' },
  { table: 'SamlLogout', key: ['routeId', 'userHash', 'sessionHash'], time: 'countsUntil' },
  { table: 'SamlSession', key: ['id'], time: 'endsAt' },
];
