// When rules of IP policies end: from that second on, a rule does not count, whether or not it is still stored. Pure.

import type { SetRule } from './address-set.ts';
import type { DecidingRule } from './rule-table.ts';

/** A part of a rule as it is stored, which may have ended. */
export interface Ending {
  /** Null if the rule does not end by itself. */
  readonly expiresAt: Date | null;
}

export const storedRuleColumns = ['id', 'action', 'range', 'expiresAt'] as const;

export interface StoredRule extends DecidingRule, Ending {}

/** When rules end of which none does, in milliseconds. */
export const endlessMs = Number.POSITIVE_INFINITY;

/** Stored rules, and until when exactly these count. */
export interface RulesInForce<R extends SetRule = DecidingRule> {
  readonly rules: R[];
  /** When the first of them ends, in milliseconds since 1970; `endlessMs` if none does. */
  readonly validUntilMs: number;
}

/** Returns whether a rule has ended. */
export function hasEnded({ expiresAt }: Ending, now: Date): boolean {
  return expiresAt !== null && expiresAt <= now;
}

/** Returns the rules that have not ended. */
export function rulesInForce<R extends SetRule & Ending>(stored: readonly R[], now: Date): RulesInForce<R> {
  const rules = stored.filter((rule) => !hasEnded(rule, now));
  const validUntilMs = rules.reduce((earliest, { expiresAt }) => {
    return expiresAt === null ? earliest : Math.min(earliest, expiresAt.getTime());
  }, endlessMs);
  return { rules, validUntilMs };
}
