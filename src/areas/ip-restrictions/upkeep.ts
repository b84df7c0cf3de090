// The upkeep of IP restrictions: reports references to deleted policies.

import { called, counted, listed } from '../../domain/wording.ts';
import type { Check } from '../../storage/engine.ts';
import { ok, warn } from '../../storage/lifecycle/health.ts';
import type { AreaUpkeep } from '../../storage/lifecycle/upkeep.ts';
import { nameableIn } from '../../storage/objects/names.ts';
import type { ServerReads } from '../../storage/objects/server-scope.ts';
import { sql } from '../../storage/sql/statement.ts';

const ipRestrictionUpkeep: AreaUpkeep = {
  check: async (database) => [await checkReferences(database)],
};

/** The upkeep of the area. */
export const upkeep = (): readonly AreaUpkeep[] => [ipRestrictionUpkeep];

/** Most references that are looked at. */
const danglingMax = 1_000;

async function checkReferences(database: ServerReads): Promise<Check> {
  const dangling = await database.rows(
    sql`SELECT r."ipRestrictionId", r."ipPolicyId", i."description",
      (SELECT e."state" FROM "AuditEvent" e WHERE e."accountId" = r."accountId" AND e."objectId" = r."ipPolicyId"
        AND e."action" = 'delete' ORDER BY e."version" DESC LIMIT 1) FROM "IpRestrictionPolicy" r
      LEFT JOIN "IpRestriction" i ON i."id" = r."ipRestrictionId"
      WHERE NOT EXISTS (SELECT 1 FROM "IpPolicy" p WHERE p."id" = r."ipPolicyId" AND p."accountId" = r."accountId")
      ORDER BY r."ipRestrictionId", r."position" LIMIT ${danglingMax}`,
  );
  if (dangling.length === 0) return ok('restrictions', 'All refer to existing policies.');
  const named = listed(dangling, ([restrictionId, policyId, description, last]) => {
    const restriction = called({ id: String(restrictionId), description: String(description ?? '') });
    const policy = called(nameableIn(String(policyId), String(last ?? '{}')));
    return `of the restriction ${restriction} to ${policy}`;
  });
  return warn(
    'restrictions',
    `${dangling.length === danglingMax ? 'At least ' : ''}${counted(dangling.length, 'reference')} to deleted policies, which let nobody in: ${named}.`,
    'Give the restrictions other policies.',
  );
}
