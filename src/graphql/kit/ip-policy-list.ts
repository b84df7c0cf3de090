// Ordered lists of IP policies inside objects and modules: the fields that show one, and the input that sets it.

import type { GraphQLResolveInfo } from 'graphql';
import { checkPolicyIds, policiesMax } from '../../domain/ip/policy-ids.ts';
import { innerListCost } from '../../load/limits.ts';
import { ipPolicies } from '../../storage/ip/policy-references.ts';
import type { InnerList } from '../../storage/objects/inner-lists.ts';
import { loadInnerIds, noteInnerIds } from '../lists/inner-list.ts';
import { loadByIds } from './batch.ts';
import type { Context } from './context.ts';

/** A list may have many policies (`policiesMax`) but usually has few. What is actually loaded is counted separately. */
export const usualPolicies = { field: innerListCost, multiplier: 5 };

export const policyRefsDescription =
  'References to the policies, in the order given. A reference remains when its policy is deleted.';
export const policiesDescription =
  'The policies that still exist, in the order given. A deleted policy counts as one without rules.';

/** Loads the references of the list of an object. */
export async function loadPolicyRefs(list: InnerList, ownerId: string, context: Context): Promise<{ id: string }[]> {
  const ids = await loadInnerIds(list, ownerId, policiesMax, context);
  return ids.map((id) => ({ id }));
}

/** Loads the policies of the list of an object that still exist. */
export async function loadPolicies(list: InnerList, ownerId: string, context: Context, info: GraphQLResolveInfo) {
  const ids = await loadInnerIds(list, ownerId, policiesMax, context);
  return loadByIds(ipPolicies, ids, context, info);
}

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
