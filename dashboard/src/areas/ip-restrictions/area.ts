// What the area brings to the dashboard.

import { type Area, listEntry } from '../area.ts';

const icon = 'M8 1.75 13 4v4c0 3-2.2 5.2-5 6.25C5.2 13.2 3 11 3 8V4z';
const list = listEntry('ip-restrictions', 'ipRestrictions', 'IP restrictions', 'New IP restriction', icon);

export const ipRestrictions: Area = {
  name: 'ip-restrictions',
  title: 'IP restrictions',
  guide: 'operations#locked-out',
  kinds: {
    IpRestriction: { title: 'IP restriction', plural: 'IP restrictions', page: '/ip-restrictions' },
  },
  pages: [
    { path: '/ip-restrictions', load: () => import('./list.tsx') },
    { path: '/ip-restrictions/:id', load: () => import('./restriction.tsx') },
  ],
  group: 'Who may come in',
  navigation: [
    {
      ...list,
      deeds: [
        ...list.deeds.map((deed) => ({ ...deed, needs: 'ipPolicies' })),
        {
          title: 'Try an address',
          href: '/ip-restrictions?try=',
          scope: 'ip-restrictions:read',
          alsoNeeds: 'ip-policies:read',
        },
      ],
    },
  ],
};
