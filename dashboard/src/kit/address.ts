// What a page shows stands in its address, so that every state of it can be linked, and the browser's "back" leads to the last one.

import { useCallback } from 'react';
import { useSearchParams } from 'wouter';

/** Gives the parameters of the address, and a function that sets some of them; an empty value takes one away. */
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
 * A parameter of the address, and a function that sets it; empty where it is not there.
 *
 * @returns like `useState`
 */
export function useAddressParameter(name: string): [string, (value: string) => void] {
  const [parameters, setParameters] = useAddressParameters();
  const set = useCallback((value: string) => setParameters({ [name]: value }), [name, setParameters]);
  return [parameters.get(name) ?? '', set];
}
