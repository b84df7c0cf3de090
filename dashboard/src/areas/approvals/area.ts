// What the area brings to the dashboard.

import type { Area } from '../area.ts';

export const approvals: Area = {
  name: 'approvals',
  title: 'Approvals',
  guide: 'people#a-second-person',
  kinds: {
    ApprovalRequest: { title: 'request for an approval', plural: 'requests for approvals', isFinal: true },
    ApprovalSettings: { title: 'setting of approvals', plural: 'settings of approvals', isFinal: true },
  },
  pages: [{ path: '/approvals', load: () => import('./list.tsx') }],
  group: 'This account',
  navigation: [
    {
      title: 'Approvals',
      href: '/approvals',
      icon: 'M2.5 8.5l3 3 5.5-6.5M9 11.5l5-6.5',
      scope: 'approvals:read',
    },
  ],
};
