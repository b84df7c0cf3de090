// Computes whom a change would keep out or let in. The rules are read from the database for each question.

import type { MaybePromise } from '../../domain/concurrency/at-once.ts';
import { invalid, notFound, SallyportError } from '../../domain/errors.ts';
import {
  type AddressSet,
  coveredBy,
  type DecidedSets,
  everybody,
  includes,
  nobody,
  passedTogether,
  setSize,
  together,
  union,
} from '../../domain/ip/address-set.ts';
import type { Address } from '../../domain/ip/cidr.ts';
import type { OwnTraffic } from '../../domain/ip/own-traffic.ts';
import { countWithin, listsWithin } from '../../domain/ip/range-list.ts';
import {
  decidedAfter,
  decidedBefore,
  decidedWithin,
  type Impact,
  impactOf,
  type PolicyChange,
  type RestrictionState,
  touchedBy,
} from '../../domain/ip/restriction-impact.ts';
import { type RestrictionType, restrictionTypes } from '../../domain/ip/restriction-types.ts';
import { readChoice } from '../../domain/values/decode.ts';
import { isIdOf } from '../../domain/values/ids.ts';
import { groupBy } from '../../domain/values/maps.ts';
import { knownPolicyIds } from '../../storage/ip/policy-references.ts';
import { readListsOf } from '../../storage/ip/range-lists.ts';
import { type RuleCounts, readRulesInForce, ruleCountColumns } from '../../storage/ip/rules-in-force.ts';
import type { AccountView } from '../../storage/objects/account-scope.ts';
import { typesInForce } from './enforcement-store.ts';
import { readPolicyIds } from './evaluation-store.ts';
import { refusingWithout } from './lockout-store.ts';
import { comparedRestrictionsMax, comparedRulesMax } from './rules.ts';
import { restrictionsOfPolicy } from './store.ts';

/** The effect of a change on the addresses that one restriction allows. */
export interface RestrictionImpact extends Impact {
  /** Null for a restriction that does not exist yet. */
  readonly restrictionId: string | null;
  readonly type: RestrictionType;
  /** Whether the restriction refuses traffic after the change, rather than only warning. */
  readonly enforced: boolean;
  /** Whether the change would get requests like the caller's refused, by this restriction or by those that apply in its place. */
  readonly refusesYou: boolean;
}

/** A new restriction, or an existing one as it would be after a change. */
export interface RestrictionDraft {
  /** Null for a new one. */
  readonly id: string | null;
  readonly type: RestrictionType;
  readonly enforced: boolean;
  readonly ipPolicyIds: readonly string[];
  /** The policies that decide now instead of an existing one; null if nothing does. */
  readonly comparedWith: readonly string[] | null;
}

/** Who is asking, and how the work is budgeted and scheduled. */
export interface Asking {
  /** Null if unknown: no enforced restriction lets an unknown address pass. */
  readonly address: Address | null;
  /** The kind of the caller's requests, which determines the restrictions that apply to them. */
  readonly traffic: OwnTraffic;
  /** Counts rules before they are read, and ranges before they are merged. Throws if there are too many. */
  readonly charge: (count: number) => void;
  /** Runs work on some rules or ranges after others have had their turn. */
  readonly inTurn: <T>(count: number, work: () => MaybePromise<T>) => Promise<T>;
}

/**
 * Compares, for each restriction that refers to a policy, whom it lets pass before and after a change of the policy; newest first.
 *
 * @throws QUERY_TOO_COMPLEX for more restrictions or rules than are compared, UNAVAILABLE as `typesInForce`
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
  // Nothing changes outside these addresses, so only the part of a large policy that overlaps the change is compared.
  const within = union([touchedBy(change), addressAlone(asking.address)]);
  const sets = await readDecidedSets(scope, others, within, charge, asking);
  chargeLists(change, within, charge);
  const [before, after] = [decidedBefore(change, within), decidedAfter(change, within)];
  const caller = await callerOf(scope, asking);
  const impacts: RestrictionImpact[] = [];
  for (const id of ids) {
    const restriction = restrictions.find((row) => row.id === id);
    // Deleted in the meantime.
    if (restriction === undefined) continue;
    const { enforced } = restriction;
    const unchanged = (named.get(id) ?? []).flatMap((policyId) => sets.get(policyId) ?? []);
    const ranges = [...unchanged, before, after].reduce((sum, one) => sum + rangeCount(one), 0);
    charge(ranges);
    const stateWith = (changed: DecidedSets) => ({ enforced, passes: passedTogether([...unchanged, changed]) });
    const type = readChoice(restrictionTypes, restriction.type);
    const compare = () => impactFor({ id, type }, stateWith(before), stateWith(after), caller);
    impacts.push(await asking.inTurn(ranges, compare));
  }
  return impacts;
}

/**
 * Compares whom a restriction lets pass now and after a change. A new restriction is compared with letting everybody pass, or with the
 * policies that decide instead.
 *
 * @throws NOT_FOUND, INVALID_INPUT for a type other than the restriction's and for policies as `checkPolicyIds`, UNKNOWN_REFERENCE
 *   for a policy that does not belong to this account, QUERY_TOO_COMPLEX for more rules than are compared, UNAVAILABLE as
 *   `typesInForce`
 */
