// The values of statements whose text is written here once: how many of them there are, and what the driver is told of each.

import type { ArgType } from '@prisma/driver-adapter-utils';

/** Fills a list of values up to a power of two, so that there are few statements to prepare. */
export function padded<F>(values: readonly string[], filling: F): (string | F)[] {
  const length = 2 ** Math.ceil(Math.log2(values.length));
  return Array.from({ length }, (_, place) => values[place] ?? filling);
}

export const textArgument: ArgType = { scalarType: 'string', arity: 'scalar' };
export const timeArgument: ArgType = { scalarType: 'datetime', arity: 'scalar' };
const truthArgument: ArgType = { scalarType: 'boolean', arity: 'scalar' };
const numberArgument: ArgType = { scalarType: 'int', arity: 'scalar' };

/** A value of a statement. */
export type Argument = string | number | boolean | Date;

/** Tells what the driver is told of a value. */
export function argType(value: Argument | null): ArgType {
  if (value instanceof Date) return timeArgument;
  if (typeof value === 'boolean') return truthArgument;
  return typeof value === 'number' ? numberArgument : textArgument;
}
