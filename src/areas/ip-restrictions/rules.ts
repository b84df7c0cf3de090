// Validation of IP restrictions, and the definition of whom they let pass. Pure.

import { type Address, contains, readStoredRange } from '../../domain/ip/cidr.ts';
import type { DecidingRule } from '../../domain/ip/rule-table.ts';

/** Whether an address passes, and the rule that decides it; null if no rule covers the address. */
export interface Decision<R> {
  readonly passes: boolean;
  readonly decidedBy: R | null;
}

/**
 * Decides whether rules let an address pass: at least one allows it and none denies it. If several rules agree, the most specific
 * is named, and among equally specific ones the oldest.
 *
 * This is the readable definition. Evaluations use `rule-table.ts`, which a test compares with it.
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

/** Maximum number of restrictions of one type that an evaluation covers, and of policies in them, counted once per reference. */
export const evaluatedRestrictionsMax = 10_000;
export const evaluatedPoliciesMax = 200_000;
export const evaluatedRulesMax = 2_000_000;

/** What a restriction does with traffic from an address. */
const effects = ['pass', 'warn', 'refuse'] as const;
export type Effect = (typeof effects)[number];

/** Returns what a restriction does: it only warns if it is not enforced. */
export function effectOf(enforced: boolean, passes: boolean): Effect {
  if (passes) return 'pass';
  return enforced ? 'refuse' : 'warn';
}

/** Maximum number of restrictions that one comparison of a policy change covers. */
export const comparedRestrictionsMax = 100;
/**
 * Maximum number of rules read, and ranges merged, to compare a change: 10,000 take 70 ms of CPU time, spread over several turns
 * (measured).
 */
export const comparedRulesMax = 50_000;

/** Days for which a seen address counts. */
export const seenDays = 30;
/** Maximum number of events, and of sessions, scanned for addresses, newest first. */
export const seenRowsMax = 5_000;
export const seenAddressesMax = 100;
