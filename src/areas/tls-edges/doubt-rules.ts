// What is most likely a mistake in a traffic policy that can be saved. Pure.

import { isCel } from '../../domain/cel.ts';
import { invalid } from '../../domain/errors.ts';
import { obstacleTo, sayObstacle } from '../../domain/tls-policy/expressions.ts';
import { directions, type PolicyProblem, type PolicyRules } from './rules.ts';

/**
 * Finds expressions that can be saved, and that no connection makes true or false: those with a variable that there is not, most likely
 * misspelt. The policy is one in which `checkPolicyRules` finds nothing that is about it as a whole.
 */
export function* doubtsAboutRules(policy: PolicyRules): Generator<PolicyProblem, void> {
  for (const direction of directions) {
    for (const [rule, { expressions }] of (policy[direction] ?? []).entries()) {
      for (const [expression, text] of (expressions ?? []).entries()) {
        const obstacle = isCel(text) ? obstacleTo(text) : null;
        if (obstacle === null) continue;
        const field = `${direction}[${rule}].expressions[${expression}]`;
        const error = invalid(field, `cannot be evaluated. ${sayObstacle(obstacle)}`);
        const position = obstacle.position ?? null;
        yield { severity: 'warning', direction, rule, expression, action: null, position, error };
      }
    }
  }
}
