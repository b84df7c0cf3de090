// What a restriction refers to: policies, of which some may be gone.

import type { IpRestrictionQuery } from './ip-restrictions.generated.ts';

/** A restriction as its page reads it. */
export type Restriction = NonNullable<IpRestrictionQuery['ipRestriction']>;

/** References to policies that were deleted; they count as policies without rules. */
export const goneOf = ({ ipPolicies, ipPolicyRefs }: Restriction): readonly string[] =>
  ipPolicies === undefined
    ? []
    : ipPolicyRefs.map(({ id }) => id).filter((id) => !ipPolicies.some((policy) => policy.id === id));

/** Gives those of some policies that are there: deleted ones allow nobody, and cannot be asked about. */
export const deciding = (restriction: Restriction, ids: readonly string[]): readonly string[] => {
  const gone = goneOf(restriction);
  return ids.filter((id) => !gone.includes(id));
};

/** Gives the policies that a restriction names, as far as they are there. */
export const decidingNow = (restriction: Restriction): readonly string[] =>
  deciding(
    restriction,
    restriction.ipPolicyRefs.map(({ id }) => id),
  );
