// What the server does about challenges that were used: it forgets them.

import { forgetUntil } from '../../storage/forgetting.ts';
import type { AreaUpkeep } from '../../storage/upkeep.ts';

/** Milliseconds for which a challenge is remembered beyond its end: the clocks of several servers may differ. */
const keptMs = 3_600_000;

/** Used challenges are forgotten once no server takes them any more. */
export const sshChallengeUpkeep: AreaUpkeep = {
  hourly: (scope, now, signal) => {
    const passing = { table: 'SshUsedChallenge', key: ['challengeHash'], time: 'usableUntil' };
    return forgetUntil(scope, passing, new Date(now.getTime() - keptMs), signal);
  },
};
