// What an IP policy rule may be. Pure.

import { formatRange, parseRange } from '../../domain/cidr.ts';

/** Most rules in one policy: `evaluateIp` and the entrances read all of them. */
export const rulesMax = 1_000;

/** What a rule does with the addresses of its range. */
export const ruleActions = ['allow', 'deny'] as const;
export type RuleAction = (typeof ruleActions)[number];

/**
 * Checks the range of a rule.
 *
 * @returns the text as it was sent, and its canonical form, which is unique within the policy
 * @throws INVALID_INPUT as `parseRange`
 */
export function checkCidr(cidr: string): { cidr: string; range: string } {
  return { cidr, range: formatRange(parseRange('cidr', cidr)) };
}
