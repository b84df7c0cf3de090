// IP restrictions that need attention: those that let nobody in, those whose policies are deleted or empty, and those that only
// warn and would have refused something.

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Attention } from '../../domain/attention.ts';
import { groupBy } from '../../domain/values/group-by.ts';
import { called, counted, listed, namedMax } from '../../domain/wording.ts';
import type { AccountView } from '../../storage/objects/account-scope.ts';
import type { AttentionSource } from '../../storage/objects/attention-source.ts';
import { findNameables, type NameableOf } from '../../storage/objects/names.ts';
import { evaluatedRestrictionsMax, isObeyed, type RestrictionType, restrictionTypes } from './rules.ts';

/** Finds IP restrictions that need attention. */
export const attention: readonly AttentionSource[] = [
  {
    needs: ['ip-restrictions:read'],
    async find({ scope, most, warningsOf }) {
      const warning: Restriction[] = [];
      for await (const page of readRestrictions(scope)) warning.push(...page.filter(({ enforced }) => !enforced));
      // In one call for all restrictions, because it may have to ask other processes.
      const warnings = await warningsOf(warning.map(({ id }) => id));
      const found = warning.flatMap(({ id, description }, place): Attention[] => {
        const { count, lastAt } = warnings[place] ?? noWarnings;
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
      return found.sort((one, other) => other.count - one.count).slice(0, most);
    },
  },
  {
    needs: ['ip-restrictions:read', 'ip-policies:read'],
    async find({ scope, most }) {
      const found: Attention[] = [];
      const deleted: { readonly restriction: Restriction; readonly ids: readonly string[] }[] = [];
      const emptyPolicies = new Map<string, string>();
      for await (const page of readRestrictions(scope)) {
        const named = await readPolicies(
          scope,
          page.map(({ id }) => id),
        );
        for (const restriction of page) {
          const policies = named.get(restriction.id) ?? [];
          const gone = policies.filter(({ policy }) => policy === undefined);
          const empty = policies.flatMap(({ policy }) => (policy?.ruleCount === 0 ? [policy] : []));
          if (gone.length + empty.length === policies.length) found.push(admitsNobody(restriction));
          else {
            if (gone.length > 0) deleted.push({ restriction, ids: gone.map(({ id }) => id) });
            for (const { id, description } of empty) emptyPolicies.set(id, description);
          }
        }
      }
      const nameableOf = await findNameables(
        scope,
        deleted.slice(0, most).flatMap(({ ids }) => ids.slice(0, namedMax)),
      );
      for (const { restriction, ids } of deleted.slice(0, most))
        found.push(refersToDeleted(restriction, ids, nameableOf));
      for (const [id, description] of emptyPolicies) found.push(isEmpty({ id, description }));
      const urgent = (item: Attention) => (item.severity === 'critical' ? 0 : 1);
      return found.sort((one, other) => urgent(one) - urgent(other)).slice(0, most);
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
  const what = `All policies of the IP restriction ${called({ id, description })} are empty or deleted`;
  const isInForce = enforced && isObeyed(type);
  const effect = isInForce
    ? `it is enforced, so that it refuses everybody (type ${type})`
    : `once it is ${isObeyed(type) ? 'enforced' : 'obeyed (no part of Sallyport asks about agents yet)'}, it would refuse everybody (type ${type})`;
  const message = `${what}: ${effect}. Give a policy rules, give the restriction other policies, or delete it.`;
  const severity = isInForce ? 'critical' : 'warning';
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
  const message = `The IP policy ${called(policy)} has no rules, and an IP restriction refers to it. Give it rules, or take it out of the restriction.`;
  return { code: 'ip_policy_empty', severity: 'warning', message, count: 1, at: null, subject: policy };
}

/** Restrictions read per turn of the event loop. */
const restrictionsAtOnce = 250;

/** Reads restrictions page by page: of each type as many as an evaluation covers, oldest first. */
async function* readRestrictions(scope: AccountView): AsyncGenerator<Restriction[]> {
  for (const type of restrictionTypes) yield* readOfType(scope, type);
}

async function* readOfType(scope: AccountView, type: RestrictionType): AsyncGenerator<Restriction[]> {
  let last: string | undefined;
  for (let read = 0; read < evaluatedRestrictionsMax; read += restrictionsAtOnce) {
    const range = {
      equal: { type },
      lessThan: undefined,
      greaterThan: last,
      ascending: true,
      take: restrictionsAtOnce,
    };
    const page = await scope.rows.pickRange('IpRestriction', ['id', 'description', 'type', 'enforced'], range);
    yield page;
    if (page.length < restrictionsAtOnce) return;
    last = page.at(-1)?.id;
    await nextTurn();
  }
}

/** Reads the policies that restrictions refer to, by restriction. A deleted policy has only its id. */
async function readPolicies(scope: AccountView, restrictionIds: readonly string[]) {
  const refs = await scope.rows.pick(
    'IpRestrictionPolicy',
    ['ipRestrictionId', 'ipPolicyId'],
    'ipRestrictionId',
    restrictionIds,
  );
  const ids = [...new Set(refs.map(({ ipPolicyId }) => ipPolicyId))];
  const policies = await scope.rows.pick('IpPolicy', ['id', 'description', 'ruleCount'], 'id', ids);
  const byId = new Map(policies.map((policy) => [policy.id, policy]));
  const named = refs.map(({ ipRestrictionId, ipPolicyId: id }) => ({ ipRestrictionId, id, policy: byId.get(id) }));
  return groupBy(named, ({ ipRestrictionId }) => ipRestrictionId);
}
