// The addresses that the routes of an HTTPS edge let pass, for programs that enforce them without asking Sallyport.

import { type Door, type DoorsOfEdge, passedByAddress } from '../../domain/enforcement/doors.ts';
import { ipRestrictionModes } from '../../domain/gate/edge-table.ts';
import { passedBy, type SetRule } from '../../domain/ip/address-set.ts';
import { endlessMs, type RulesInForce } from '../../domain/ip/rule-end.ts';
import { readChoice } from '../../domain/values/decode.ts';
import { readAllInForce } from '../../storage/ip/range-lists.ts';
import type { AccountScope } from '../../storage/objects/account-scope.ts';
import { matchTypes } from './rules.ts';

/** Finds the doors of an edge; null if the account has none with this id. */
export async function findDoors(scope: AccountScope, edgeId: string): Promise<DoorsOfEdge | null> {
  const edge = await scope.db.httpsEdge.findFirst({
    where: { id: edgeId },
    include: {
      routes: {
        orderBy: { id: 'asc' },
        include: {
          saml: { select: { enabled: true } },
          oidc: { select: { enabled: true } },
          ipRestriction: { include: { policyRefs: { orderBy: { position: 'asc' } } } },
        },
      },
    },
  });
  if (edge === null) return null;
  // Many doors have the same policies.
  const known = new Map<string, RulesInForce<SetRule>>();
  const rulesOf = async (ids: readonly string[]) => {
    const rules = known.get(ids.join()) ?? (await readAllInForce(scope, ids));
    known.set(ids.join(), rules);
    return rules;
  };
  const doors: Door[] = [];
  const notExpressed: string[] = [];
  let validUntilMs = endlessMs;
  for (const { id, matchType, match, saml, oidc, ipRestriction: module } of edge.routes) {
    // A deleted policy has no rules.
    const found = module?.enabled ? await rulesOf(module.policyRefs.map(({ ipPolicyId }) => ipPolicyId)) : null;
    validUntilMs = Math.min(validUntilMs, found?.validUntilMs ?? endlessMs);
    const { set, remaining } = passedByAddress({
      routeId: id,
      hasLogin: saml?.enabled === true || oidc?.enabled === true,
      restriction:
        module === null || found === null
          ? null
          : { mode: readChoice(ipRestrictionModes, module.mode), allowed: passedBy(found.rules) },
    });
    doors.push({ routeId: id, matchType: readChoice(matchTypes, matchType), match, set });
    if (remaining !== null) notExpressed.push(remaining);
  }
  return { edgeId, doors, notExpressed, validUntilMs };
}
