// Whom a change would keep out or let in before it is made. The rules are read as they are stored, for this one question.

import { type AddressSet, coveredBy, everybody, includes, union } from '../../domain/address-set.ts';
import type { Address } from '../../domain/cidr.ts';
import { readChoice } from '../../domain/decode.ts';
import { invalid, notFound, SallyportError } from '../../domain/errors.ts';
import { groupBy } from '../../domain/group-by.ts';
import { isIdOf } from '../../domain/ids.ts';
import {
  type Impact,
  impactOf,
  type PolicyChange,
  type PolicySets,
  passedByAll,
  policySets,
  type RestrictionState,
  touchedBy,
} from '../../domain/restriction-impact.ts';
import type { AccountView } from '../../storage/account-scope.ts';
import { readPolicyIds } from './evaluation-store.ts';
import { comparedRestrictionsMax, comparedRulesMax, type RestrictionType, restrictionTypes } from './rules.ts';
import { knownPolicyIds, restrictionsOfPolicy } from './store.ts';

/** What a change would do to whom one restriction lets pass. */
export interface RestrictionImpact extends Impact {
  /** Null for a restriction that does not exist yet. */
  readonly restrictionId: string | null;
  readonly type: RestrictionType;
  /** Whether it refuses after the change, and does not only warn. */
  readonly enforced: boolean;
  /** Whether it would refuse the requests or logins of the one who asks. */
  readonly refusesYou: boolean;
}

/** A restriction that does not exist yet, or as a change makes it. */
export interface RestrictionDraft {
  /** Null for a new one. */
  readonly id: string | null;
  readonly type: RestrictionType;
  readonly enforced: boolean;
  readonly ipPolicyIds: readonly string[];
}

/** Who asks, and how the work is shared with others. */
export interface Asking {
  /** Null where it is not known: no enforced restriction lets that pass. */
  readonly address: Address | null;
  /** Counts rules before they are read, and ranges before they are merged. Throws when there are too many. */
  readonly charge: (count: number) => void;
  /** Lets others have their turn. */
  readonly breathe: () => Promise<void>;
}

/** The types of traffic that whoever asks is part of: logins at the dashboard and requests to the API. */
const ownTypes: readonly RestrictionType[] = ['api', 'dashboard'];

/**
 * Compares, for each restriction that names a policy, whom it lets pass before and after a change of the policy; the newest first.
 *
 * @throws QUERY_TOO_COMPLEX for more restrictions or rules than can be looked at
 */
export async function impactsOfPolicyChange(
  scope: AccountView,
  change: PolicyChange,
  asking: Asking,
): Promise<RestrictionImpact[]> {
  const { ipPolicyId } = change;
  const all = { take: comparedRestrictionsMax + 1, backward: false, after: undefined, before: undefined };
  const naming = await scope.rows.innerLists(restrictionsOfPolicy, [ipPolicyId], all);
  const ids = (naming.get(ipPolicyId) ?? []).map(({ id }) => id);
  if (ids.length > comparedRestrictionsMax) throw tooMany(`${comparedRestrictionsMax} restrictions`);
  if (ids.length === 0) return [];
  const [restrictions, refs] = await Promise.all([
    scope.rows.pick('IpRestriction', ['id', 'type', 'enforced'], 'id', ids),
    scope.rows.pick('IpRestrictionPolicy', ['ipRestrictionId', 'ipPolicyId'], 'ipRestrictionId', ids),
  ]);
  const byRestriction = groupBy(refs, ({ ipRestrictionId }) => ipRestrictionId);
  const named = new Map(ids.map((id) => [id, (byRestriction.get(id) ?? []).map((ref) => ref.ipPolicyId)]));
  const others = [...named.values()].flat().filter((id) => id !== ipPolicyId);
  const charge = bounded(asking);
  // Elsewhere nothing changes: of large policies, only what meets the change is compared.
  const within = union([touchedBy(change), addressAlone(asking.address)]);
  const sets = await readPolicySets(scope, others, within, charge, asking);
  const [before, after] = [policySets(change.before, within), policySets(change.after, within)];
  const impacts: RestrictionImpact[] = [];
  for (const id of ids) {
    const restriction = restrictions.find((row) => row.id === id);
    // Deleted meanwhile.
    if (restriction === undefined) continue;
    const { enforced } = restriction;
    const unchanged = (named.get(id) ?? []).flatMap((policyId) => sets.get(policyId) ?? []);
    charge([...unchanged, before, after].reduce((sum, one) => sum + rangeCount(one), 0));
    const stateWith = (changed: PolicySets) => ({ enforced, passes: passedByAll([...unchanged, changed]) });
    const type = readChoice(restrictionTypes, restriction.type);
    impacts.push(impactFor({ id, type }, stateWith(before), stateWith(after), asking.address));
    await asking.breathe();
  }
  return impacts;
}

