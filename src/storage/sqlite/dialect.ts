// How statements are written for SQLite, and how its values are decoded.

import type { Dialect } from '../sql/dialect.ts';
import { sql } from '../sql/statement.ts';
import { readTime } from '../sql/times.ts';

export const sqliteDialect: Dialect = {
  seconds: (column) => `((julianday(${column}) - 2440587.5) * 86400)`,
  placeholder: () => '?',
  gathersIds: false,
  turnIsMoment: true,
  ordersByIndex: false,
  indexedBy: (name) => ` INDEXED BY "${name}"`,
  joinsLaterally: false,
  positionOf: (text, value) => `instr(lower(${text}), ${value})`,
  decode: {
    String: undefined,
    Int: undefined,
    Boolean,
    BigInt: (value) => BigInt(String(value)),
    DateTime: (value) => readTime(String(value)),
    Json: (value) => JSON.parse(String(value)),
    Bytes(value) {
      if (!(value instanceof Uint8Array)) throw new TypeError('A value of the type Bytes is not bytes.');
      // Copied, because the driver's bytes may be a view of shared memory.
      return new Uint8Array(value);
    },
  },
  json: {
    object: (entries) => `json_object(${entries.map(([name, value]) => `'${name}', ${value}`).join(', ')})`,
    // A sub-select returns its JSON as text again.
    one: (value, from) => `json((SELECT ${value} ${from}))`,
    list: (value, order, from) => `json((SELECT json_group_array(${value} ORDER BY ${order}) ${from}))`,
    value: {
      String: (column) => column,
      Int: (column) => column,
      Boolean: (column) => `json(CASE ${column} WHEN 1 THEN 'true' WHEN 0 THEN 'false' END)`,
      BigInt: (column) => `iif(abs(${column}) <= ${Number.MAX_SAFE_INTEGER}, ${column}, CAST(${column} AS TEXT))`,
      DateTime: (column) => `replace(${column}, '+00:00', 'Z')`,
      Json: (column) => `json(${column})`,
    },
    text: (value) => value,
    entries: (list) => sql`json_each(${list})`,
    // `sha256` is a function of ours (see `reading`).
    hash: (values) => `sha256(json_array(${values.join(', ')}))`,
    milliseconds: (column) => `CAST(round(unixepoch(${column}, 'subsec') * 1000) AS INTEGER)`,
    stored: {
      String: (text) => text,
      Int: (text) => `CAST(${text} AS INTEGER)`,
      Boolean: (text) => `CAST(${text} AS INTEGER)`,
      BigInt: (text) => `CAST(${text} AS INTEGER)`,
      DateTime: (text) => text,
      Json: (text) => text,
      Bytes: (text) => `unhex(${text})`,
    },
  },
  // Only one program writes at a time. The newest event of an account is never deleted, so no number is used twice.
  commitOrder: {
    next: (accountId) =>
      sql`(SELECT coalesce(max(n."commitOrder"), 0) + 1 FROM "AuditEvent" n WHERE n."accountId" = ${accountId})`,
    settled: () => '1 = 1',
    open: "'[]'",
    turns: null,
  },
};
