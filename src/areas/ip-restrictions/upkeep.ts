// The upkeep of IP restrictions: reports references to deleted policies.

import { called, counted, listed } from '../../domain/wording.ts';
import type { Check } from '../../storage/engine.ts';
import { ok, warn } from '../../storage/lifecycle/health.ts';
import type { AreaUpkeep } from '../../storage/lifecycle/upkeep.ts';
import { nameableIn } from '../../storage/objects/names.ts';
import { lookThrough, type ServerReads } from '../../storage/objects/server-scope.ts';
import type { SliceSizes } from '../../storage/sql/read-slices.ts';
import { type Sql, sifting, sql } from '../../storage/sql/statement.ts';

const ipRestrictionUpkeep: AreaUpkeep = {
  check: async (database) => [await checkReferences(database)],
};

/** The upkeep of the area. */
export const upkeep = (): readonly AreaUpkeep[] => [ipRestrictionUpkeep];

/** Most references that are reported. */
const danglingMax = 1_000;
/** Restrictions whose references, up to 200 each, one statement looks at. */
const restrictionSlices: SliceSizes = { first: 50, most: 100 };

async function checkReferences(database: ServerReads): Promise<Check> {
  const accountOfPolicy = sql`(SELECT p."accountId" FROM "IpPolicy" p WHERE p."id" = r."ipPolicyId")`;
  const select = (within: (column: string) => Sql) => sql`SELECT r."ipRestrictionId", r."ipPolicyId",
      (SELECT i."description" FROM "IpRestriction" i WHERE i."id" = r."ipRestrictionId"),
      (SELECT e."state" FROM "AuditEvent" e WHERE e."accountId" = r."accountId" AND e."objectId" = r."ipPolicyId"
        AND e."action" = 'delete' ORDER BY e."version" DESC LIMIT 1)
    FROM "IpRestrictionPolicy" r
    WHERE ${within('r."ipRestrictionId"')} AND ${sifting(sql`coalesce(${accountOfPolicy}, '') <> r."accountId"`)}
    ORDER BY r."ipRestrictionId", r."position" LIMIT ${danglingMax}`;
  const dangling: unknown[][] = [];
  for await (const some of lookThrough(database, 'IpRestriction', select, restrictionSlices)) {
    dangling.push(...some.slice(0, danglingMax - dangling.length));
    if (dangling.length === danglingMax) break;
  }
  if (dangling.length === 0) return ok('restrictions', 'All refer to existing policies.');
  const named = listed(dangling, ([restrictionId, policyId, description, last]) => {
    const restriction = called({ id: String(restrictionId), description: String(description ?? '') });
    const policy = called(nameableIn(String(policyId), JSON.parse(String(last ?? '{}'))));
    return `of the restriction ${restriction} to the policy ${policy}`;
  });
  return warn(
    'restrictions',
    `${dangling.length === danglingMax ? 'At least ' : ''}${counted(dangling.length, 'reference')} to deleted policies, which let nobody in: ${named}.`,
    'Give the restrictions other policies.',
  );
}
