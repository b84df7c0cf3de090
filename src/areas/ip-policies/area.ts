// What the area brings to the rest.

export const ipPolicies = {
  name: 'ip-policies',
  kinds: {
    IpPolicy: { prefix: 'ipp', path: '/ip_policies' },
    IpPolicyRule: { prefix: 'ipr', path: '/ip_policy_rules', listedBy: 'ipPolicyId' },
  },
  schema: () => import('./schema.ts'),
  routes: () => import('./routes.ts'),
  restorers: () => import('./restore-store.ts'),
  upkeep: () => import('./upkeep.ts'),
  attention: () => import('./attention-store.ts'),
  bookkeeping: ['IpPolicy.restoredVersion', 'IpPolicy.ruleCount', 'IpPolicy.rulesVersion', 'IpPolicyRule.range'],
  acronyms: ['ip'],
} as const;
