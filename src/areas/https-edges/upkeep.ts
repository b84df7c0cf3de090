// The upkeep of HTTPS edges: deletes logins and sessions that are over, and reads metadata again.

import { readingSeconds } from '../../domain/saml/identity-provider.ts';
import { type Due, doDue } from '../../storage/lifecycle/due-rows.ts';
import { forgetUntil, type Passing } from '../../storage/lifecycle/forgetting.ts';
import type { AreaUpkeep, UpkeepSettings } from '../../storage/lifecycle/upkeep.ts';
import type { ServerScope } from '../../storage/objects/server-scope.ts';
import { refreshMetadata } from './metadata-reading-store.ts';

export const httpsEdgeUpkeep: AreaUpkeep = { hourly: forgetWhatIsOver };

/** The upkeep of the area. */
export const upkeep = ({ outgoing }: UpkeepSettings): readonly AreaUpkeep[] => [
  httpsEdgeUpkeep,
  {
    eachRound: (server, now, signal) =>
      doDue(server, metadata, now, signal, (scope, routeId) => refreshMetadata(scope, outgoing.fetch, routeId, signal)),
  },
];

/** When metadata is read again. */
const metadata = {
  table: 'SamlModule',
  key: 'routeId',
  time: 'metadataNextAt',
  secondsMax: readingSeconds.max,
} as const satisfies Due;

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
