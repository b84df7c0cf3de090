// The search, filters and order of a list, kept in the page address.

import { useAddressParameter, useAddressParameters } from './address.ts';

/** The search, filters and order of a list. */
export interface Question<O extends string = string, F extends string = string> {
  /** The search text; empty for no search. */
  readonly search: string;
  readonly order: O;
  /** The values of the filters; an empty value does not filter. */
  readonly filters: Readonly<Record<F, string>>;
  /** The search and order as GraphQL variables. */
  readonly variables: { readonly search: string | null; readonly orderBy: O };
  /** Sets one of them. */
  set(name: F | 'search' | 'order', value: string): void;
  /** Removes the search and filters, and keeps the order. */
  clear(): void;
}

/** The orders of most lists. */
export const listOrders = ['created_at_desc', 'created_at_asc', 'updated_at_desc', 'updated_at_asc'] as const;

/**
 * Reads the order of a list from the page address.
 *
 * @param name name of the parameter
 * @param orders the valid orders; the first is the default
 */
export function useOrder<O extends string>(name: string, orders: readonly [O, ...O[]]) {
  const [named, setNamed] = useAddressParameter(name);
  const order = orders.find((each) => each === named) ?? orders[0];
  return { order, set: (chosen: string) => setNamed(chosen === orders[0] ? '' : chosen) };
}

/** The orders of lists of sessions. */
export const sessionOrders = ['created_at_desc', 'created_at_asc', 'last_used_at_desc', 'last_used_at_asc'] as const;

/**
 * Reads the search, filters and order of a list from the page address.
 *
 * @param orders the valid orders; the first is the default
 * @param names names of the filter parameters
 */
export function useQuestion<O extends string, F extends string = never>(
  orders: readonly [O, ...O[]],
  ...names: readonly F[]
): Question<O, F> {
  const [parameters, setParameters] = useAddressParameters();
  const search = parameters.get('search') ?? '';
  const { order, set: setOrder } = useOrder('order', orders);
  // The object has exactly the given names.
  const filters = Object.fromEntries(names.map((name) => [name, parameters.get(name) ?? ''])) as Record<F, string>;
  return {
    search,
    order,
    filters,
    variables: { search: search || null, orderBy: order },
    set: (name, value) => (name === 'order' ? setOrder(value) : setParameters({ [name]: value })),
    clear: () => setParameters(Object.fromEntries([...names, 'search'].map((name) => [name, '']))),
  };
}
