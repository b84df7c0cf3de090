// The rules of IP policies that count now. What decides by rules reads them here, so that none that has ended counts.

import { type RulesInForce, rulesInForce, type StoredRule, storedRuleColumns } from '../../domain/ip/rule-end.ts';
import type { AccountView } from '../objects/account-scope.ts';
import type { Position } from '../sql/list-parts.ts';
import { narrowedTo, partInTime, type TimeBounds } from '../sql/range.ts';
import { entriesOfRow, rowSlices } from '../sql/read-slices.ts';

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

/** Most rules that are looked at by their end. Upkeep deletes within the hour those that have ended. */
const endingMax = 100_000;

/** Reads the rules of the account that end within bounds, slice by slice, those that end first before others; at most `endingMax`. */
export async function* endingRules({ rows }: AccountView, bounds: TimeBounds): AsyncGenerator<EndingRule[]> {
  const columns = ['id', 'ipPolicyId', 'cidr', 'expiresAt'] as const;
  let after: Position | undefined;
  let count = 0;
  const read = async (most: number) => {
    const take = Math.min(most, endingMax - count);
    const part = narrowedTo(bounds, { take, backward: false, after, before: undefined });
    // Rows of the model with these columns. A bound is met by no rule without an end.
    const value = (await rows.part('IpPolicyRule', partInTime('expiresAt', {}, part), {}, columns)) as EndingRow[];
    const last = value.at(-1);
    if (last !== undefined) after = { value: last.expiresAt, id: last.id };
    count += value.length;
    return { value, entries: value.length * entriesOfRow, isLast: value.length < take || count === endingMax };
  };
  yield* rows.slices(rowSlices, read);
}

interface EndingRow extends EndingRule {
  readonly id: string;
}

/** The columns of a policy that tell how much it has to decide by. */
export const ruleCountColumns = ['id', 'ruleCount', 'sourceRangeCount'] as const;

/** How many rules a policy has, and how many ranges its sources. */
export interface RuleCounts {
  readonly id: string;
  readonly ruleCount: number;
  readonly sourceRangeCount: number;
}

/**
 * Finds out which policies have no rule that counts, and no range of a source. Returns a function that says so of a policy, given the number of its stored
 * rules, some of which may have ended.
 */
export async function findWithoutRules(scope: AccountView): Promise<(policy: RuleCounts) => boolean> {
  const ended = new Map<string, number>();
  for await (const rules of endingRules(scope, { lte: scope.now() })) {
    for (const { ipPolicyId } of rules) ended.set(ipPolicyId, (ended.get(ipPolicyId) ?? 0) + 1);
  }
  return ({ id, ruleCount, sourceRangeCount }) => sourceRangeCount === 0 && ruleCount <= (ended.get(id) ?? 0);
}
