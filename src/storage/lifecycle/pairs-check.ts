// Whether the trail has events of kinds and actions that this program does not know, for `doctor`: lists with a filter lack them, because
// they are merged from those that it knows. The program itself writes no others.

import { listed } from '../../domain/wording.ts';
import type { Check } from '../engine.ts';
import type { ServerReads } from '../objects/server-scope.ts';
import { sql } from '../sql/statement.ts';
import { recordedPairs } from '../trail/audit-actions.ts';
import { ok, warn } from './health.ts';

const name = 'kinds of events';
/** Most pairs that are looked at, each by one step in an index. */
const pairsMax = 1_000;

/** Looks for unknown pairs. Throws UNAVAILABLE if the storage cannot serve it now. */
export async function checkPairs({ rows }: Pick<ServerReads, 'rows'>): Promise<Check> {
  const known = new Set(recordedPairs.map(({ action, kind }) => `${kind} ${action}`));
  const unknown: string[] = [];
  let last = ['', ''];
  let count = 0;
  for (; count < pairsMax; count++) {
    const [action, kind] = last;
    const [next] = await rows(sql`SELECT "action", "kind" FROM "AuditEvent"
      WHERE ("action", "kind") > (${action ?? ''}, ${kind ?? ''}) ORDER BY "action", "kind" LIMIT 1`);
    if (next === undefined) break;
    last = next.map(String);
    const pair = `${last[1]} ${last[0]}`;
    if (!known.has(pair)) unknown.push(pair);
  }
  const all = count < pairsMax ? 'All events of the trail' : `The events of the first ${pairsMax} kinds and actions`;
  if (unknown.length === 0) return ok(name, `${all} are of kinds and actions that lists find.`);
  return warn(
    name,
    `The trail has events that lists with a filter do not show: ${listed(unknown, (pair) => pair)}.`,
    'Lists without a filter and exports have them. They come from another program or version: report it.',
  );
}
