// What the overview asks, as far as it depends on the rights of the key.

import { allows } from '../../client/rights.ts';
import { countedLists } from '../../shell/navigation.ts';
import type { CountsQueryVariables } from './overview.generated.ts';

/** How many of the latest changes are shown. */
export const latestChanges = { first: 8 } as const;

/** Gives the lists that a key may count. */
export const countedIn = (scopes: readonly string[]) => countedLists.filter(({ scope }) => allows(scopes, scope));

/** Gives the variables that ask for no more than those. */
export function countsAsked(scopes: readonly string[]): CountsQueryVariables {
  const shown = countedIn(scopes);
  // The variables are named as the lists.
  return Object.fromEntries(
    countedLists.map((list) => [list.field, shown.includes(list)]),
  ) as unknown as CountsQueryVariables;
}
