// What the rules of an IP policy would be after a change.

import { notFound, unknownReference } from '../../domain/errors.ts';
import type { PolicyChange } from '../../domain/ip/restriction-impact.ts';
import { rulesInForce } from '../../domain/ip/rule-end.ts';
import { isIdOf } from '../../domain/values/ids.ts';
import { readListsOf } from '../../storage/ip/range-lists.ts';
import { readStoredRules } from '../../storage/ip/rules-in-force.ts';
import type { AccountView } from '../../storage/objects/account-scope.ts';
import { checkDrafts, type DraftProblem, type RuleDraft } from './rules.ts';

/**
 * Returns what the rules of a policy would be after a change, and the problems of the rules to add. Rules with problems are left
 * out.
 *
 * @throws NOT_FOUND for a policy that does not belong to this account, UNKNOWN_REFERENCE for a rule to remove that is not in it
 */
export async function draftPolicyChange(
  scope: AccountView,
  { ipPolicyId, add, remove }: { ipPolicyId: string; add: readonly RuleDraft[]; remove: readonly string[] },
): Promise<PolicyChange & { readonly problems: readonly DraftProblem[] }> {
  if (!isIdOf('IpPolicy', ipPolicyId)) throw notFound();
  const [[policy], stored, lists] = await Promise.all([
    scope.rows.pick('IpPolicy', ['id'], 'id', [ipPolicyId]),
    readStoredRules(scope, [ipPolicyId]),
    readListsOf(scope, ipPolicyId),
  ]);
  if (policy === undefined) throw notFound();
  const ids = new Set(stored.map(({ id }) => id));
  const unknown = remove.findIndex((id) => !ids.has(id));
  if (unknown !== -1) throw unknownReference(`remove[${unknown}]`, 'rule of the policy', remove[unknown] ?? '');
  const removed = new Set(remove);
  const kept = stored.filter(({ id }) => !removed.has(id));
  const now = scope.now();
  const { added, problems } = checkDrafts(kept, add, now);
  const after = [...rulesInForce(kept, now).rules, ...added];
  const unchanged = { listsBefore: lists, listsAfter: lists, listedRanges: [] };
  return { ipPolicyId, before: rulesInForce(stored, now).rules, after, ...unchanged, problems };
}
