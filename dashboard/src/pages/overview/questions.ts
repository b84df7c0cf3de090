// The overview's queries that depend on the rights of the key.

import { allows } from '../../client/rights.ts';
import { countedLists } from '../../shell/navigation.ts';

/** A range of activity, as it is asked for. The number of intervals is what a chart has room for. */
interface Range {
  /** Its name in the address of the page; empty for the one that is shown unless another is chosen. */
  readonly name: string;
  readonly title: string;
  readonly asked: { readonly minutes: number; readonly everyMinutes: number };
}

const ofHour: Range = { name: '', title: 'Last hour', asked: { minutes: 60, everyMinutes: 1 } };

/** The ranges of activity to choose from. */
export const ranges: readonly Range[] = [
  ofHour,
  { name: 'day', title: 'Last day', asked: { minutes: 1_440, everyMinutes: 15 } },
  { name: 'week', title: 'Last week', asked: { minutes: 10_080, everyMinutes: 120 } },
  { name: 'month', title: 'Last 30 days', asked: { minutes: 43_200, everyMinutes: 480 } },
];

/** Returns the range that the address of the page has chosen. */
export const rangeIn = (parameters: URLSearchParams): Range =>
  ranges.find(({ name }) => name === parameters.get('range')) ?? ofHour;

/** The variables for the latest changes: how many are shown. */
export const latestChanges = { first: 8 } as const;

/** Returns the lists that a key with these scopes may count. */
export const countedIn = (scopes: readonly string[]) => countedLists.filter(({ scope }) => allows(scopes, scope));
