// The variables of the overview's queries, some of which depend on the rights of the key.

import { allows } from '../../client/rights.ts';
import { countedLists } from '../../shell/navigation.ts';
import type { CountsQueryVariables } from './overview.generated.ts';

/** The variables for the latest changes: how many are shown. */
export const latestChanges = { first: 8 } as const;

/** Returns the lists that a key with these scopes may count. */
export const countedIn = (scopes: readonly string[]) => countedLists.filter(({ scope }) => allows(scopes, scope));

/** Returns the variables that query only these lists. */
export function countsAsked(scopes: readonly string[]): CountsQueryVariables {
  const shown = countedIn(scopes);
  // The variables are named after the fields of the lists.
  return Object.fromEntries(
    countedLists.map((list) => [list.field, shown.includes(list)]),
  ) as unknown as CountsQueryVariables;
}
