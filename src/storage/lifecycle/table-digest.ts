// Digests by which tables of two databases are compared, whatever their engines: the number of rows and their SHA-256.

import { createHash } from 'node:crypto';
import type { Column, Row } from '../sql/tables.ts';

/** The names of a table's columns, in the order of a row's values. */
interface Columns {
  readonly columns: readonly (Pick<Column, 'name'> & Partial<Column>)[];
}

/** The digest of a table. Two tables with the same rows have the same digest. */
export interface TableDigest {
  readonly rows: number;
  /**
   * The sum of the SHA-256 of all rows, modulo 2^256, in hexadecimal. Each row is hashed as canonical JSON (`createRowSerializer`).
   * A sum does not depend on the order of rows: engines and locales sort text differently.
   */
  readonly sha256: string;
}

/** Adds up the rows of a table. */
export interface Digester {
  /** Adds rows, and returns their size in bytes of JSON. */
  add(rows: readonly Row[]): number;
  /** Returns the digest of the rows added so far. */
  result(): TableDigest;
}

const modulus = 1n << 256n;

/** Creates a digester for the rows of a table. */
export function createDigester(table: Columns): Digester {
  const serialize = createRowSerializer(table);
  let count = 0;
  let sum = 0n;
  return {
    add(rows) {
      let bytes = 0;
      for (const row of rows) {
        const text = serialize(row);
        bytes += Buffer.byteLength(text);
        sum = (sum + BigInt(`0x${createHash('sha256').update(text).digest('hex')}`)) % modulus;
      }
      count += rows.length;
      return bytes;
    },
    result: () => ({ rows: count, sha256: sum.toString(16).padStart(64, '0') }),
  };
}

/**
 * Creates the function that writes a row as JSON without spaces: an object of its columns, with sorted keys at every depth. Null
 * columns are left out. BigInts are written as strings of digits, times as ISO 8601 with milliseconds in UTC, bytes as base64.
 */
export function createRowSerializer({ columns }: Columns): (row: Row) => string {
  const members = columns
    .map(({ name }, index) => ({ name, index: index, key: `${JSON.stringify(name)}:` }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  return (row) => {
    const written = members.flatMap(({ index, key }) =>
      row[index] === undefined ? [] : `${key}${canonical(row[index])}`,
    );
    return `{${written.join(',')}}`;
  };
}

function canonical(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'bigint') return `"${value}"`;
  if (value instanceof Date) return `"${value.toISOString()}"`;
  if (value instanceof Uint8Array) return `"${Buffer.from(value).toString('base64')}"`;
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`);
  return `{${members.join(',')}}`;
}
