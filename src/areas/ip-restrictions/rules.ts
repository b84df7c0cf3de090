// What an IP restriction may be, and whom it lets pass. Pure.

import { type Address, contains, readStoredRange } from '../../domain/cidr.ts';
import { invalid } from '../../domain/errors.ts';
import type { DecidingRule } from '../../domain/rule-table.ts';

/** The traffic sources that can be restricted (spec, "IP restriction"). */
export const restrictionTypes = ['dashboard', 'api', 'agent', 'endpoints'] as const;
export type RestrictionType = (typeof restrictionTypes)[number];

/** Most policies in one restriction; the schema holds lists to it. */
export const policiesMax = 200;

/**
 * Checks the policies of a restriction: keeps their order and drops repetitions.
 *
 * @throws INVALID_INPUT for an empty list, because a restriction without policies makes no sense
 */
export function checkPolicyIds(ipPolicyIds: readonly string[]): string[] {
  const distinct = [...new Set(ipPolicyIds)];
  if (distinct.length === 0) throw invalid('ipPolicyIds', 'must name at least one IP policy.');
  return distinct;
}

/** Whether an address passes, and the rule that decides it; null when no rule speaks of the address. */
export interface Decision<R> {
  readonly passes: boolean;
  readonly decidedBy: R | null;
}

/**
 * Decides whether rules let an address pass: at least one allows it and none denies it. Of several rules that say the
 * same, the most specific is named, and of equally specific ones the oldest.
 *
 * This is the meaning, in a form that can be read. Questions are answered by `rule-table.ts`, which a test compares with it.
 */
export function decide<R extends DecidingRule>(address: Address, rules: readonly R[]): Decision<R> {
  const matching = rules
    .map((rule) => ({ rule, range: readStoredRange(rule.range) }))
    .filter(({ range }) => contains(range, address))
    .sort((a, b) => b.range[1] - a.range[1] || (a.rule.id < b.rule.id ? -1 : 1))
    .map(({ rule }) => rule);
  const denying = matching.find(({ action }) => action === 'deny');
  if (denying !== undefined) return { passes: false, decidedBy: denying };
  const allowing = matching[0];
  return { passes: allowing !== undefined, decidedBy: allowing ?? null };
}

/** Most restrictions of one type that a question looks at, and most policies in them, each counted as often as it is named. */
export const evaluatedRestrictionsMax = 10_000;
export const evaluatedPoliciesMax = 200_000;
/** Most rules that a question looks at. */
export const evaluatedRulesMax = 2_000_000;

/** What a restriction does with traffic from an address. */
const effects = ['pass', 'warn', 'refuse'] as const;
export type Effect = (typeof effects)[number];

/** Tells what a restriction does: one that is not enforced only warns. */
export function effectOf(enforced: boolean, passes: boolean): Effect {
  if (passes) return 'pass';
  return enforced ? 'refuse' : 'warn';
}

/** Most restrictions that one comparison of a policy change covers. */
export const comparedRestrictionsMax = 100;
/** Most rules that are read to compare a change, and most ranges that are merged: 10,000 take 70 ms of processor time, in turns (measured). */
export const comparedRulesMax = 50_000;

/** For how many days an address that was seen counts. */
export const seenDays = 30;
/** Most events, and most sessions, that are looked through for addresses, the newest first. */
export const seenRowsMax = 5_000;
/** Most addresses that are shown of those that were seen. */
export const seenAddressesMax = 100;
