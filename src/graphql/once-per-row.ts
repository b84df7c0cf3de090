// Values that are made of a row.

import { keptWith } from '../domain/kept-with.ts';

/** Makes the value of a field once for each row, under however many names a document asks for it. */
export function oncePerRow<R extends object, T>(make: (row: R) => T): (row: R) => T {
  const made = keptWith<R, { readonly value: T }>();
  return (row) => {
    const known = made.get(row);
    if (known !== undefined) return known.value;
    const value = make(row);
    made.set(row, { value });
    return value;
  };
}
