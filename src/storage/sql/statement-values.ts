// The values of our own statements: how many there are, and which types the driver is given for them.

import type { ArgScalarType, ArgType, SqlQuery } from '@prisma/driver-adapter-utils';
import type { Dialect } from './dialect.ts';

/** Writes the name of a table or column, the same for all engines. */
export const quote = (name: string): string => `"${name}"`;

/** Pads a list to a power of two, so that there are few different statements to prepare. */
export function padded<T, F>(values: readonly T[], filling: F): (T | F)[] {
  const length = 2 ** Math.ceil(Math.log2(values.length));
  return Array.from({ length }, (_, index) => values[index] ?? filling);
}

const scalar = (scalarType: ArgScalarType): ArgType => ({ scalarType, arity: 'scalar' });
export const textArgument = scalar('string');
const timeArgument = scalar('datetime');
const bytesArgument = scalar('bytes');
const argumentsByType: Partial<Record<string, ArgType>> = {
  boolean: scalar('boolean'),
  number: scalar('int'),
  bigint: scalar('bigint'),
};

export type Argument = string | number | bigint | boolean | Date;

/** Adds a value to a statement and returns its placeholder. Call it in the order in which the placeholders appear. */
export type Placing<A = Argument> = (value: A) => string;

/** Collects the values of a statement while it is written, and builds the driver's query from both. */
export function collectValues<A extends Argument | null = Argument>({ placeholder }: Pick<Dialect, 'placeholder'>) {
  const args: A[] = [];
  const argument: Placing<A> = (value) => {
    args.push(value);
    return placeholder(args.length);
  };
  return { argument, query: (sql: string): SqlQuery => ({ sql, args, argTypes: args.map(argType) }) };
}

/** Returns the argument type that the driver is given for a value. Null may be of any type. */
export function argType(value: unknown): ArgType {
  if (value instanceof Date) return timeArgument;
  if (value instanceof Uint8Array) return bytesArgument;
  return argumentsByType[typeof value] ?? textArgument;
}
