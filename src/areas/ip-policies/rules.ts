// Validation of IP policy rules. Pure.

import { SallyportError } from '../../domain/errors.ts';
import { formatRange, parseRange } from '../../domain/ip/cidr.ts';
import type { DecidingRule } from '../../domain/ip/rule-table.ts';

/** Maximum number of rules in one policy: `evaluateIp` and every enforcement point read all of them. */
export const rulesMax = 1_000;

/** What a rule does with the addresses of its range. */
export const ruleActions = ['allow', 'deny'] as const;
export type RuleAction = (typeof ruleActions)[number];

/**
 * Checks the range of a rule.
 *
 * @returns the text as sent, and its canonical form, which is unique within the policy
 * @throws INVALID_INPUT as `parseRange`
 */
export function checkCidr(cidr: string): { cidr: string; range: string } {
  return { cidr, range: formatRange(parseRange('cidr', cidr)) };
}

/** A rule that has been proposed but not added. */
export interface RuleDraft {
  readonly cidr: string;
  readonly action: RuleAction;
}

/** Why a draft cannot be added. */
export interface DraftProblem {
  /** Zero-based index of the draft in the list. */
  readonly index: number;
  readonly message: string;
}

/** Drafts checked against the rules they would join. */
export interface CheckedDrafts {
  /** The rules that can be added; they have no ids yet. */
  readonly added: readonly DecidingRule[];
  /** What is wrong with the others, in list order. */
  readonly problems: readonly DraftProblem[];
}

/**
 * Checks drafts one by one and collects all problems, so that a pasted list can be corrected in one go.
 *
 * @param rules the rules that stay in the policy
 */
export function checkDrafts(rules: readonly DecidingRule[], drafts: readonly RuleDraft[]): CheckedDrafts {
  const existing = new Map(rules.map((rule) => [rule.range, rule]));
  const indexes = new Map<string, number>();
  const added: DecidingRule[] = [];
  const problems: DraftProblem[] = [];
  for (const [index, { cidr, action }] of drafts.entries()) {
    const range = readDraft(cidr);
    if ('problem' in range) {
      problems.push({ index, message: range.problem });
      continue;
    }
    const [same, before] = [existing.get(range.range), indexes.get(range.range)];
    if (same !== undefined) {
      const deed = same.action === 'deny' ? 'denies' : 'allows';
      problems.push({ index, message: `The policy already has a rule that ${deed} this range.` });
    } else if (before !== undefined) {
      problems.push({ index, message: `The list has this range already, at index ${before}.` });
    } else if (rules.length + added.length >= rulesMax) {
      problems.push({ index, message: `The policy would have more than ${rulesMax} rules, the maximum.` });
    } else {
      added.push({ id: '', action, range: range.range });
      indexes.set(range.range, index);
    }
  }
  return { added, problems };
}

function readDraft(cidr: string): { readonly range: string } | { readonly problem: string } {
  try {
    return checkCidr(cidr);
  } catch (error) {
    if (!(error instanceof SallyportError)) throw error;
    // The message begins in lower case because it normally follows the name of a field.
    return { problem: `The range ${error.message}` };
  }
}
