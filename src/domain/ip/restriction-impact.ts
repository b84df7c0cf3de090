// The addresses that a change of policies or restrictions would newly refuse or allow. Pure.

import {
  type AddressSet,
  coveredBy,
  type DecidedSets,
  decidedBy,
  difference,
  everybody,
  intersection,
  type SetRule,
  together,
} from './address-set.ts';
import { type ActedList, listsWithin } from './range-list.ts';
import type { DecidingRule } from './rule-table.ts';

export interface PolicyChange {
  readonly ipPolicyId: string;
  readonly before: readonly DecidingRule[];
  readonly after: readonly DecidingRule[];
  /** The lists of its sources. One that stays as it is is the same object in both. */
  readonly listsBefore: readonly ActedList[];
  readonly listsAfter: readonly ActedList[];
  /** The ranges that are in some of the lists only before the change, or only after it. */
  readonly listedRanges: readonly string[];
}

/** A restriction before or after a change. */
export interface RestrictionState {
  readonly enforced: boolean;
  /** The addresses that its policies let pass. */
  readonly passes: AddressSet;
}

/** The addresses that a change of a restriction affects. */
export interface Impact {
  readonly newlyRefused: AddressSet;
  readonly newlyAllowed: AddressSet;
}

/** Returns the addresses about which a policy may decide differently after a change. */
export function touchedBy({ before, after, listedRanges }: PolicyChange): AddressSet {
  const keyOf = ({ action, range }: SetRule) => `${action} ${range}`;
  const [old, now] = [before, after].map((rules) => new Set(rules.map(keyOf)));
  const changed = [
    ...before.filter((rule) => now?.has(keyOf(rule)) !== true),
    ...after.filter((rule) => old?.has(keyOf(rule)) !== true),
  ];
  return coveredBy([...changed.map(({ range }) => range), ...listedRanges]);
}

/** Returns what a policy decides before a change about the addresses of a set. */
export function decidedBefore({ before, listsBefore }: PolicyChange, within: AddressSet): DecidedSets {
  return together([decidedWithin(before, within), ...listsWithin(listsBefore, within)]);
}

/** Returns what a policy decides after a change about the addresses of a set. */
export function decidedAfter({ after, listsAfter }: PolicyChange, within: AddressSet): DecidedSets {
  return together([decidedWithin(after, within), ...listsWithin(listsAfter, within)]);
}

/** Returns what the rules of a policy decide about the addresses of a set. */
export function decidedWithin(rules: readonly SetRule[], within: AddressSet): DecidedSets {
  const { allowed, denied } = decidedBy(rules);
  return { allowed: intersection(allowed, within), denied: intersection(denied, within) };
}

/**
 * Compares a restriction before and after a change. If the change turns enforcement on or off, actual refusals are compared.
 * Otherwise only the policies are, so that for a restriction that only warns the result says whom it would refuse if enforced.
 *
 * @param before null for a new restriction, before which everybody passed
 */
export function impactOf(before: RestrictionState | null, after: RestrictionState): Impact {
  const switched = before !== null && before.enforced !== after.enforced;
  const letIn = ({ enforced, passes }: RestrictionState) => (switched && !enforced ? everybody : passes);
  const [was, is] = [before === null ? everybody : letIn(before), letIn(after)];
  return { newlyRefused: difference(was, is), newlyAllowed: difference(is, was) };
}
