// Which rules of IP policies a list shows.

import { parseAddress, rangesHolding } from '../../domain/ip/cidr.ts';
import type { AccountView } from '../../storage/objects/account-scope.ts';
import { type InnerList, newestFirst } from '../../storage/objects/inner-lists.ts';
import { type RuleAction, ruleActions } from './rules.ts';

/** Filters for a list of rules. */
export interface RuleFilter {
  readonly action?: RuleAction | null | undefined;
  readonly contains?: string | null | undefined;
}

/** Describes the list of a policy's rules that match a filter, newest first. Throws INVALID_INPUT. */
export function rulesOfPolicy(filter: RuleFilter): InnerList {
  const where = { ...ofActionInPolicy(filter), ...(filter.contains == null ? {} : inRanges(filter.contains)) };
  return { ...newestFirst('IpPolicyRule', 'ipPolicyId', 'id'), where };
}

/**
 * Returns the condition for the rules that match a filter, in one policy or in all. Most addresses are covered by few rules, which
 * are found through the index of ranges. If many rules cover the address, such as `10.0.0.0/8` in each of thousands of policies,
 * the list itself is filtered, because one in every few of its rules matches.
 *
 * @throws INVALID_INPUT
 */
export function conditionOfRules(
  { rows }: AccountView,
  ofPolicy: { readonly ipPolicyId?: string },
  filter: RuleFilter,
): object | (() => Promise<object>) {
  const { action, contains } = filter;
  const holding = contains == null ? {} : inRanges(contains);
  if (ofPolicy.ipPolicyId !== undefined) return { ...ofPolicy, ...ofActionInPolicy(filter), ...holding };
  const where = action == null ? {} : { action };
  if (contains == null) return where;
  return async () => {
    const found = await rows.idsOfAny('IpPolicyRule', 'range', rangesHolding(contains), holdingMax + 1);
    return found.length > holdingMax ? { ...where, ...holding } : { ...where, id: { in: found } };
  };
}

/** Up to this many rules that cover an address are looked up by id. */
const holdingMax = 500;

function inRanges(address: string) {
  parseAddress('contains', address);
  return { range: { in: rangesHolding(address) } };
}

// `notIn` rather than equality: for equality, SQLite would read all of the account's rules with that action, not only the policy's.
function ofActionInPolicy({ action }: RuleFilter) {
  return action == null ? {} : { action: { notIn: ruleActions.filter((other) => other !== action) } };
}
