// The lists of the sources of IP policies that are in force.

import type { SetRule } from '../../domain/ip/address-set.ts';
import { type ActedList, rangesOfList, unpackRanges } from '../../domain/ip/range-list.ts';
import type { RulesInForce } from '../../domain/ip/rule-end.ts';
import { groupBy } from '../../domain/values/maps.ts';
import type { AccountView } from '../objects/account-scope.ts';
import { readRulesInForce } from './rules-in-force.ts';

/** Reads the lists of policies that are in force, by policy. Policies without sources are absent. */
async function readLists(
  { rows }: AccountView,
  policyIds: readonly string[],
): Promise<ReadonlyMap<string, readonly ActedList[]>> {
  const columns = ['sourceId', 'ipPolicyId', 'action', 'ranges'] as const;
  const stored = await rows.pick('IpPolicySourceList', columns, 'ipPolicyId', policyIds);
  const lists = stored.map(({ ranges, ...others }) => ({ ...others, list: unpackRanges(ranges) }));
  return groupBy(lists, ({ ipPolicyId }) => ipPolicyId);
}

/** Reads the lists of one policy that are in force. */
export async function readListsOf(scope: AccountView, policyId: string): Promise<readonly ActedList[]> {
  return (await readLists(scope, [policyId])).get(policyId) ?? [];
}

/**
 * Reads the rules of policies that have not ended, and every range of their lists as if it were a rule: for files that other
 * programs enforce, which a command writes. A server asks the lists themselves.
 */
export async function readAllInForce(scope: AccountView, policyIds: readonly string[]): Promise<RulesInForce<SetRule>> {
  const [{ rules, validUntilMs }, lists] = await Promise.all([
    readRulesInForce(scope, policyIds),
    readLists(scope, policyIds),
  ]);
  const listed = [...lists.values()]
    .flat()
    .flatMap(({ action, list }) => rangesOfList(list).map((range) => ({ action, range })));
  return { rules: [...rules, ...listed], validUntilMs };
}
