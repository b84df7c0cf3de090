// The writes that may change which addresses are let in. Pure.

/** The models that decide about addresses, as `writesTo` takes them: restrictions, and the rules and lists of policies. */
export const addressModels = [
  // Its rules go with it. A new one has none, until a rule is written.
  'IpPolicy remove',
  'IpPolicyRule',
  'IpPolicySourceList',
  // Its list goes with it.
  'IpPolicySource remove',
  'IpRestriction',
  'IpRestrictionPolicy',
] as const;
