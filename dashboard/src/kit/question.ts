// What a list is asked for: what somebody looks for in it, what it is narrowed to, and its order. It stands in the address.

import { useAddressParameter, useAddressParameters } from './address.ts';

/** What a list is asked for. */
export interface Question<O extends string = string, F extends string = string> {
  /** What is looked for; empty for nothing. */
  readonly search: string;
  readonly order: O;
  /** The values of filters; empty where one lets everything pass. */
  readonly filters: Readonly<Record<F, string>>;
  /** The search and the order as lists of the schema take them. */
  readonly variables: { readonly search: string | null; readonly orderBy: O };
  /** Sets one of them. */
  set(name: F | 'search' | 'order', value: string): void;
  /** Has the whole list shown, in the order that it has. */
  clear(): void;
}

/** The orders of lists that have no others. */
export const listOrders = ['created_at_desc', 'created_at_asc', 'updated_at_desc', 'updated_at_asc'] as const;

/**
 * Reads from the address the order of a list.
 *
 * @param name of the parameter
 * @param orders those that it can have; the first is that of a list for which none is asked
 */
export function useOrder<O extends string>(name: string, orders: readonly [O, ...O[]]) {
  const [named, setNamed] = useAddressParameter(name);
  const order = orders.find((each) => each === named) ?? orders[0];
  return { order, set: (chosen: string) => setNamed(chosen === orders[0] ? '' : chosen) };
}

/** The orders of lists of sessions. */
export const sessionOrders = ['created_at_desc', 'created_at_asc', 'last_used_at_desc', 'last_used_at_asc'] as const;

/**
 * Reads from the address what a list is asked for.
 *
 * @param orders those that it can have; the first is that of a list for which none is asked
 * @param names parameters of the address that narrow it
 */
export function useQuestion<O extends string, F extends string = never>(
  orders: readonly [O, ...O[]],
  ...names: readonly F[]
): Question<O, F> {
  const [parameters, setParameters] = useAddressParameters();
  const search = parameters.get('search') ?? '';
  const { order, set: setOrder } = useOrder('order', orders);
  // Its names are those that are given.
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
