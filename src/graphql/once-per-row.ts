// Values that are made of a row.

/** Makes the value of a field once for each row, under however many names a document asks for it. */
export function oncePerRow<R extends object, T>(make: (row: R) => T): (row: R) => T {
  const made = new WeakMap<R, { readonly value: T }>();
  return (row) => {
    const known = made.get(row);
    if (known !== undefined) return known.value;
    const value = make(row);
    made.set(row, { value });
    return value;
  };
}
