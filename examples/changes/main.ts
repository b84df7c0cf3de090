// Writes a line for each change of the account, for ever or until there have been as many as the first argument says. The place is
// kept in a file, so that the next start goes on where this one ended.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { readSettings } from '../settings.ts';
import { follow } from './follow.ts';

const [count = 'Infinity', file = 'last-change.txt'] = process.argv.slice(2);
const lastId = existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined;

const keep = (id: string) => writeFileSync(file, id);

let left = Number(count);
const followed = follow({ ...readSettings(), lastId, moved: keep });
for await (const { id, action, kind, object_id, actor, changes } of followed) {
  const fields = (changes ?? []).map(({ field }) => field).join(', ');
  process.stdout.write(`${action} ${kind} ${object_id} by ${actor.description || actor.type}: ${fields}\n`);
  keep(id);
  left -= 1;
  if (left <= 0) break;
}
