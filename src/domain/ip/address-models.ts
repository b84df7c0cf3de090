// The kinds of rows that decide which addresses are let in. Pure.

/** The models that decide about addresses: restrictions, and the policies that they and modules name. */
export const addressModels = [
  'IpPolicy',
  'IpPolicyRule',
  'IpPolicySource',
  'IpPolicySourceList',
  'IpRestriction',
  'IpRestrictionPolicy',
] as const;
