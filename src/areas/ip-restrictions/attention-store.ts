// IP restrictions that need attention: those that let nobody in, those whose policies are deleted or empty, and those that only
// warn and would have refused something.

import { type Attention, mostUrgent } from '../../domain/attention.ts';
import { type RestrictionType, restrictionTypes } from '../../domain/ip/restriction-types.ts';
import { groupBy } from '../../domain/values/maps.ts';
import { called, counted, listed, namedMax } from '../../domain/wording.ts';
import { findWithoutRules, ruleCountColumns } from '../../storage/ip/rules-in-force.ts';
import type { AccountView } from '../../storage/objects/account-scope.ts';
import type { AttentionSource } from '../../storage/objects/attention-source.ts';
import { findNameables, type NameableOf } from '../../storage/objects/names.ts';
import { entriesOfRow, rowSlices, type SliceSizes } from '../../storage/sql/read-slices.ts';
import { doorAttention } from './door-attention-store.ts';
import { evaluatedPoliciesMax, evaluatedRestrictionsMax } from './rules.ts';

export const attention: readonly AttentionSource[] = [
  doorAttention,
  {
    needs: ['ip-restrictions:read'],
    async find({ scope, most, warningsOf }) {
      const warning: Restriction[] = [];
      for (const type of restrictionTypes) {
        for await (const page of readRestrictions(scope, type, rowSlices, async (some) => some)) {
          warning.push(...page.filter(({ enforced }) => !enforced));
        }
      }
      // In one call for all restrictions, because it may have to ask other processes.
      const warnings = await warningsOf(warning.map(({ id }) => id));
      const found = warning.flatMap(({ id, description }, index): Attention[] => {
        const { count, lastAt } = warnings[index] ?? noWarnings;
        if (count === 0) return [];
        const message =
          `The IP restriction ${called({ id, description })} is not enforced, and would have refused ` +
          `${counted(count, 'request')} within the last hour. Before you enforce it, see whose they were and allow their addresses.`;
        return [
          {
            code: 'ip_restriction_would_refuse',
            severity: 'warning',
            message,
            count,
            at: lastAt,
            subject: { id, description },
          },
        ];
      });
      return mostUrgent(found, most, scope.now());
    },
  },
  {
    needs: ['ip-restrictions:read', 'ip-policies:read'],
    async find({ scope, most }) {
      const found: Attention[] = [];
      const deleted: { readonly restriction: Restriction; readonly ids: readonly string[] }[] = [];
      const emptyPolicies = new Map<string, string>();
      const isEmptyPolicy = await findWithoutRules(scope);
      const read = (page: readonly Restriction[]) => readPolicies(scope, page);
      for (const type of restrictionTypes) {
        let references = 0;
        for await (const page of readRestrictions(scope, type, namingSlices, read)) {
          for (const { restriction, policies } of page) {
            references += policies.length;
            const gone = policies.filter(({ policy }) => policy === undefined);
            const empty = policies.flatMap(({ policy }) =>
              policy !== undefined && isEmptyPolicy(policy) ? [policy] : [],
            );
            if (gone.length + empty.length === policies.length) found.push(admitsNobody(restriction));
            else {
              if (gone.length > 0) deleted.push({ restriction, ids: gone.map(({ id }) => id) });
              for (const { id, description } of empty) emptyPolicies.set(id, description);
            }
          }
          if (references > evaluatedPoliciesMax) break;
        }
      }
      const named = deleted.slice(0, most).flatMap(({ ids }) => ids.slice(0, namedMax));
      const nameableOf = await findNameables(scope, named);
      for (const { restriction, ids } of deleted) found.push(refersToDeleted(restriction, ids, nameableOf));
      for (const [id, description] of emptyPolicies) found.push(isEmpty({ id, description }));
      return mostUrgent(found, most, scope.now());
    },
  },
];

const noWarnings = { count: 0, lastAt: null };

