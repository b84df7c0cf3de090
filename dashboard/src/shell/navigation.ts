// The pages in the navigation, the lists there that the overview counts, and the tasks that can be started from the palette: what
// the areas declare, and the overview.

import type { CountedList, Deed, Entry } from '../areas/area.ts';
import { areas } from '../areas/areas.ts';

const overview: Entry = {
  title: 'Overview',
  href: '/',
  icon: 'M2.5 2.5h4.5v4.5H2.5zM9 2.5h4.5v4.5H9zM2.5 9h4.5v4.5H2.5zM9 9h4.5v4.5H9z',
  scope: null,
};

const entriesOf = (title: string) => areas.flatMap(({ group, navigation: own }) => (group === title ? own : []));

/** The entries, in groups. */
export const navigation: readonly { readonly title: string; readonly entries: readonly Entry[] }[] = [
  { title: '', entries: [overview] },
  ...[...new Set(areas.map(({ group }) => group))].map((title) => ({ title, entries: entriesOf(title) })),
];

const entries = navigation.flatMap((group) => group.entries);

/** The lists that the overview counts. */
export const countedLists: readonly CountedList[] = entries.flatMap(({ lists = [] }) => lists);

/** All tasks that can be started from the palette. */
export const deeds: readonly Deed[] = entries.flatMap((entry) => entry.deeds ?? []);

/** Name of the query parameter that opens the palette, with the search text as its value. */
export const soughtParameter = 'seek';
