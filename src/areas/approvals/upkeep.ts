// The upkeep of approvals: forgets requests a day after their end. The trail has what became of them.

import { dayMs } from '../../domain/values/time.ts';
import { forgetUntil } from '../../storage/lifecycle/forgetting.ts';
import type { AreaUpkeep } from '../../storage/lifecycle/upkeep.ts';

/** The upkeep of the area. */
export const upkeep = (): readonly AreaUpkeep[] => [
  {
    hourly: (scope, now, signal) =>
      forgetUntil(
        scope,
        { table: 'ApprovalRequest', key: ['id'], time: 'expiresAt' },
        new Date(now.getTime() - dayMs),
        signal,
      ),
  },
];
