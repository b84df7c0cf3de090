// What is entered, once the person pauses.

import { useEffect, useState } from 'react';

/** Gives a value as it was when it last stayed the same for so many milliseconds. Values are compared as JSON. */
export function useSettled<T>(value: T, restMs: number): T {
  const [settled, setSettled] = useState(value);
  const text = JSON.stringify(value);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text is the value.
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), restMs);
    return () => clearTimeout(timer);
  }, [text, restMs]);
  return settled;
}
