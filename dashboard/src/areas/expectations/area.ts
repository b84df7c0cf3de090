// What the area brings to the dashboard.

import { type Area, listEntry } from '../area.ts';

export const expectations: Area = {
  name: 'expectations',
  title: 'Expectations',
  guide: 'expectations',
  kinds: { Expectation: { title: 'expectation', plural: 'expectations', page: '/expectations' } },
  pages: [
    { path: '/expectations', load: () => import('./list.tsx') },
    { path: '/expectations/:id', load: () => import('./expectation.tsx') },
  ],
  group: 'Who may come in',
  navigation: [
    listEntry(
      'expectations',
      'expectations',
      'Expectations',
      'New expectation',
      'M2.5 3.5h2v2h-2zM7 4.5h6.5M2.5 10.5l1 1 2-2.5M7 10.5h6.5',
    ),
  ],
};
