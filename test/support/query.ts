// Queries for the tests of the driver adapters.

import type { ArgScalarType } from '@prisma/driver-adapter-utils';

/** Creates a query as Prisma would, with arguments and their types. */
export function sql(text: string, ...args: [value: unknown, type: ArgScalarType][]) {
  return {
    sql: text,
    args: args.map(([value]) => value),
    argTypes: args.map(([, scalarType]) => ({ scalarType, arity: 'scalar' as const })),
  };
}
