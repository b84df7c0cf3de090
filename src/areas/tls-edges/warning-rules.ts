// Warnings of what is most likely a mistake in a traffic policy that can be saved. Pure.

import { invalid } from '../../domain/errors.ts';
import { obstacleTo, sayObstacle } from '../../domain/tls-policy/expressions.ts';
import { type Direction, directions, type PolicyProblem, type PolicyRules, policyBytesMax } from './rules.ts';

/** An expression of a policy, and where it stands. */
export interface PlacedExpression {
  readonly direction: Direction;
  readonly rule: number;
  readonly expression: number;
  /** The place as errors name it. */
  readonly field: string;
  readonly text: string;
}

/** Lists the expressions of a policy in their order. */
export function* expressionsOf(policy: PolicyRules): Generator<PlacedExpression, void> {
  for (const direction of directions) {
    for (const [rule, { expressions }] of (policy[direction] ?? []).entries()) {
      for (const [expression, text] of (expressions ?? []).entries()) {
        yield { direction, rule, expression, field: `${direction}[${rule}].expressions[${expression}]`, text };
      }
    }
  }
}

/**
 * Warns of an expression that can be saved but evaluated for no connection, such as one with an unknown variable, which is most likely
 * misspelt; null for any other.
 */
export function warningAbout({ text, field, ...place }: PlacedExpression): PolicyProblem | null {
  const obstacle = obstacleTo(text);
  if (obstacle === null) return null;
  const error = invalid(field, `cannot be evaluated. ${sayObstacle(obstacle)}`);
  return { severity: 'warning', ...place, action: null, position: obstacle.position ?? null, error };
}

/** What looking at an expression costs, and how many characters of it cost one more, in the units of `graphql/limits.ts` (measured). */
const costOfExpression = 10;
const charactersOfUnit = 8;

/** Tells what `warningAbout` costs. */
export function costOfWarning(text: string): number {
  return costOfExpression + text.length / charactersOfUnit;
}

/** Tells what it costs to look at all expressions of a policy. A policy that is too long is not looked at. */
export function costOfWarnings(policy: PolicyRules): number {
  let [count, characters] = [0, 0];
  for (const { text } of expressionsOf(policy)) {
    count += 1;
    characters += text.length;
  }
  return count * costOfExpression + Math.min(characters, policyBytesMax) / charactersOfUnit;
}
