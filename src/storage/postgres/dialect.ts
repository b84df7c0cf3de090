// How statements are written for PostgreSQL, and how its values are decoded.

import type { Dialect } from '../sql/dialect.ts';
import { type Sql, sql, verbatim } from '../sql/statement.ts';
import { readTime } from '../sql/times.ts';

const nextNumber = 'pg_current_xact_id()::text::bigint';
/** The number of the oldest transaction in progress. */
export const oldestNumber = 'pg_snapshot_xmin(pg_current_snapshot())::text::bigint';
/** The lowest number that no transaction has yet. */
export const unusedNumber = 'pg_snapshot_xmax(pg_current_snapshot())::text::bigint';

/** Writes the numbers of transactions in progress, each as `shifted` has it. */
function openNumbers(shifted: (number: string) => string): string {
  const numbers = `(${shifted('x.number::text::bigint')})::text`;
  return `(SELECT coalesce(json_agg(${numbers}), '[]')::text FROM pg_snapshot_xip(pg_current_snapshot()) x(number))`;
}

/** The dialect of PostgreSQL and of our adapter for it. */
export const postgresDialect: Dialect = {
  seconds: (column) => `extract(epoch from ${column})`,
  placeholder: (number) => `$${number}`,
  gathersIds: true,
  turnIsMoment: false,
  ordersByIndex: true,
  indexedBy: () => '',
  joinsLaterally: true,
  // By the rules of a language, `lower` would change other letters as well.
  positionOf: (text, value) => `strpos(lower(${text} COLLATE "C"), ${value})`,
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
  json: {
    object: (entries) => `json_build_object(${entries.map(([name, value]) => `'${name}', ${value}`).join(', ')})`,
    one: (value, from) => `(SELECT ${value} ${from})`,
    list: (value, order, from) => `(SELECT coalesce(json_agg(${value} ORDER BY ${order}), '[]') ${from})`,
    value: {
      String: (column) => column,
      Int: (column) => column,
      Boolean: (column) => column,
      BigInt: (column) =>
        `CASE WHEN abs(${column}) <= ${Number.MAX_SAFE_INTEGER} THEN to_json(${column}) ELSE to_json(CAST(${column} AS TEXT)) END`,
      DateTime: (column) => `to_char(${column}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
      Json: (column) => column,
    },
    text: (value) => `CAST(${value} AS TEXT)`,
    entries: (list) => sql`json_array_elements(CAST(${list} AS json))`,
    // Without blanks, which `json_build_array` would write.
    hash: (values) =>
      `encode(sha256(convert_to(array_to_json(ARRAY[${values.map((value) => `to_json(${value})`).join(', ')}])::text, 'UTF8')), 'hex')`,
    milliseconds: (column) => `round(extract(epoch from ${column}) * 1000)::bigint`,
    stored: {
      String: (text) => text,
      Int: (text) => `CAST(${text} AS INTEGER)`,
      Boolean: (text) => `CAST(${text} AS BOOLEAN)`,
      BigInt: (text) => `CAST(${text} AS BIGINT)`,
      DateTime: (text) => `CAST(${text} AS TIMESTAMP(3))`,
      Json: (text) => `CAST(${text} AS JSONB)`,
      Bytes: (text) => `decode(${text}, 'hex')`,
    },
  },
  // Transactions get their numbers in one order and commit in another. Nothing can appear any more before the oldest transaction
  // that is in progress (https://www.postgresql.org/docs/current/functions-info.html#FUNCTIONS-INFO-SNAPSHOT).
  //
  // A statement that changes or locks a row may take the number before it has waited for the row (`heap_update`,
  // `heap_lock_tuple`). An advisory lock takes no number, and is released once the commit is visible. Locks are taken in the order
  // of the keys, so that no two changes wait for each other.
  commitOrder: {
    next: () => verbatim(nextNumber),
    settled: (number) => `${number} < ${oldestNumber}`,
    open: openNumbers((number) => number),
    turns: {
      take: (account, key) =>
        sql`SELECT pg_advisory_xact_lock_shared(${lockOf(account)}), pg_advisory_xact_lock(${lockOf(key)})`,
      takeAll: (account, keys) => sql`SELECT pg_advisory_xact_lock_shared(${lockOf(account)}),
        (SELECT count(pg_advisory_xact_lock(t.key)) FROM
          (SELECT DISTINCT hashtextextended(k.key, 0) AS key FROM (${keys}) k(key) ORDER BY key) t)`,
      takeWhole: (account) => sql`SELECT pg_advisory_xact_lock(${lockOf(account)})`,
    },
  },
};

/** Writes the number of the lock of a key. */
function lockOf(key: string): Sql {
  return sql`hashtextextended(${key}, 0)`;
}

/**
 * Returns the dialect for a database whose commit order has an offset.
 *
 * @param offset what is added to the numbers of transactions (see `agreeOnOffset`)
 */
export function dialectWithOffset(offset: bigint): Dialect {
  if (offset === 0n) return postgresDialect;
  const { commitOrder } = postgresDialect;
  const shifted = (number: string) => `(${number} + ${offset})`;
  return {
    ...postgresDialect,
    commitOrder: {
      ...commitOrder,
      next: () => verbatim(shifted(nextNumber)),
      settled: (number) => `${number} < ${shifted(oldestNumber)}`,
      open: openNumbers(shifted),
    },
  };
}