interface Restriction {
  readonly id: string;
  readonly description: string;
  readonly type: string;
  readonly enforced: boolean;
}

function admitsNobody({ id, description, type, enforced }: Restriction): Attention {
  const what = `All policies of the IP restriction ${called({ id, description })} are empty or deleted, or their rules have ended`;
  const effect = enforced
    ? `it is enforced, so that it refuses everybody (type ${type})`
    : `once it is enforced, it would refuse everybody (type ${type})`;
  const message = `${what}: ${effect}. Give a policy rules, give the restriction other policies, or delete it.`;
  const severity = enforced ? 'critical' : 'warning';
  return { code: 'ip_restriction_admits_nobody', severity, message, count: 1, at: null, subject: { id, description } };
}

function refersToDeleted(restriction: Restriction, policyIds: readonly string[], nameableOf: NameableOf): Attention {
  const count = policyIds.length;
  const named = listed(policyIds, (id) => called(nameableOf(id)));
  const what = `The IP restriction ${called(restriction)} refers to`;
  const message =
    count === 1
      ? `${what} a deleted policy, which counts as empty: ${named}. Take it out of its list, or restore it from the audit trail.`
      : `${what} deleted policies, which count as empty: ${named}. Take them out of its list, or restore them from the audit trail.`;
  return { code: 'ip_policy_deleted', severity: 'warning', message, count, at: null, subject: restriction };
}

function isEmpty(policy: { id: string; description: string }): Attention {
  const message = `The IP policy ${called(policy)} has no rules, or all have ended, and an IP restriction refers to it. Give it rules, or take it out of the restriction.`;
  return { code: 'ip_policy_empty', severity: 'warning', message, count: 1, at: null, subject: policy };
}

/** Restrictions that are read with the policies that they name, up to 200 each. */
const namingSlices: SliceSizes = { first: 10, most: 100, waits: true, loads: true };

/**
 * Reads the restrictions of a type in slices, as many as an evaluation covers, oldest first.
 *
 * @param more reads in the same slice what else is needed of them
 */
async function* readRestrictions<T>(
  { rows }: AccountView,
  type: RestrictionType,
  sizes: SliceSizes,
  more: (page: Restriction[]) => Promise<T>,
): AsyncGenerator<T> {
  let last: string | undefined;
  let count = 0;
  const read = async (most: number) => {
    const take = Math.min(most, evaluatedRestrictionsMax - count);
    const range = { equal: { type }, lessThan: undefined, greaterThan: last, ascending: true, take };
    const page = await rows.pickRange('IpRestriction', ['id', 'description', 'type', 'enforced'], range);
    last = page.at(-1)?.id;
    count += page.length;
    const isLast = page.length < take || count === evaluatedRestrictionsMax;
    return { value: await more(page), entries: page.length * entriesOfRow, isLast };
  };
  yield* rows.slices(sizes, read);
}

/** Reads the policies that restrictions refer to. A deleted policy has only its id. */
async function readPolicies({ rows }: AccountView, restrictions: readonly Restriction[]) {
  const columns = ['ipRestrictionId', 'ipPolicyId'] as const;
  const restrictionIds = restrictions.map(({ id }) => id);
  const refs = await rows.pick('IpRestrictionPolicy', columns, 'ipRestrictionId', restrictionIds);
  const ids = [...new Set(refs.map(({ ipPolicyId }) => ipPolicyId))];
  const policies = await rows.pick('IpPolicy', [...ruleCountColumns, 'description'], 'id', ids);
  const byId = new Map(policies.map((policy) => [policy.id, policy]));
  const named = refs.map(({ ipRestrictionId, ipPolicyId: id }) => ({ ipRestrictionId, id, policy: byId.get(id) }));
  const byRestriction = groupBy(named, ({ ipRestrictionId }) => ipRestrictionId);
  return restrictions.map((restriction) => ({ restriction, policies: byRestriction.get(restriction.id) ?? [] }));
}
