// The ordered list of IP policies that decide together about an address. Pure.

import { invalid } from '../errors.ts';

/** Maximum number of policies in one list; enforced by the schema. */
export const policiesMax = 200;

/**
 * Checks a list of policies: keeps its order and drops repetitions.
 *
 * @param field the name of the list in errors
 * @throws INVALID_INPUT for an empty list, which makes no sense: it would let nobody pass
 */
export function checkPolicyIds(ipPolicyIds: readonly string[], field = 'ipPolicyIds'): string[] {
  const distinct = [...new Set(ipPolicyIds)];
  if (distinct.length === 0) throw invalid(field, 'must name at least one IP policy.');
  return distinct;
}
