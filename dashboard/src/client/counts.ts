// The lengths of lists, read together.

/** The lengths, by the fields of the lists in the schema; null for one that could not be read. */
export type Counts = Readonly<Record<string, { readonly totalCount: number } | null>>;

/** Returns the document that counts lists. */
export const countsOf = (lists: readonly { readonly field: string }[]): string =>
  `query Counts { __typename ${lists.map(({ field }) => `${field}(first: 1) { totalCount }`).join(' ')} }`;
