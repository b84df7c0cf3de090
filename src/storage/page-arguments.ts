// The arguments with which Prisma reads pages of lists.

import { orderedBy, writeBeyond } from './keyset.ts';
import type { ListPart, Place } from './object-reads.ts';
import type { RowRange } from './range.ts';

/** Writes the arguments for a page in id order. */
export function pageArguments(
  { take, lessThan, greaterThan, until, ascending }: Omit<RowRange, 'equal' | 'column' | 'ids'>,
  where: object,
) {
  const bounds = { lt: lessThan, gt: greaterThan, [ascending ? 'lte' : 'gte']: until };
  const bounded = Object.fromEntries(Object.entries(bounds).filter(([, bound]) => bound !== undefined));
  return { where: { AND: [where, { id: bounded }] }, orderBy: { id: ascending ? 'asc' : 'desc' }, take };
}

/** Writes the arguments for a page in the order of a time. */
export function timePageArguments(column: string, { take, after, before, backward }: ListPart, where: object): object {
  const beyond = (place: Place | undefined, side: 'gt' | 'lt') =>
    place === undefined ? [] : writeBeyond({ [column]: place.value, id: place.id }, side);
  return {
    where: { AND: [where, ...beyond(after, 'gt'), ...beyond(before, 'lt')] },
    orderBy: orderedBy([column, 'id'], backward ? 'desc' : 'asc'),
    take,
  };
}
