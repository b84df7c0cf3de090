// The upkeep of used challenges: deletes them once they are no longer needed.

import { forgetUntil } from '../../../storage/lifecycle/forgetting.ts';
import type { AreaUpkeep } from '../../../storage/lifecycle/upkeep.ts';

/** Milliseconds for which a challenge is remembered after it expires, because the clocks of several servers may differ. */
const keptMs = 3_600_000;

/** Deletes used challenges once no server accepts them any more. */
export const sshChallengeUpkeep: AreaUpkeep = {
  hourly: (scope, now, signal) => {
    const passing = { table: 'SshUsedChallenge', key: ['challengeHash'], time: 'usableUntil' };
    return forgetUntil(scope, passing, new Date(now.getTime() - keptMs), signal);
  },
};
