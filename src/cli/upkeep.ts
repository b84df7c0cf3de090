// The list of the areas' upkeep, one line each, and the expiry of remembered requests.

import { apiKeyUpkeep, dashboardSessionUpkeep, revokedKeyUpkeep } from '../areas/api-keys/upkeep.ts';
import { auditUpkeep } from '../areas/audit-events/upkeep.ts';
import { httpsEdgeUpkeep } from '../areas/https-edges/upkeep.ts';
import { ipRestrictionUpkeep } from '../areas/ip-restrictions/upkeep.ts';
import { sshChallengeUpkeep } from '../areas/ssh/challenge-upkeep.ts';
import { sshUpkeep } from '../areas/ssh/upkeep.ts';
import type { Config } from '../config.ts';
import { idempotencyUpkeep } from '../storage/idempotency.ts';
import type { AreaUpkeep } from '../storage/upkeep.ts';

/** The upkeep of the areas, in the order in which `doctor` prints it. */
export const areaUpkeep: readonly AreaUpkeep[] = [
  apiKeyUpkeep,
  sshUpkeep,
  sshChallengeUpkeep,
  ipRestrictionUpkeep,
  httpsEdgeUpkeep,
];

/** Returns all upkeep that a server runs, including what depends on the configuration. */
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
