// What the area brings to the dashboard.

import { type Area, listEntry } from '../area.ts';

export const ipPolicies: Area = {
  name: 'ip-policies',
  title: 'IP policies',
  guide: 'dashboard',
  kinds: {
    IpPolicy: { title: 'IP policy', plural: 'IP policies', page: '/ip-policies' },
    IpPolicyRule: { title: 'IP policy rule', plural: 'IP policy rules' },
    IpPolicySource: { title: 'source of an IP policy', plural: 'sources of IP policies' },
  },
  pages: [
    { path: '/ip-policies', load: () => import('./list.tsx') },
    { path: '/ip-policies/:id', load: () => import('./policy.tsx') },
  ],
  group: 'Who may come in',
  navigation: [
    listEntry(
      'ip-policies',
      'ipPolicies',
      'IP policies',
      'New IP policy',
      'M2.5 4h11M2.5 8h11M2.5 12h6M11 12l1.25 1.25L14 11',
    ),
  ],
};
