// Statements that go to the driver as they are, past Prisma's planning.

import type { ArgScalarType, SqlQuery } from '@prisma/driver-adapter-utils';
import type { Dialect } from './engine.ts';
import type { Prisma } from './generated/client/client.ts';

/** Makes a statement for the driver out of what `Prisma.sql` wrote. */
export function statementOf({ placeholder }: Dialect, { strings, values }: Prisma.Sql): SqlQuery {
  return {
    sql: strings.reduce((text, part, place) => `${text}${placeholder(place)}${part}`),
    args: values,
    argTypes: values.map((value) => ({ scalarType: scalarTypeOf(value), arity: 'scalar' })),
  };
}

function scalarTypeOf(value: unknown): ArgScalarType {
  if (value instanceof Date) return 'datetime';
  switch (typeof value) {
    case 'number':
      return 'int';
    case 'bigint':
      return 'bigint';
    default:
      return 'string';
  }
}