export async function impactOfRestrictionChange(
  scope: AccountView,
  { id, type, enforced, ipPolicyIds, comparedWith }: RestrictionDraft,
  asking: Asking,
): Promise<RestrictionImpact> {
  const existing = id === null ? null : await readRestriction(scope, id);
  if (existing !== null && existing.type !== type) {
    throw invalid('type', `cannot be changed: the restriction is of type ${existing.type}.`);
  }
  // Policies it has referred to so far may have been deleted, so only the new ones are checked.
  const standing = comparedWith === null ? null : await knownPolicyIds(scope, comparedWith, 'comparedWith');
  const idsBefore = existing?.ipPolicyIds ?? standing ?? [];
  const idsAfter = await knownPolicyIds(scope, ipPolicyIds);
  const sets = await readDecidedSets(scope, [...idsBefore, ...idsAfter], everybody, bounded(asking), asking);
  const passedBy = (ids: readonly string[]) => {
    const named = ids.flatMap((policyId) => sets.get(policyId) ?? []);
    const ranges = named.reduce((sum, one) => sum + rangeCount(one), 0);
    return asking.inTurn(ranges, () => passedTogether(named));
  };
  const enforcedBefore = existing?.enforced ?? (standing === null ? null : true);
  const before = enforcedBefore === null ? null : { enforced: enforcedBefore, passes: await passedBy(idsBefore) };
  const after = { enforced, passes: await passedBy(idsAfter) };
  const caller = await callerOf(scope, asking);
  const compare = () => impactFor({ id, type }, before, after, caller);
  const impact = await asking.inTurn(setSize(after.passes) + setSize(before?.passes ?? nobody), compare);
  const opensToKeys = id !== null && existing?.enforced === true && !enforced && type === 'dashboard';
  if (!opensToKeys || asking.traffic !== 'dashboard') return impact;
  return { ...impact, refusesYou: (await refusingWithout(scope, asking.address, id)) !== undefined };
}

/** The address of the caller, and the types of restrictions that apply to its requests. */
interface Caller {
  readonly address: Address | null;
  readonly types: readonly RestrictionType[];
}

async function callerOf(scope: AccountView, { address, traffic }: Asking): Promise<Caller> {
  return { address, types: await typesInForce(scope, traffic) };
}

function impactFor(
  { id, type }: { readonly id: string | null; readonly type: RestrictionType },
  before: RestrictionState | null,
  after: RestrictionState,
  { address, types }: Caller,
): RestrictionImpact {
  const letsYou = address !== null && includes(after.passes, address);
  const refusesYou = after.enforced && types.includes(type) && !letsYou;
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

/** Policies whose numbers of rules are read in one turn of the event loop. */
const policiesAtOnce = 500;

/** Reads what policies say about the addresses of a set. Deleted policies are absent from the result. */
export async function readDecidedSets(
  scope: AccountView,
  named: readonly string[],
  within: AddressSet,
  charge: Asking['charge'],
  { inTurn }: Pick<Asking, 'inTurn'>,
): Promise<Map<string, DecidedSets>> {
  const sets = new Map<string, DecidedSets>();
  const ids = [...new Set(named)];
  const policies: RuleCounts[] = [];
  for (let start = 0; start < ids.length; start += policiesAtOnce) {
    const some = ids.slice(start, start + policiesAtOnce);
    policies.push(...(await inTurn(some.length, () => scope.rows.pick('IpPolicy', ruleCountColumns, 'id', some))));
  }
  charge(policies.reduce((sum, { ruleCount }) => sum + ruleCount, 0));
  for (const { id, ruleCount, sourceRangeCount } of policies) {
    // Thousands of them may be named, and need no statement.
    if (ruleCount + sourceRangeCount === 0) {
      sets.set(id, decidedWithin([], within));
      continue;
    }
    const lists = sourceRangeCount === 0 ? [] : await readListsOf(scope, id);
    const listed = lists.reduce((sum, { list }) => sum + countWithin(list, within), 0);
    charge(listed);
    const read = async () => {
      const { rules } = await readRulesInForce(scope, [id]);
      return together([decidedWithin(rules, within), ...listsWithin(lists, within)]);
    };
    sets.set(id, await inTurn(ruleCount + listed, read));
  }
  return sets;
}

/** Counts the ranges of a policy's lists that a change may concern, before they are merged. */
export function chargeLists({ listsBefore, listsAfter }: PolicyChange, within: AddressSet, charge: Asking['charge']) {
  charge([...listsBefore, ...listsAfter].reduce((sum, { list }) => sum + countWithin(list, within), 0));
}

/** Limits the total that one question counts, because thousands of ranges are merged in one turn. */
export function bounded({ charge }: Asking): Asking['charge'] {
  let total = 0;
  return (count) => {
    total += count;
    if (total > comparedRulesMax) throw tooMany(`${comparedRulesMax} rules`);
    charge(count);
  };
}

/** Returns how many ranges have to be merged. */
export function rangeCount({ allowed, denied }: DecidedSets): number {
  return setSize(allowed) + setSize(denied);
}

/** Creates the error for a change that concerns more than is compared. */
export function tooMany(what: string): SallyportError {
  return new SallyportError(
    'QUERY_TOO_COMPLEX',
    `The change concerns more than ${what}, the most that are compared. Use evaluateIp to ask about single addresses.`,
  );
}
