// What API keys bring to the care of the server: those that are about to expire, those that were revoked long ago, and sessions of the
// dashboard that have ended.

import { expiringDays } from '../../domain/key-scopes.ts';
import { dayMs } from '../../domain/time.ts';
import { forgetUntil } from '../../storage/forgetting.ts';
import { checkExpiring } from '../../storage/health.ts';
import type { AreaUpkeep } from '../../storage/upkeep.ts';

/** What API keys bring to the care of the server. */
export const apiKeyUpkeep: AreaUpkeep = {
  check: async (database, now) => [
    await checkExpiring(database, now, {
      check: 'api keys',
      kind: 'API key',
      table: 'ApiKey',
      end: 'expiresAt',
      days: expiringDays,
      remedy: 'Make new ones, and give them to those who use these.',
    }),
  ],
};

/**
 * Makes what forgets the tokens of revoked keys.
 *
 * @param days after which a request with such a token is one with any unknown token
 */
export function revokedKeyUpkeep(days: number): AreaUpkeep {
  return {
    hourly: (scope, now, signal) => {
      const passing = { table: 'RevokedApiKey', key: ['tokenHash'], time: 'revokedAt' };
      return forgetUntil(scope, passing, new Date(now.getTime() - days * dayMs), signal);
    },
  };
}

/** Seconds until a use of a session is written down, at most. */
const unwrittenSecondsMax = 60;

/**
 * Makes what forgets sessions of the dashboard that have ended.
 *
 * @param idleSeconds after which one ends that is not used
 */
export function dashboardSessionUpkeep(idleSeconds: number): AreaUpkeep {
  const sessions = { table: 'DashboardSession', key: ['id'] };
  return {
    async hourly(scope, now, signal) {
      const unusedSince = new Date(now.getTime() - (idleSeconds + unwrittenSecondsMax) * 1000);
      await forgetUntil(scope, { ...sessions, time: 'endsAt' }, now, signal);
      // Without an index: few are kept, and along one of all accounts PostgreSQL would list those of one.
      await forgetUntil(scope, { ...sessions, time: 'lastUsedAt' }, unusedSince, signal);
    },
  };
}
