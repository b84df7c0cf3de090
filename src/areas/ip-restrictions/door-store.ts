// The doors of an account: the routes of HTTPS edges and the TLS edges whose IP restriction module refers to IP policies.

import type { AccountView } from '../../storage/objects/account-scope.ts';

/** A door, as far as it decides about addresses. */
export interface Door {
  /** The id of the route or the TLS edge. */
  readonly doorId: string;
  /** Whether its module is applied to traffic. */
  readonly enabled: boolean;
  /** The policies of its module, some of which may have been deleted. */
  readonly ipPolicyIds: readonly string[];
}

/** Finds doors of one kind whose module refers to a policy: newest first, at most `take`. */
export type FindDoors = (scope: AccountView, ipPolicyId: string, take: number) => Promise<Door[]>;

const include = { policyRefs: { orderBy: { position: 'asc' } } } as const;

export const routesOfPolicy: FindDoors = async ({ db }, ipPolicyId, take) => {
  const where = { policyRefs: { some: { ipPolicyId } } };
  const found = await db.httpsIpRestrictionModule.findMany({ where, include, orderBy: { routeId: 'desc' }, take });
  return found.map(({ routeId, enabled, policyRefs }) => ({
    doorId: routeId,
    enabled,
    ipPolicyIds: idsOf(policyRefs),
  }));
};

export const tlsEdgesOfPolicy: FindDoors = async ({ db }, ipPolicyId, take) => {
  const where = { policyRefs: { some: { ipPolicyId } } };
  const found = await db.tlsIpRestrictionModule.findMany({ where, include, orderBy: { edgeId: 'desc' }, take });
  return found.map(({ edgeId, enabled, policyRefs }) => ({ doorId: edgeId, enabled, ipPolicyIds: idsOf(policyRefs) }));
};

function idsOf(refs: readonly { readonly ipPolicyId: string }[]): string[] {
  return refs.map(({ ipPolicyId }) => ipPolicyId);
}
