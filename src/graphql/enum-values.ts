// The values of enumerations.

/** Makes the values of an enumeration out of their descriptions. Each name stands for itself. */
export function enumValues<N extends string>(descriptions: Readonly<Record<N, string>>) {
  const entries = Object.entries<string>(descriptions).map(([value, description]) => [value, { value, description }]);
  // Each name with itself as its value.
  return Object.fromEntries(entries) as { [V in N]: { value: V; description: string } };
}
