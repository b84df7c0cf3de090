// What API keys bring to the care of the server: those that are about to expire.

import { expiringDays } from '../../domain/key-scopes.ts';
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
