// The arguments that sort and search a list, their cost and their meaning, shared by all lists.

import { pagePrice, pageSizeMax, searchCost } from '../../load/limits.ts';
import { searchedRowsMax } from '../../storage/objects/search.ts';
import { checkSearchedText, searchedTextLength } from '../kit/search-query.ts';
import type { ArgBuilder } from './inner-list.ts';
import { listOrders, type Order, type Orders, orderOf } from './list-order.ts';
import type { ConnectionArgs } from './page.ts';

/** The values of the arguments that sort and search a list. */
export interface Finding {
  readonly orderBy?: string | null | undefined;
  readonly search?: string | null | undefined;
}

/** Creates the argument that sorts a list. */
export function orderByArg(arg: ArgBuilder, { type }: Pick<Orders, 'type'>) {
  return arg({
    type,
    description: 'The order of the list; newest first by default. A cursor is valid only in the order it came from.',
  });
}

/**
 * Creates the arguments that sort and search a list.
 *
 * @param where tells where the text is searched for, as the continuation of a sentence
 */
export function findingArgs(
  arg: ArgBuilder,
  own: Orders = listOrders,
  where = 'in the fields that `Query.search` covers',
) {
  return {
    orderBy: orderByArg(arg, own),
    search: arg.string({
      description:
        `Only objects that contain this text ${where}. The case of ASCII letters is ignored. The newest ` +
        `${searchedRowsMax.toLocaleString('en')} are searched; \`searchedInPart\` says whether there are older ones.`,
      extensions: { jsonSchema: searchedTextLength },
    }),
  };
}

/** Returns whether a list is neither sorted nor searched, as on a REST route that supports neither. */
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
 * Returns the price of a page whose objects may be scattered through the list.
 *
 * @param filters values of the other arguments that narrow the list
 */
export function priceOfFinding(
  { first, last, orderBy, search }: Finding & Pick<ConnectionArgs, 'first' | 'last'>,
  filters: object = {},
  own: Orders = listOrders,
) {
  const { field, multiplier } = pagePrice(first ?? last ?? pageSizeMax);
  const isFiltered = Object.values(filters).some((given) => given != null);
  const isByOtherTime = orderOf(own, orderBy).column !== undefined;
  // A search counts as a large answer. In any order but that of creation, the objects are scanned for those that pass the filter.
  const finding = (search == null ? 0 : 20 * searchCost) + (isByOtherTime && isFiltered ? searchCost : 0);
  return { field: field + finding, multiplier };
}
