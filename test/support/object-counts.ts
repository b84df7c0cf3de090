// The counts that the database keeps, compared with its rows.

import { countedTables } from '../../src/storage/sql/object-counts.ts';
import { execute, type TestDatabase } from './database.ts';

/** Returns the counts that a database keeps, and those of its rows: lines of account, kind and number, without zeros. */
export async function countsIn(database: TestDatabase): Promise<{ kept: string[]; rows: string[] }> {
  const lines = (found: unknown[][]) => found.map((line) => line.join(' ')).sort();
  const kept = `SELECT "accountId", "kind", sum("count") FROM "ObjectCount" GROUP BY 1, 2 HAVING sum("count") <> 0`;
  const rows = countedTables.map(
    (table) => `SELECT "accountId", '${table}', count(*) FROM "${table}" GROUP BY "accountId"`,
  );
  return {
    kept: lines(await execute(database, kept)),
    rows: lines(await execute(database, rows.join(' UNION ALL '))),
  };
}
