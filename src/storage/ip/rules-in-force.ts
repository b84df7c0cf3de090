// The rules of IP policies that count now. What decides by rules reads them here, so that none that has ended counts.

import { type RulesInForce, rulesInForce, type StoredRule, storedRuleColumns } from '../../domain/ip/rule-end.ts';
import type { AccountView } from '../objects/account-scope.ts';
import { narrowedTo, partInTime, type TimeBounds } from '../sql/range.ts';

/** Reads the rules of policies that have not ended. */
export async function readRulesInForce(
  scope: AccountView,
  policyIds: readonly string[],
): Promise<RulesInForce<StoredRule>> {
  return rulesInForce(await readStoredRules(scope, policyIds), scope.now());
}

/** Reads the rules of policies, including those that have ended: for what comes of a change, which may bring them back. */
export function readStoredRules({ rows }: AccountView, policyIds: readonly string[]): Promise<StoredRule[]> {
  return rows.pick('IpPolicyRule', storedRuleColumns, 'ipPolicyId', policyIds);
}

/** A rule that ends, or has ended. */
export interface EndingRule {
  readonly ipPolicyId: string;
  readonly cidr: string;
  readonly expiresAt: Date;
}

/** Most rules that are found by their end. */
const endingMax = 100;

/** Finds the rules of the account that end within bounds, those that end first before others; at most `endingMax`. */
export async function findEnding({ rows }: AccountView, bounds: TimeBounds): Promise<EndingRule[]> {
  const part = narrowedTo(bounds, { take: endingMax, backward: false, after: undefined, before: undefined });
  const columns = ['ipPolicyId', 'cidr', 'expiresAt'] as const;
  // Rows of the model with these columns. A bound is met by no rule without an end.
  return (await rows.part('IpPolicyRule', partInTime('expiresAt', {}, part), {}, columns)) as EndingRule[];
}

/**
 * Finds out which policies have no rule that counts. Returns a function that says so of a policy, given the number of its stored
 * rules, some of which may have ended.
 */
export async function findWithoutRules(
  scope: AccountView,
): Promise<(policy: { readonly id: string; readonly ruleCount: number }) => boolean> {
  const ended = new Map<string, number>();
  for (const { ipPolicyId } of await findEnding(scope, { lte: scope.now() })) {
    ended.set(ipPolicyId, (ended.get(ipPolicyId) ?? 0) + 1);
  }
  return ({ id, ruleCount }) => ruleCount <= (ended.get(id) ?? 0);
}
