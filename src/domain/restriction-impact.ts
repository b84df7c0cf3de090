// Whom a change of policies or restrictions would keep out or let in, as sets of addresses. Pure.

import { type AddressSet, coveredBy, difference, everybody, intersection, type SetRule, union } from './address-set.ts';
import type { DecidingRule } from './rule-table.ts';

/** A change of the rules of an IP policy that has not been made. */
export interface PolicyChange {
  readonly ipPolicyId: string;
  readonly before: readonly DecidingRule[];
  readonly after: readonly DecidingRule[];
}

/** What the rules of a policy say of some addresses. */
export interface PolicySets {
  readonly allowed: AddressSet;
  readonly denied: AddressSet;
}

/** A restriction before or after a change. */
export interface RestrictionState {
  readonly enforced: boolean;
  /** Whom its policies let pass. */
  readonly passes: AddressSet;
}

/** Whom a change of a restriction affects. */
export interface Impact {
  readonly newlyRefused: AddressSet;
  readonly newlyAllowed: AddressSet;
}

/** Finds the addresses of which a change of a policy may say something else than before. */
export function touchedBy({ before, after }: PolicyChange): AddressSet {
  const keyOf = ({ action, range }: SetRule) => `${action} ${range}`;
  const [old, now] = [before, after].map((rules) => new Set(rules.map(keyOf)));
  const changed = [
    ...before.filter((rule) => now?.has(keyOf(rule)) !== true),
    ...after.filter((rule) => old?.has(keyOf(rule)) !== true),
  ];
  return coveredBy(changed.map(({ range }) => range));
}

/** Finds what the rules of a policy say of the addresses of a set. */
export function policySets(rules: readonly SetRule[], within: AddressSet): PolicySets {
  const rangesThat = (wanted: string) => rules.flatMap(({ action, range }) => (action === wanted ? [range] : []));
  return {
    allowed: intersection(coveredBy(rangesThat('allow')), within),
    denied: intersection(coveredBy(rangesThat('deny')), within),
  };
}

/** Finds whom policies let pass together: whom at least one allows and none denies. */
export function passedByAll(policies: readonly PolicySets[]): AddressSet {
  return difference(union(policies.map(({ allowed }) => allowed)), union(policies.map(({ denied }) => denied)));
}

/**
 * Compares a restriction before and after a change. Where the change turns its enforcement on or off, what counts is who is really
 * refused; otherwise what its policies say, so that of a restriction that only warns it tells whom it would refuse if it were enforced.
 *
 * @param before null for a new restriction, which has let everybody pass
 */
export function impactOf(before: RestrictionState | null, after: RestrictionState): Impact {
  const switched = before !== null && before.enforced !== after.enforced;
  const letIn = ({ enforced, passes }: RestrictionState) => (switched && !enforced ? everybody : passes);
  const [was, is] = [before === null ? everybody : letIn(before), letIn(after)];
  return { newlyRefused: difference(was, is), newlyAllowed: difference(is, was) };
}
