// The upkeep of HTTPS edges: deletes logins and sessions that are over.

import { forgetUntil, type Passing } from '../../storage/lifecycle/forgetting.ts';
import type { AreaUpkeep } from '../../storage/lifecycle/upkeep.ts';
import type { ServerScope } from '../../storage/objects/server-scope.ts';

/** The upkeep of HTTPS edges. */
export const httpsEdgeUpkeep: AreaUpkeep = { hourly: forgetWhatIsOver };

/** The upkeep of the area. */
export const upkeep = (): readonly AreaUpkeep[] => [httpsEdgeUpkeep];

/**
 * Deletes expired rows. After a used assertion is deleted, a server whose clock is behind could accept it again, so `now` must come
 * from a trustworthy clock. Sessions that other limits have ended are deleted at their latest possible end.
 */
async function forgetWhatIsOver(scope: ServerScope, now: Date, signal: AbortSignal): Promise<void> {
  for (const passing of passings) await forgetUntil(scope, passing, now, signal);
}

const passings: readonly Passing[] = [
  { table: 'SamlTarget', key: ['browserHash'], time: 'expiresAt' },
  { table: 'SamlLogin', key: ['ticketHash'], time: 'expiresAt' },
  { table: 'SamlUsedAssertion', key: ['routeId', 'idHash'], time: 'usableUntil' },
  { table: 'SamlLogout', key: ['routeId', 'userHash', 'sessionHash'], time: 'countsUntil' },
  { table: 'LoginSession', key: ['id'], time: 'endsAt' },
];
