// Enums of the schema.

import { builder } from './builder.ts';

/** Creates the values of an enum from their descriptions. Each value is its own name. */
export function enumValues<N extends string>(descriptions: Readonly<Record<N, string>>) {
  const entries = Object.entries<string>(descriptions).map(([value, description]) => [value, { value, description }]);
  // Safe cast: the entries map each name to its own value.
  return Object.fromEntries(entries) as { [V in N]: { value: V; description: string } };
}

/** Adds an enum whose values are described. */
export function enumOf<N extends string>(name: string, description: string, values: Readonly<Record<N, string>>) {
  return builder.enumType(name, { description, values: enumValues(values) });
}
