// IP policies that need attention: those with rules that end soon.

import { type Attention, mostUrgent } from '../../domain/attention.ts';
import { groupBy } from '../../domain/values/group-by.ts';
import { dayMs, formatTimestamp } from '../../domain/values/time.ts';
import { called, counted, listed, type Nameable } from '../../domain/wording.ts';
import { type EndingRule, findEnding } from '../../storage/ip/rules-in-force.ts';
import type { AttentionSource } from '../../storage/objects/attention-source.ts';

/** Finds IP policies that need attention. */
export const attention: readonly AttentionSource[] = [
  {
    needs: ['ip-policies:read'],
    async find({ scope, most }) {
      const now = scope.now();
      const ending = await findEnding(scope, { gt: now, lte: new Date(now.getTime() + dayMs) });
      const byPolicy = groupBy(ending, ({ ipPolicyId }) => ipPolicyId);
      const policies = await scope.rows.pick('IpPolicy', ['id', 'description'], 'id', [...byPolicy.keys()]);
      const found = policies.map((policy) => endingIn(policy, byPolicy.get(policy.id) ?? []));
      return mostUrgent(found, most, now);
    },
  },
];

/** @param rules those that end within a day, the first one first */
function endingIn(policy: Nameable, rules: readonly EndingRule[]): Attention {
  const [count, isOne] = [rules.length, rules.length === 1];
  const at = rules[0]?.expiresAt ?? null;
  const when = at === null ? '' : ` ${isOne ? '' : 'the first '}at ${formatTimestamp(at)}:`;
  const message =
    `${counted(count, 'rule')} of the IP policy ${called(policy)} ${isOne ? 'ends' : 'end'} within a day,${when} ` +
    `${listed(rules, ({ cidr }) => cidr)}. Give ${isOne ? 'it a later end if it' : 'them later ends if they'} should count for longer.`;
  return { code: 'ip_policy_rules_end', severity: 'warning', message, count, at, subject: policy };
}
