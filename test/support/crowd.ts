// Copies of a row, by the thousand: for what is read part by part.

import { crockford, type Kind, kinds } from '../../src/domain/ids.ts';
import { execute, type TestDatabase } from './database.ts';

/** Makes an id that is newer than all that a service makes; the greater the number, the newer. */
export function lateId(kind: Kind, number: number): string {
  const digits = [...number.toString(32).padStart(4, '0')].map((digit) => crockford[Number.parseInt(digit, 32)]);
  return `${kinds[kind].prefix}_7${'z'.repeat(21)}${digits.join('')}`;
}

/**
 * Copies a row of a kind as often as asked for, each with an id as of `lateId`, from 0 on.
 *
 * @param id of the row
 * @param changed further columns with a value of their own, in terms of SQL; `n` is the number of the copy
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
