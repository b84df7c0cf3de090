// What a page shows stands in its address, so that every state of it can be linked, and the browser's "back" leads to the last one.

import { useCallback } from 'react';
import { useSearchParams } from 'wouter';

/**
 * A parameter of the address, and a function that sets it; empty where it is not there.
 *
 * @returns like `useState`
 */
export function useAddressParameter(name: string): [string, (value: string) => void] {
  const [parameters, setParameters] = useSearchParams();
  const set = useCallback(
    (value: string) =>
      setParameters(
        (before) => {
          const after = new URLSearchParams(before);
          if (value === '') after.delete(name);
          else after.set(name, value);
          return after;
        },
        { replace: true },
      ),
    [name, setParameters],
  );
  return [parameters.get(name) ?? '', set];
}
