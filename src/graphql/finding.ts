// The arguments that sort and search a list, what they cost, and what they mean: the same for every list.

import { searchedRowsMax } from '../storage/search.ts';
import type { ConnectionArgs } from './connection.ts';
import type { ArgBuilder } from './inner-list.ts';
import { pagePrice, pageSizeMax, searchCost } from './limits.ts';
import { listOrders, type Order, type Orders, orderOf } from './list-order.ts';
import { checkSearchedText, searchedTextLength } from './search.ts';

/** What sorts and searches a list. */
export interface Finding {
  readonly orderBy?: string | null | undefined;
  readonly search?: string | null | undefined;
}

/** Gives the argument that sorts a list. */
export function orderByArg(arg: ArgBuilder, { type }: Pick<Orders, 'type'>) {
  return arg({
    type,
    description: 'What to list them in the order of; the newest first by default. Cursors are those of one order.',
  });
}

/**
 * Gives the arguments that sort and search a list.
 *
 * @param where it is looked for, as a sentence goes on
 */
export function findingArgs(
  arg: ArgBuilder,
  own: Orders = listOrders,
  where = 'where the field `search` looks for it',
) {
  return {
    orderBy: orderByArg(arg, own),
    search: arg.string({
      description:
        `Only objects that contain this text ${where}. The case of ASCII letters is ignored. The newest ` +
        `${searchedRowsMax.toLocaleString('en')} are searched; \`searchedInPart\` tells whether there are older ones.`,
      extensions: { jsonSchema: searchedTextLength },
    }),
  };
}

/** Tells whether a list is neither sorted nor searched, as on a REST route that can do neither. */
export function isAsInRest({ orderBy, search }: Finding): boolean {
  return orderBy == null && search == null;
}

/** Reads these arguments. Throws INVALID_INPUT. */
export function readFinding(
  { orderBy, search }: Finding,
  own: Orders = listOrders,
): { readonly order: Order; readonly search: string | null } {
  return { order: orderOf(own, orderBy), search: search == null ? null : checkSearchedText('search', search) };
}

/**
 * Tells what a page costs whose objects may stand far from each other, and their number.
 *
 * @param filters what else narrows the list
 */
export function priceOfFinding(
  { first, last, orderBy, search }: Finding & Pick<ConnectionArgs, 'first' | 'last'>,
  filters: object = {},
  own: Orders = listOrders,
) {
  const { field, multiplier } = pagePrice(first ?? last ?? pageSizeMax);
  const isFiltered = Object.values(filters).some((given) => given != null);
  const isByOtherTime = orderOf(own, orderBy).column !== undefined;
  // A search is a large answer. In the order of another time, the objects are looked through for those that the filter wants.
  const finding = (search == null ? 0 : 20 * searchCost) + (isByOtherTime && isFiltered ? searchCost : 0);
  return { field: field + finding, multiplier };
}
