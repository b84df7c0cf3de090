// Ordered lists of IP policies inside objects and modules: the fields that show one, and the input that sets it.

import type { GraphQLResolveInfo } from 'graphql';
import { checkPolicyIds, policiesMax } from '../../domain/ip/policy-ids.ts';
import { innerListCost } from '../../load/limits.ts';
import { ipPolicies } from '../../storage/ip/policy-references.ts';
import type { InnerList } from '../../storage/objects/inner-lists.ts';
import { loadInnerIds, noteInnerIds } from '../lists/inner-list.ts';
import { loadByIds } from './batch.ts';
import type { Context } from './context.ts';
import { Ref } from './reference.ts';

/** A list may have many policies (`policiesMax`) but usually has few. What is actually loaded is counted separately. */
const usualPolicies = { field: innerListCost, multiplier: 5 };

/** The references of the list of an object, whose id is in a column: what `t.field` takes. */
export const policyRefsOf = <K extends string>(list: InnerList, owner: K) => ({
  type: [Ref] as [typeof Ref],
  description: 'References to the policies, in the order given. A reference remains when its policy is deleted.',
  complexity: usualPolicies,
  resolve: async (row: Readonly<Record<K, string>>, _args: object, context: Context) => {
    const ids = await loadInnerIds(list, row[owner], policiesMax, context);
    return ids.map((id) => ({ id }));
  },
});

/** The policies of the list that still exist. */
export const policiesOf = <K extends string>(list: InnerList, owner: K) => ({
  type: ['IpPolicy'] as ['IpPolicy'],
  description: 'The policies that still exist, in the order given. A deleted policy counts as one without rules.',
  complexity: usualPolicies,
  resolve: async (row: Readonly<Record<K, string>>, _args: object, context: Context, info: GraphQLResolveInfo) =>
    loadByIds(ipPolicies, await loadInnerIds(list, row[owner], policiesMax, context), context, info),
});

/** Notes the list that a change has just written, as `noteInnerIds`; undefined if it wrote none. */
export function notePolicies(
  list: InnerList,
  ownerId: string,
  ipPolicyIds: readonly string[] | undefined,
  context: Context,
): void {
  if (ipPolicyIds !== undefined) noteInnerIds(list, ownerId, policiesMax, checkPolicyIds(ipPolicyIds), context);
}

/** The limit of an input that takes a list. */
export const policyIdsLimit = { jsonSchema: { maxItems: policiesMax } };
/** The description of an input that takes a list. */
export const policyIdsDescription = `The policies to check, in order; 1 to ${policiesMax}.`;

/** An input that must have a list, for `t.idList`. */
export const policyIdsInput = {
  required: true as const,
  description: policyIdsDescription,
  extensions: policyIdsLimit,
};
