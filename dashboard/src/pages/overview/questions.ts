// The overview's queries that depend on the rights of the key.

import { allows } from '../../client/rights.ts';
import { countedLists } from '../../shell/navigation.ts';

/** The variables for the latest changes: how many are shown. */
export const latestChanges = { first: 8 } as const;

/** Returns the lists that a key with these scopes may count. */
export const countedIn = (scopes: readonly string[]) => countedLists.filter(({ scope }) => allows(scopes, scope));

/** What the counts are answered with, by field. */
export type Counts = Readonly<Record<string, { readonly totalCount: number } | null>>;

/** Returns the document that counts these lists. */
export const countsOf = (lists: readonly { readonly field: string }[]): string =>
  `query Counts { __typename ${lists.map(({ field }) => `${field}(first: 1) { totalCount }`).join(' ')} }`;
