// References to IP policies, in an ordered list of an object or module. A reference outlives its policy: a deleted policy counts as
// one without rules (spec, "IP policy").

import { unknownReference } from '../../domain/errors.ts';
import { checkPolicyIds } from '../../domain/ip/policy-ids.ts';
import type { AccountView } from '../objects/account-scope.ts';
import { collectionOf } from '../objects/collections.ts';

export const ipPolicies = collectionOf('IpPolicy');

/**
 * Checks the policies of a list: keeps their order and drops duplicates.
 *
 * @param field the name of the list in errors
 * @throws INVALID_INPUT as `checkPolicyIds`, UNKNOWN_REFERENCE for a policy that does not belong to this account
 */
export async function knownPolicyIds(
  scope: AccountView,
  ipPolicyIds: readonly string[],
  field = 'ipPolicyIds',
): Promise<string[]> {
  const distinct = checkPolicyIds(ipPolicyIds, field);
  // A policy deleted between this check and the write leaves a reference that counts as a policy without rules, just as if it had
  // been deleted after the write.
  const unknown = distinct[await ipPolicies.firstUnknown(scope, distinct)];
  if (unknown !== undefined) throw unknownReference(`${field}[${ipPolicyIds.indexOf(unknown)}]`, 'IP policy', unknown);
  return distinct;
}

/** An entry of a list, without the column that names the list. */
export interface PolicyRef {
  readonly ipPolicyId: string;
  /** Where it stands in the list, from 0. */
  readonly position: number;
}

/** Creates the entries of a list. Throws as `knownPolicyIds`. */
export async function policyRefsTo(
  scope: AccountView,
  ipPolicyIds: readonly string[],
  field?: string,
): Promise<PolicyRef[]> {
  const distinct = await knownPolicyIds(scope, ipPolicyIds, field);
  return distinct.map((ipPolicyId, position) => ({ ipPolicyId, position }));
}
