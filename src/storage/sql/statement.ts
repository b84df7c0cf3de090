// Statements that go straight to the driver, past Prisma's planning.

import type { SqlQuery } from '@prisma/driver-adapter-utils';
import { Prisma } from '../generated/client/client.ts';
import type { Dialect } from './dialect.ts';
import { argType, padded } from './statement-values.ts';

/** A statement, or a part of one, with its values. */
export type Sql = Prisma.Sql;

/** Writes a statement, or a part of one, with its values in `${...}`. */
export const sql = Prisma.sql;
/** Joins values or parts of a statement with commas. */
export const joined = Prisma.join;
/** Makes text part of a statement as it is. Never pass client input. */
export const verbatim = Prisma.raw;

/** Writes a condition so that no planner uses an index for it: each row that is found in another way is looked at. */
export const sifting = (condition: Sql): Sql => sql`CASE WHEN ${condition} THEN true ELSE false END`;

/** Pads a list to a power of two, like `padded`, with its first item. */
export function toPowerOfTwo<T>(items: readonly T[]): T[] {
  const [first] = items;
  return first === undefined ? [] : padded(items, first);
}

/** Converts a statement written with `sql` into the driver's query. */
export function statementOf({ placeholder }: Dialect, { strings, values }: Sql): SqlQuery {
  return {
    sql: strings.reduce((text, part, index) => `${text}${placeholder(index)}${part}`),
    args: values,
    argTypes: values.map(argType),
  };
}
