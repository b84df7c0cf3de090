// What the area brings to the rest.

export const ipPolicies = {
  name: 'ip-policies',
  kinds: {
    IpPolicy: { prefix: 'ipp', path: '/ip_policies' },
    IpPolicyRule: { prefix: 'ipr', path: '/ip_policy_rules', listedBy: 'ipPolicyId' },
    IpPolicySource: { prefix: 'ips', path: '/ip_policy_sources', listedBy: 'ipPolicyId' },
  },
  schema: () => import('./schema.ts'),
  routes: () => import('./routes.ts'),
  restorers: () => import('./restore-store.ts'),
  upkeep: () => import('./upkeep.ts'),
  attention: () => import('./attention-store.ts'),
  bookkeeping: [
    'IpPolicy.restoredVersion',
    'IpPolicy.ruleCount',
    'IpPolicy.rulesVersion',
    'IpPolicy.sourceCount',
    'IpPolicy.sourceRangeCount',
    'IpPolicyRule.range',
    'IpPolicySource.entityTag',
    'IpPolicySource.failure',
    'IpPolicySource.list',
    'IpPolicySource.nextAt',
    'IpPolicySource.readAt',
    'IpPolicySource.triedAt',
  ],
  drafted: ['IpPolicySourceList'],
  acronyms: ['ip'],
} as const;
