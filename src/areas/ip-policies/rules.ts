// Validation of IP policy rules. Pure.

import { SallyportError } from '../../domain/errors.ts';
import { formatRange, parseRange } from '../../domain/ip/cidr.ts';
import { hasEnded, type StoredRule } from '../../domain/ip/rule-end.ts';
import type { DecidingRule } from '../../domain/ip/rule-table.ts';
import { parseExpiry } from '../../domain/values/time.ts';

/** Maximum number of rules in one policy: `evaluateIp` and every enforcement point read all of them. */
export const rulesMax = 1_000;

/** What a rule does with the addresses of its range. */
export const ruleActions = ['allow', 'deny'] as const;
export type RuleAction = (typeof ruleActions)[number];

/**
 * Checks the range of a rule. Blanks around it, which files of other programs leave, are no part of it.
 *
 * @returns the text as sent, and its canonical form, which is unique within the policy
 * @throws INVALID_INPUT as `parseRange`
 */
export function checkCidr(cidr: string, field = 'cidr'): { cidr: string; range: string } {
  const written = cidr.trim();
  return { cidr: written, range: formatRange(parseRange(field, written)) };
}

/** A rule that has been proposed but not added. */
export interface RuleDraft {
  readonly cidr: string;
  readonly action: RuleAction;
  /** As an RFC 3339 timestamp. */
  readonly expiresAt?: string | null | undefined;
}

/** Why a draft cannot be added. */
export interface DraftProblem {
  /** Zero-based index of the draft in the list. */
  readonly index: number;
  /** The field that is wrong; null if it is the number of rules. */
  readonly field: 'cidr' | 'expiresAt' | null;
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
 * @param rules the stored rules that stay in the policy; those that have ended are replaced by drafts for the same range
 */
export function checkDrafts(rules: readonly StoredRule[], drafts: readonly RuleDraft[], now: Date): CheckedDrafts {
  const existing = new Map(rules.map((rule) => [rule.range, rule]));
  const indexes = new Map<string, number>();
  const added: DecidingRule[] = [];
  const problems: DraftProblem[] = [];
  let room = rulesMax - rules.length;
  for (const [index, draft] of drafts.entries()) {
    const range = readDraft(draft, now);
    if ('problem' in range) {
      problems.push({ index, field: range.field, message: range.problem });
      continue;
    }
    const [same, before] = [existing.get(range.range), indexes.get(range.range)];
    const isReplaced = same !== undefined && hasEnded(same, now);
    if (same !== undefined && !isReplaced) {
      const deed = same.action === 'deny' ? 'denies' : 'allows';
      problems.push({ index, field: 'cidr', message: `The policy already has a rule that ${deed} this range.` });
    } else if (before !== undefined) {
      problems.push({ index, field: 'cidr', message: `The list has this range already, at index ${before}.` });
    } else if (room === 0 && !isReplaced) {
      problems.push({ index, field: null, message: `The policy would have more than ${rulesMax} rules, the maximum.` });
    } else {
      added.push({ id: '', action: draft.action, range: range.range });
      indexes.set(range.range, index);
      if (!isReplaced) room -= 1;
    }
  }
  return { added, problems };
}

function readDraft(
  { cidr, expiresAt }: RuleDraft,
  now: Date,
): { readonly range: string } | { readonly problem: string; readonly field: 'cidr' | 'expiresAt' } {
  try {
    const { range } = checkCidr(cidr);
    if (expiresAt != null) parseExpiry('expiresAt', expiresAt, now);
    return { range };
  } catch (error) {
    if (!(error instanceof SallyportError)) throw error;
    // The message begins in lower case because it normally follows the name of a field.
    return error.field === 'expiresAt'
      ? { problem: `The end ${error.message}`, field: 'expiresAt' }
      : { problem: `The range ${error.message}`, field: 'cidr' };
  }
}
