// IP policies that need attention: those with rules that end soon, and with sources that cannot be read or wait to be confirmed.

import { type Attention, mostUrgent } from '../../domain/attention.ts';
import { getOrInsertComputed } from '../../domain/values/maps.ts';
import { dayMs, formatTimestamp } from '../../domain/values/time.ts';
import { called, counted, type Nameable, namedMax } from '../../domain/wording.ts';
import { type EndingRule, endingRules } from '../../storage/ip/rules-in-force.ts';
import type { AttentionSource } from '../../storage/objects/attention-source.ts';
import { hasShrunk } from './source-rules.ts';
import type { Source } from './source-store.ts';

export const attention: readonly AttentionSource[] = [
  {
    needs: ['ip-policies:read'],
    async find({ scope, most }) {
      const now = scope.now();
      const byPolicy = new Map<string, Ending>();
      for await (const rules of endingRules(scope, { gt: now, lte: new Date(now.getTime() + dayMs) })) {
        for (const rule of rules) addTo(byPolicy, rule);
      }
      const policies = await scope.rows.pick('IpPolicy', ['id', 'description'], 'id', [...byPolicy.keys()]);
      const found = policies.flatMap((policy) => {
        const ending = byPolicy.get(policy.id);
        return ending === undefined ? [] : [endingIn(policy, ending)];
      });
      return mostUrgent(found, most, now);
    },
  },
  {
    needs: ['ip-policies:read'],
    async find({ scope, most }) {
      const where = { OR: [{ failure: { not: null } }, { pendingCount: { not: null } }] };
      const sources = await scope.db.ipPolicySource.findMany({ where, orderBy: { id: 'asc' }, take: sourcesLookedAt });
      const policyIds = [...new Set(sources.map(({ ipPolicyId }) => ipPolicyId))];
      const policies = await scope.rows.pick('IpPolicy', ['id', 'description'], 'id', policyIds);
      const byId = new Map(policies.map((policy) => [policy.id, policy]));
      const found = sources.map((source) =>
        needing(source, byId.get(source.ipPolicyId) ?? { id: source.ipPolicyId, description: '' }),
      );
      return mostUrgent(found, most, scope.now());
    },
  },
];

const sourcesLookedAt = 500;

function needing(source: Source, policy: Nameable): Attention {
  const of = `The source ${called(source)} of the IP policy ${called(policy)}`;
  const subject = source;
  if (source.pendingCount !== null) {
    const ranges = counted(source.rangeCount, 'range');
    const why = hasShrunk(source.rangeCount, source.pendingCount)
      ? `has shrunk from ${ranges} to ${source.pendingCount}, which is not in force yet. See what is missing`
      : `now has ${counted(source.pendingCount, 'range')}, which would break an expectation and are not in force yet. See what has changed`;
    const message = `${of} ${why}, and confirm it if it is right.`;
    return { code: 'ip_policy_source_waits', severity: 'warning', message, count: 1, at: source.readAt, subject };
  }
  const since = source.readAt === null ? 'has never been read' : `was last read at ${formatTimestamp(source.readAt)}`;
  const message = `${of} ${since}: ${source.failure ?? ''} Its ${counted(source.rangeCount, 'range')} stay in force.`;
  return { code: 'ip_policy_source_old', severity: 'warning', message, count: 1, at: source.readAt, subject };
}

/** The rules of a policy that end within a day. */
interface Ending {
  count: number;
  /** The end of the first one. */
  readonly at: Date;
  /** The ranges of the first ones, as many as are named. */
  readonly cidrs: string[];
}

function addTo(byPolicy: Map<string, Ending>, { ipPolicyId, cidr, expiresAt }: EndingRule): void {
  const ending = getOrInsertComputed(byPolicy, ipPolicyId, () => ({ count: 0, at: expiresAt, cidrs: [] }));
  ending.count += 1;
  if (ending.cidrs.length < namedMax) ending.cidrs.push(cidr);
}

function endingIn(policy: Nameable, { count, at, cidrs }: Ending): Attention {
  const isOne = count === 1;
  const when = ` ${isOne ? '' : 'the first '}at ${formatTimestamp(at)}:`;
  const others = count > cidrs.length ? ` and ${count - cidrs.length} more` : '';
  const message =
    `${counted(count, 'rule')} of the IP policy ${called(policy)} ${isOne ? 'ends' : 'end'} within a day,${when} ` +
    `${cidrs.join(', ')}${others}. Give ${isOne ? 'it a later end if it' : 'them later ends if they'} should count for longer.`;
  return { code: 'ip_policy_rules_end', severity: 'warning', message, count, at, subject: policy };
}
