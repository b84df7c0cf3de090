// How statements are written for PostgreSQL, and what Prisma makes of its values.

import type { Dialect } from '../engine.ts';
import { readTime } from '../times.ts';

/** The dialect of PostgreSQL, and of its adapter here. */
export const postgresDialect: Dialect = {
  quote: (name) => `"${name}"`,
  placeholder: (number) => `$${number}`,
  valuesMax: 512,
  gathersIds: true,
  turnIsMoment: false,
  ordersByIndex: true,
  decode: {
    String: undefined,
    Int: undefined,
    Boolean: undefined,
    BigInt: (value) => BigInt(String(value)),
    DateTime: (value) => readTime(String(value)),
    Json: (value) => JSON.parse(String(value)),
    Bytes(value) {
      if (!(value instanceof Uint8Array)) throw new TypeError('A value of the type Bytes is not bytes.');
      return new Uint8Array(value);
    },
  },
};
