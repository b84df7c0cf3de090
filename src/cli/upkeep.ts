// The upkeep of all areas: the list of those that have some, one line each, with the forgetting of remembered requests.

import { apiKeyUpkeep, dashboardSessionUpkeep, revokedKeyUpkeep } from '../areas/api-keys/upkeep.ts';
import { auditUpkeep } from '../areas/audit-events/upkeep.ts';
import { httpsEdgeUpkeep } from '../areas/https-edges/upkeep.ts';
import { ipRestrictionUpkeep } from '../areas/ip-restrictions/upkeep.ts';
import { sshChallengeUpkeep } from '../areas/ssh/challenge-upkeep.ts';
import { sshUpkeep } from '../areas/ssh/upkeep.ts';
import type { Config } from '../config.ts';
import { idempotencyUpkeep } from '../storage/idempotency.ts';
import type { AreaUpkeep } from '../storage/upkeep.ts';

/** What each area brings, in the order in which `doctor` says it. */
export const areaUpkeep: readonly AreaUpkeep[] = [
  apiKeyUpkeep,
  sshUpkeep,
  sshChallengeUpkeep,
  ipRestrictionUpkeep,
  httpsEdgeUpkeep,
];

/** What a server does for them all, with what is configured. */
export function serverUpkeep({
  auditDays,
  dashboardIdleSeconds,
}: Pick<Config, 'auditDays' | 'dashboardIdleSeconds'>): readonly AreaUpkeep[] {
  return [
    ...areaUpkeep,
    idempotencyUpkeep,
    auditUpkeep(auditDays),
    revokedKeyUpkeep(auditDays),
    dashboardSessionUpkeep(dashboardIdleSeconds),
  ];
}
