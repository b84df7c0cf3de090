// The values of statements whose text is written here once: how many of them there are, and what the driver is told of each.

import type { ArgType } from '@prisma/driver-adapter-utils';

/** Fills a list of values up to a power of two, so that there are few statements to prepare. */
export function padded<F>(values: readonly string[], filling: F): (string | F)[] {
  const length = 2 ** Math.ceil(Math.log2(values.length));
  return Array.from({ length }, (_, place) => values[place] ?? filling);
}

export const textArgument: ArgType = { scalarType: 'string', arity: 'scalar' };
export const timeArgument: ArgType = { scalarType: 'datetime', arity: 'scalar' };
const numberArgument: ArgType = { scalarType: 'int', arity: 'scalar' };

/** Tells what the driver is told of a value that is text, a number or null. */
export function argType(value: string | number | null): ArgType {
  return typeof value === 'number' ? numberArgument : textArgument;
}
