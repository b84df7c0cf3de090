// Places in lists that are ordered by several columns, in Prisma's terms.

/** Writes the `orderBy` of some columns. */
export function orderedBy(columns: readonly string[], direction: 'asc' | 'desc') {
  return columns.map((column) => ({ [column]: direction }));
}

/**
 * Writes the conditions for the rows beyond a place. From the first condition alone, a planner finds the place in an index.
 *
 * @param place the values of the columns that the list is ordered by, in that order
 * @param ofLast how the last of them compares: `gte` and `lte` include the row at the place itself
 */
export function writeBeyond(
  place: Readonly<Record<string, Date | string | number | bigint>>,
  side: 'gt' | 'lt',
  ofLast: 'gt' | 'lt' | 'gte' | 'lte' = side,
): object[] {
  const columns = Object.entries(place);
  const first = columns.slice(0, 1).map(([column, value]) => ({ [column]: { [`${side}e`]: value } }));
  const alternatives = columns.map(([column, value], position) => ({
    ...Object.fromEntries(columns.slice(0, position)),
    [column]: { [position === columns.length - 1 ? ofLast : side]: value },
  }));
  return [...first, { OR: alternatives }];
}