/**
 * Compares whom a restriction lets pass with whom it would let pass after a change; of a new one, whom it would.
 *
 * @throws NOT_FOUND, INVALID_INPUT for another type than the restriction has and for policies as `checkPolicyIds`, UNKNOWN_REFERENCE
 *   for a policy that is not of this account, QUERY_TOO_COMPLEX for more rules than can be looked at
 */
export async function impactOfRestrictionChange(
  scope: AccountView,
  { id, type, enforced, ipPolicyIds }: RestrictionDraft,
  asking: Asking,
): Promise<RestrictionImpact> {
  const existing = id === null ? null : await readRestriction(scope, id);
  if (existing !== null && existing.type !== type) {
    throw invalid('type', `cannot be changed: the restriction is of type ${existing.type}.`);
  }
  // Those that it has named so far may be gone.
  const [idsBefore, idsAfter] = [existing?.ipPolicyIds ?? [], await knownPolicyIds(scope, ipPolicyIds)];
  const sets = await readPolicySets(scope, [...idsBefore, ...idsAfter], everybody, bounded(asking), asking);
  const passedBy = (ids: readonly string[]) => passedByAll(ids.flatMap((policyId) => sets.get(policyId) ?? []));
  const before = existing === null ? null : { enforced: existing.enforced, passes: passedBy(idsBefore) };
  return impactFor({ id, type }, before, { enforced, passes: passedBy(idsAfter) }, asking.address);
}

function impactFor(
  { id, type }: { readonly id: string | null; readonly type: RestrictionType },
  before: RestrictionState | null,
  after: RestrictionState,
  address: Address | null,
): RestrictionImpact {
  const letsYou = address !== null && includes(after.passes, address);
  const refusesYou = after.enforced && ownTypes.includes(type) && !letsYou;
  return { restrictionId: id, type, enforced: after.enforced, refusesYou, ...impactOf(before, after) };
}

function addressAlone(address: Address | null): AddressSet {
  return coveredBy(address === null ? [] : [`${address}/${address.kind() === 'ipv4' ? 32 : 128}`]);
}

async function readRestriction(scope: AccountView, id: string) {
  if (!isIdOf('IpRestriction', id)) throw notFound();
  const [[restriction], ipPolicyIds] = await Promise.all([
    scope.rows.pick('IpRestriction', ['type', 'enforced'], 'id', [id]),
    readPolicyIds(scope, id),
  ]);
  if (restriction === undefined) throw notFound();
  return { ...restriction, ipPolicyIds };
}

/** Reads what policies say of the addresses of a set. Those that are gone say nothing. */
async function readPolicySets(
  scope: AccountView,
  named: readonly string[],
  within: AddressSet,
  charge: Asking['charge'],
  { breathe }: Asking,
): Promise<Map<string, PolicySets>> {
  const sets = new Map<string, PolicySets>();
  const ids = [...new Set(named)];
  const policies = ids.length === 0 ? [] : await scope.rows.pick('IpPolicy', ['id', 'ruleCount'], 'id', ids);
  charge(policies.reduce((sum, { ruleCount }) => sum + ruleCount, 0));
  for (const { id } of policies) {
    sets.set(id, policySets(await scope.rows.pick('IpPolicyRule', ['action', 'range'], 'ipPolicyId', [id]), within));
    await breathe();
  }
  return sets;
}

/** Holds what a question looks at to a bound: thousands of ranges are merged in one turn. */
function bounded({ charge }: Asking): Asking['charge'] {
  let total = 0;
  return (count) => {
    total += count;
    if (total > comparedRulesMax) throw tooMany(`${comparedRulesMax} rules`);
    charge(count);
  };
}

function rangeCount({ allowed, denied }: PolicySets): number {
  return [allowed, denied].reduce((sum, { ipv4, ipv6 }) => sum + ipv4.length + ipv6.length, 0);
}

function tooMany(what: string): SallyportError {
  return new SallyportError(
    'QUERY_TOO_COMPLEX',
    `The change concerns more than ${what}, the most that are compared. Use evaluateIp to ask about single addresses.`,
  );
}
