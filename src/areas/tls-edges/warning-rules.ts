// Warnings about likely mistakes in a traffic policy that can be saved. Pure.

import { invalid } from '../../domain/errors.ts';
import { obstacleTo, sayObstacle } from './policy/expressions.ts';
import { type Direction, directions, type PolicyProblem, type PolicyRules, policyBytesMax } from './rules.ts';

/** An expression of a policy, with its location. */
export interface LocatedExpression {
  readonly direction: Direction;
  readonly rule: number;
  readonly expression: number;
  /** The location, in the form used by errors. */
  readonly field: string;
  readonly text: string;
}

/** Yields the expressions of a policy in order. */
export function* expressionsOf(policy: PolicyRules): Generator<LocatedExpression, void> {
  for (const direction of directions) {
    for (const [rule, { expressions }] of (policy[direction] ?? []).entries()) {
      for (const [expression, text] of (expressions ?? []).entries()) {
        yield { direction, rule, expression, field: `${direction}[${rule}].expressions[${expression}]`, text };
      }
    }
  }
}

/**
 * Returns a warning for an expression that can be saved but not evaluated for any connection, such as one with an unknown, probably
 * misspelled variable; null for any other expression.
 */
export function warningAbout({ text, field, ...location }: LocatedExpression): PolicyProblem | null {
  const obstacle = obstacleTo(text);
  if (obstacle === null) return null;
  const error = invalid(field, `cannot be evaluated. ${sayObstacle(obstacle)}`);
  return { severity: 'warning', ...location, action: null, position: obstacle.position ?? null, error };
}

/** Fixed cost of checking an expression, and the number of characters that cost one unit more (`load/limits.ts`; measured). */
const costOfExpression = 10;
const charactersOfUnit = 8;

/** Returns the cost of `warningAbout`. */
export function costOfWarning(text: string): number {
  return costOfExpression + text.length / charactersOfUnit;
}

/** Returns the cost of checking all expressions of a policy. A policy that is too long is not checked, so its size is capped. */
export function costOfWarnings(policy: PolicyRules): number {
  let [count, characters] = [0, 0];
  for (const { text } of expressionsOf(policy)) {
    count += 1;
    characters += text.length;
  }
  return count * costOfExpression + Math.min(characters, policyBytesMax) / charactersOfUnit;
}
