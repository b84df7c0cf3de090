// The values of statements whose text is written here once: how many of them there are, and what the driver is told of each.

import type { ArgType, SqlQuery } from '@prisma/driver-adapter-utils';
import type { Dialect } from './engine.ts';

/** Fills a list up to a power of two, so that there are few statements to prepare. */
export function padded<T, F>(values: readonly T[], filling: F): (T | F)[] {
  const length = 2 ** Math.ceil(Math.log2(values.length));
  return Array.from({ length }, (_, place) => values[place] ?? filling);
}

export const textArgument: ArgType = { scalarType: 'string', arity: 'scalar' };
export const timeArgument: ArgType = { scalarType: 'datetime', arity: 'scalar' };
const truthArgument: ArgType = { scalarType: 'boolean', arity: 'scalar' };
const numberArgument: ArgType = { scalarType: 'int', arity: 'scalar' };

/** A value of a statement. */
export type Argument = string | number | boolean | Date;

/** Gives a value its place in a statement: they are asked for in the order in which they stand there. */
export type Placing<A = Argument> = (value: A) => string;

/** Collects the values of a statement while it is written, and makes what the driver takes of both. */
export function collectValues<A extends Argument | null = Argument>({ placeholder }: Pick<Dialect, 'placeholder'>) {
  const args: A[] = [];
  const argument: Placing<A> = (value) => {
    args.push(value);
    return placeholder(args.length);
  };
  return { argument, query: (sql: string): SqlQuery => ({ sql, args, argTypes: args.map(argType) }) };
}

/** Tells what the driver is told of a value. */
export function argType(value: Argument | null): ArgType {
  if (value instanceof Date) return timeArgument;
  if (typeof value === 'boolean') return truthArgument;
  return typeof value === 'number' ? numberArgument : textArgument;
}
