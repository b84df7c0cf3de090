// Whether the counts of objects that the database keeps are those of its rows, for `doctor`. Triggers keep them; they cannot if somebody
// turns them off, or empties a table in a way that they do not see.

import { remedies } from '../../domain/remedies.ts';
import { listed } from '../../domain/wording.ts';
import type { Check } from '../engine.ts';
import type { ServerReads } from '../objects/server-scope.ts';
import { countedTables } from '../sql/object-counts.ts';
import { sql, verbatim } from '../sql/statement.ts';
import { ok, warn } from './health.ts';

/** Most rows of a table that are counted. */
const countedMax = 100_000;

/** Compares the counts of the kinds of which there are not very many. Throws UNAVAILABLE if the storage cannot serve it now. */
export async function checkCounts({ rows }: Pick<ServerReads, 'rows'>): Promise<Check> {
  const name = 'counts';
  const kept = new Map(
    (await rows(sql`SELECT "kind", sum("count") FROM "ObjectCount" GROUP BY "kind"`)).map(([kind, count]) => [
      String(kind),
      Number(count),
    ]),
  );
  const [few, many]: string[][] = [[], []];
  for (const table of countedTables) ((kept.get(table) ?? 0) > countedMax ? many : few)?.push(table);
  const wrong: string[] = [];
  for (const table of few ?? []) {
    const one = sql`SELECT "accountId", -1 AS "n" FROM ${verbatim(`"${table}"`)} LIMIT ${countedMax + 1}`;
    const [found] = await rows(sql`SELECT "accountId" FROM (
        SELECT "accountId", "count" AS "n" FROM "ObjectCount" WHERE "kind" = ${table} UNION ALL SELECT * FROM (${one}) AS "there"
      ) AS "all" GROUP BY "accountId" HAVING sum("n") <> 0 LIMIT 1`);
    if (found !== undefined) wrong.push(table);
  }
  if (wrong.length > 0) {
    return warn(
      name,
      `The database has other numbers of ${listed(wrong, (kind) => kind)} than it has counted: lists show a wrong total.`,
      `Stop the server, make a copy, which counts anew, by "${remedies.copyDatabase('<url>', '<new url>')}", and start the server on it.`,
    );
  }
  const unread = listed(many ?? [], (kind) => kind);
  return ok(
    name,
    `The counts of objects are right${unread === '' ? '' : `, without ${unread}, of which there are too many to be counted here`}.`,
  );
}
