// All addresses that the enforced restrictions of a type allow, for programs that enforce them without asking Sallyport.

import type { AllowedAddresses } from '../../domain/enforcement/endpoints.ts';
import { type AddressSet, everybody, intersection, passedBy, type SetRule } from '../../domain/ip/address-set.ts';
import type { RestrictionType } from '../../domain/ip/restriction-types.ts';
import { endlessMs, type RulesInForce } from '../../domain/ip/rule-end.ts';
import { readAllInForce } from '../../storage/ip/range-lists.ts';
import type { AccountView } from '../../storage/objects/account-scope.ts';

/** Rows read per statement. */
const rowsAtOnce = 500;

/** Finds the addresses that the enforced restrictions of a type allow: those that `evaluateIp` reports as allowed. */
export async function findAllowed(scope: AccountView, type: RestrictionType): Promise<AllowedAddresses> {
  const restrictions: { id: string; enforced: boolean }[] = [];
  for (let last: string | undefined; ; last = restrictions.at(-1)?.id) {
    const range = { equal: { type }, lessThan: undefined, greaterThan: last, ascending: true, take: rowsAtOnce };
    const rows = await scope.rows.pickRange('IpRestriction', ['id', 'enforced'], range);
    restrictions.push(...rows);
    if (rows.length < rowsAtOnce) break;
  }
  const idsOf = (enforced: boolean) => restrictions.filter((one) => one.enforced === enforced).map(({ id }) => id);
  let set: AddressSet = everybody;
  let validUntilMs = endlessMs;
  for (const id of idsOf(true)) {
    const found = await rulesOf(scope, id);
    set = intersection(set, passedBy(found.rules));
    validUntilMs = Math.min(validUntilMs, found.validUntilMs);
  }
  return { accountId: scope.accountId, enforced: idsOf(true), leftOut: idsOf(false), set, validUntilMs };
}

async function rulesOf(scope: AccountView, restrictionId: string): Promise<RulesInForce<SetRule>> {
  const refs = await scope.rows.pick('IpRestrictionPolicy', ['ipPolicyId'], 'ipRestrictionId', [restrictionId]);
  // A deleted policy has no rules.
  return readAllInForce(
    scope,
    refs.map(({ ipPolicyId }) => ipPolicyId),
  );
}
