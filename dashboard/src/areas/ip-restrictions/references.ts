// The policies that a restriction refers to, some of which may have been deleted.

import type { IpRestrictionQuery } from './ip-restrictions.generated.ts';

/** A restriction as its page reads it. */
export type Restriction = NonNullable<IpRestrictionQuery['ipRestriction']>;

/** Returns the identifiers of deleted policies. They count as policies without rules. Empty if the key may not read policies. */
export const goneOf = ({ ipPolicies, ipPolicyRefs }: Restriction): readonly string[] =>
  ipPolicies === undefined
    ? []
    : ipPolicyRefs.map(({ id }) => id).filter((id) => !ipPolicies.some((policy) => policy.id === id));

/** Returns the policies that exist. Deleted ones allow nobody, and cannot be evaluated. */
export const deciding = (restriction: Restriction, ids: readonly string[]): readonly string[] => {
  const gone = goneOf(restriction);
  return ids.filter((id) => !gone.includes(id));
};

/** Returns the existing policies that a restriction refers to. */
export const decidingNow = (restriction: Restriction): readonly string[] =>
  deciding(
    restriction,
    restriction.ipPolicyRefs.map(({ id }) => id),
  );
