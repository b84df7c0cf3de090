// The upkeep of people: forgets used answers of providers that would not be accepted again anyway.

import { forgetUntil } from '../../storage/lifecycle/forgetting.ts';
import type { AreaUpkeep } from '../../storage/lifecycle/upkeep.ts';

/** The upkeep of the area. */
export const upkeep = (): readonly AreaUpkeep[] => [
  {
    hourly: (scope, now, signal) =>
      forgetUntil(scope, { table: 'UsedSignIn', key: ['providerId', 'idHash'], time: 'usableUntil' }, now, signal),
  },
];
