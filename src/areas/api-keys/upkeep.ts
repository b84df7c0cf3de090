// The upkeep of API keys: reports keys that are about to expire, and deletes the records of keys revoked long ago and of dashboard
// sessions that have ended.

import { expiringDays } from '../../domain/access/key-scopes.ts';
import { noteSecondsMax } from '../../domain/gate/session-rule.ts';
import { dayMs } from '../../domain/values/time.ts';
import { forgetByLooking, forgetUntil } from '../../storage/lifecycle/forgetting.ts';
import { checkExpiring } from '../../storage/lifecycle/health.ts';
import type { AreaUpkeep, UpkeepSettings } from '../../storage/lifecycle/upkeep.ts';

/** The upkeep of the area. */
export function upkeep({ auditDays, dashboardIdleSeconds }: UpkeepSettings): readonly AreaUpkeep[] {
  return [apiKeyUpkeep, revokedKeyUpkeep(auditDays), dashboardSessionUpkeep(dashboardIdleSeconds)];
}

/** Reports API keys that are about to expire. */
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
 * Creates the upkeep that forgets the tokens of revoked keys.
 *
 * @param days after which a request with such a token is treated like one with any unknown token
 */
export function revokedKeyUpkeep(days: number): AreaUpkeep {
  return {
    hourly: (scope, now, signal) => {
      const passing = { table: 'RevokedApiKey', key: ['tokenHash'], time: 'revokedAt' };
      return forgetUntil(scope, passing, new Date(now.getTime() - days * dayMs), signal);
    },
  };
}

/**
 * Creates the upkeep that deletes dashboard sessions that have ended.
 *
 * @param idleSeconds seconds without a use after which a session ends
 */
export function dashboardSessionUpkeep(idleSeconds: number): AreaUpkeep {
  const sessions = { table: 'DashboardSession' };
  return {
    async hourly(scope, now, signal) {
      // Twice the time between stored uses, because a use whose write has failed is stored with the next one.
      const unusedSince = new Date(now.getTime() - (idleSeconds + 2 * noteSecondsMax.relevant) * 1000);
      await forgetUntil(scope, { ...sessions, key: ['id'], time: 'endsAt' }, now, signal);
      // Without an index: PostgreSQL would use it across accounts to list those of one account.
      await forgetByLooking(scope, { ...sessions, time: 'lastUsedAt' }, unusedSince, signal);
    },
  };
}
