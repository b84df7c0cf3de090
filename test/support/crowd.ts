// Copies a row thousands of times, for tests of what is read in parts.

import { crockford, type Kind, kinds } from '../../src/domain/values/ids.ts';
import { execute, type TestDatabase } from './database.ts';

/** Returns an id that is newer than all ids that a service creates; the greater the number, the newer. */
export function lateId(kind: Kind, number: number): string {
  const digits = [...number.toString(32).padStart(4, '0')].map((digit) => crockford[Number.parseInt(digit, 32)]);
  return `${kinds[kind].prefix}_7${'z'.repeat(21)}${digits.join('')}`;
}

/**
 * Copies a row of a kind `count` times. The copies have the ids that `lateId` returns, from number 0 on.
 *
 * @param id of the row
 * @param changed columns that get another value, as SQL expressions; `n` is the number of the copy
 */
export async function copyRow(
  database: TestDatabase,
  kind: Kind,
  id: string,
  count: number,
  changed: Readonly<Record<string, string>>,
  columns: readonly string[],
): Promise<void> {
  const copies = Array.from({ length: count }, (_, number) => `('${lateId(kind, number)}', ${number})`);
  const values = columns.map((column) => changed[column] ?? (column === 'id' ? 'v.column1' : `e."${column}"`));
  await execute(
    database,
    `WITH v AS (SELECT column1, column2 AS n FROM (VALUES ${copies.join(', ')}) AS given)
     INSERT INTO "${kind}" (${columns.map((column) => `"${column}"`).join(', ')})
     SELECT ${values.join(', ')} FROM "${kind}" e, v WHERE e."id" = '${id}'`,
  );
}
