// The state of a page is kept in its address, so that every state can be linked to and survives "back" and a reload.

import { useCallback } from 'react';
import { useSearchParams } from 'wouter';

/** Returns the query parameters of the page, and a function that sets some of them; an empty value removes a parameter. */
export function useAddressParameters(): [URLSearchParams, (values: Readonly<Record<string, string>>) => void] {
  const [parameters, setParameters] = useSearchParams();
  const set = useCallback(
    (values: Readonly<Record<string, string>>) =>
      setParameters(
        (before) => {
          const after = new URLSearchParams(before);
          for (const [name, value] of Object.entries(values)) {
            if (value === '') after.delete(name);
            else after.set(name, value);
          }
          return after;
        },
        { replace: true },
      ),
    [setParameters],
  );
  return [parameters, set];
}

/**
 * Returns a query parameter of the page and a function that sets it. A missing parameter is an empty string.
 *
 * @returns a pair like that of `useState`
 */
export function useAddressParameter(name: string): [string, (value: string) => void] {
  const [parameters, setParameters] = useAddressParameters();
  const set = useCallback((value: string) => setParameters({ [name]: value }), [name, setParameters]);
  return [parameters.get(name) ?? '', set];
}
