// Whether the counts of objects that the database keeps are those of its rows, for `doctor`. Triggers keep them; they cannot if somebody
// turns them off, or empties a table in a way that they do not see.

import { remedies } from '../../domain/remedies.ts';
import { listed, messageOf } from '../../domain/wording.ts';
import type { Check } from '../engine.ts';
import type { ServerReads } from '../objects/server-scope.ts';
import { countedTables } from '../sql/object-counts.ts';
import { type Sql, sql, verbatim } from '../sql/statement.ts';
import { ok, warn } from './health.ts';

/** Most counts that are read, and most rows of a table that are counted. */
const usualMax = 100_000;

const name = 'counts';

/** Compares the counts of the kinds of which there are not very many, of as many accounts as that leaves. */
export async function checkCounts(database: Pick<ServerReads, 'rows'>, most = usualMax): Promise<Check> {
  try {
    return await compare(database, most);
  } catch (error) {
    return warn(
      name,
      `The objects could not be counted: ${messageOf(error)}`,
      'Run doctor again when less is going on.',
    );
  }
}

async function compare({ rows }: Pick<ServerReads, 'rows'>, most: number): Promise<Check> {
  // In the order of the key: all of one account, then all of the next.
  const counts = await rows(
    sql`SELECT "accountId", "kind", "count" FROM "ObjectCount" ORDER BY "accountId", "kind", "slot" LIMIT ${most + 1}`,
  );
  // That account may have more.
  const end = counts[most]?.[0];
  const kept = new Map<string, Map<string, number>>(countedTables.map((table) => [table, new Map()]));
  for (const [account, kind, count] of counts) {
    const ofKind = kept.get(String(kind));
    if (account !== end) ofKind?.set(String(account), (ofKind.get(String(account)) ?? 0) + Number(count));
  }
  const within: Sql = end === undefined ? sql`1 = 1` : sql`"accountId" < ${String(end)}`;
  const wrong: string[] = [];
  const many: string[] = [];
  for (const [table, ofKind] of kept) {
    const here = [...ofKind].filter(([, count]) => count !== 0);
    if (here.reduce((sum, [, count]) => sum + count, 0) > most) {
      many.push(table);
      continue;
    }
    const found = await rows(sql`SELECT "accountId", count(*) FROM (
        SELECT "accountId" FROM ${verbatim(`"${table}"`)} WHERE ${within} LIMIT ${most + 1}
      ) AS "there" GROUP BY "accountId"`);
    const isRight = found.every(([account, count]) => ofKind.get(String(account)) === Number(count));
    if (!isRight || found.length !== here.length) wrong.push(table);
  }
  if (wrong.length > 0) {
    return warn(
      name,
      `The database has other numbers of ${listed(wrong, (kind) => kind)} than it has counted: lists show a wrong total.`,
      `Stop the server, make a copy, which counts anew, by "${remedies.copyDatabase('<url>', '<new url>')}", and start the server on it.`,
    );
  }
  const unread = listed(many, (kind) => kind);
  const without = unread === '' ? '' : `, without ${unread}, of which there are too many to be counted here`;
  const firstOnes = end === undefined ? '' : ' of the first accounts; there are too many to look at all of them';
  return ok(name, `The counts of objects are right${without}${firstOnes}.`);
}
