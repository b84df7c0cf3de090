// Checks of traffic policies, and of the IP policies that they name.

import { inTurns } from '../../domain/concurrency/steps.ts';
import { unknownReference } from '../../domain/errors.ts';
import { ipPolicies } from '../../storage/ip/policy-references.ts';
import type { AccountView } from '../../storage/objects/account-scope.ts';
import { firstProblems, type IpPolicyReference, type PolicyProblem, type PolicyRules, problemAt } from './rules.ts';
import { costOfWarning, expressionsOf, warningAbout } from './warning-rules.ts';

/** Checks a policy and the IP policies it names. Returns its rules in stored form. Throws as `replaceTlsEdgePolicy`. */
export async function checkPolicy(scope: AccountView, policy: PolicyRules) {
  const { problems, written } = await inTurns(scope.accountId, firstProblems(policy, 1));
  if (written === null) throw problems[0]?.error;
  const { references, ...rules } = written;
  const [unknown] = await unknownReferences(scope, references, 1);
  if (unknown !== undefined) throw unknown.error;
  return rules;
}

/** Runs work after others have had their turn. */
type GoOn = <T>(cost: number, work: () => T) => T | Promise<T>;

/**
 * Finds what is wrong with a policy by the rules of `checkPolicy`: all problems in order, up to `countMax`.
 *
 * @param goOn runs the search for warnings, which come after all errors; null if no warnings are wanted
 */
export async function problemsOfPolicy(
  scope: AccountView,
  policy: PolicyRules,
  countMax: number,
  goOn: GoOn | null,
): Promise<PolicyProblem[]> {
  const { problems, written } = await inTurns(scope.accountId, firstProblems(policy, countMax));
  if (written === null) return problems;
  // References are looked up last, as they are for saving.
  problems.push(...(await unknownReferences(scope, written.references, countMax)));
  // No warnings for a policy that is too long, because they would cost too much.
  const isWhole = problems.every(({ rule }) => rule !== null);
  if (goOn !== null && isWhole) await addWarnings(problems, policy, countMax, goOn);
  return problems.slice(0, countMax);
}

/** Finds the likely mistakes in a stored policy, up to `countMax`, as `problemsOfPolicy` does. */
export async function warningsOfPolicy(policy: PolicyRules, countMax: number, goOn: GoOn): Promise<PolicyProblem[]> {
  const warnings: PolicyProblem[] = [];
  await addWarnings(warnings, policy, countMax, goOn);
  return warnings;
}

/** Adds warnings about expressions that have no error, until there are enough problems. */
async function addWarnings(
  problems: PolicyProblem[],
  policy: PolicyRules,
  countMax: number,
  goOn: GoOn,
): Promise<void> {
  const wrong = new Set(problems.map(({ error }) => error.field));
  for (const expression of expressionsOf(policy)) {
    if (problems.length >= countMax) return;
    if (wrong.has(expression.field)) continue;
    const warning = await goOn(costOfWarning(expression.text), () => warningAbout(expression));
    if (warning !== null) problems.push(warning);
  }
}

/**
 * Finds where a policy names IP policies that do not belong to this account, up to `countMax`, because a request body
 * has room for 60,000.
 */
async function unknownReferences(
  scope: AccountView,
  references: readonly IpPolicyReference[],
  countMax: number,
): Promise<PolicyProblem[]> {
  const ids = [...new Set(references.map(({ id }) => id))];
  // A policy that is deleted later counts as a policy without rules (spec, "IP policy"), as for an IP restriction.
  const rows = await ipPolicies.getMany(scope, ids);
  const unknown = new Set(ids.filter((_, index) => rows[index] === null));
  const problems: PolicyProblem[] = [];
  for (const reference of references) {
    if (problems.length >= countMax) break;
    const { field, id } = reference;
    if (unknown.has(id)) problems.push(problemAt(reference, unknownReference(field, 'IP policy', id)));
  }
  return problems;
}
