// The upkeep of remembered requests: deletes records older than a day.

import { rememberedMs } from '../idempotency.ts';
import { forgetUntil } from './forgetting.ts';
import type { AreaUpkeep } from './upkeep.ts';

export const idempotencyUpkeep: AreaUpkeep = {
  hourly: (scope, now, signal) => {
    const passing = { table: 'IdempotencyRecord', key: ['accountId', 'keyHash', 'responseName'], time: 'createdAt' };
    return forgetUntil(scope, passing, new Date(now.getTime() - rememberedMs), signal);
  },
};
