// API keys that need attention: those that are about to expire, and those that have been in use for long.

import { expiresSoon } from '../../domain/access/key-scopes.ts';
import { type Attention, othersOf, urgencyOf } from '../../domain/attention.ts';
import { dayMs, formatTimestamp } from '../../domain/values/time.ts';
import { called } from '../../domain/wording.ts';
import type { AccountView } from '../../storage/objects/account-scope.ts';
import type { AttentionSource } from '../../storage/objects/attention-source.ts';
import { entriesOfRow, rowSlices } from '../../storage/sql/read-slices.ts';

export const attention: readonly AttentionSource[] = [
  {
    needs: ['api-keys:read'],
    async find({ scope, most }) {
      const now = scope.now();
      const { apiKeyDays } = scope.deciding.keyAges;
      const due: Due[] = [];
      for await (const page of readKeys(scope)) due.push(...page.flatMap((key) => dueOf(key, now, apiKeyDays) ?? []));
      due.sort((one, other) => one.at.getTime() - other.at.getTime());
      return [...tell(due, 'api_key_expires', most, now), ...tell(due, 'api_key_old', most, now)];
    },
  },
];

/** A key, as far as its end and its age are concerned. */
interface Key {
  readonly id: string;
  readonly description: string;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
}

/** A key that should be replaced, since or at a time. */
interface Due {
  readonly key: Key;
  readonly code: 'api_key_expires' | 'api_key_old';
  readonly at: Date;
}

/** Returns when a key should be replaced, and why; null if not soon. */
function dueOf(key: Key, now: Date, oldDays: number): Due | null {
  const { createdAt, expiresAt } = key;
  if (expiresAt === null) {
    const at = new Date(createdAt.getTime() + oldDays * dayMs);
    return at <= now ? { key, code: 'api_key_old', at } : null;
  }
  return expiresAt > now && expiresSoon(expiresAt, now) ? { key, code: 'api_key_expires', at: expiresAt } : null;
}

/** Tells of the keys that are due for a reason: one after another, and the rest as a number. */
function tell(all: readonly Due[], code: Due['code'], most: number, now: Date): Attention[] {
  const due = all.filter((one) => one.code === code);
  const severityOf = ({ at }: Due) => (code === 'api_key_old' ? 'notice' : urgencyOf(at, now));
  const found = due.slice(0, most).map((one): Attention => {
    const { key, at } = one;
    const message =
      code === 'api_key_old'
        ? `The API key ${called(key)} was made at ${formatTimestamp(key.createdAt)}, and never expires. Make a new one that does, give it to whoever uses this one, and revoke this one.`
        : `The API key ${called(key)} expires at ${formatTimestamp(at)}. Make a new one, and give it to whoever uses this one.`;
    const subject = { id: key.id, description: key.description };
    return { code, severity: severityOf(one), message, count: 1, at, subject };
  });
  const [next, ...more] = due.slice(most);
  if (next === undefined) return found;
  return [...found, othersOf({ code, severity: severityOf(next), count: more.length + 1, at: next.at })];
}

/** Reads all keys, in slices. */
async function* readKeys({ rows }: AccountView): AsyncGenerator<Key[]> {
  let last: string | undefined;
  const read = async (take: number) => {
    const range = { equal: {}, lessThan: undefined, greaterThan: last, ascending: true, take };
    const value = await rows.pickRange('ApiKey', ['id', 'description', 'createdAt', 'expiresAt'], range);
    last = value.at(-1)?.id;
    return { value, entries: value.length * entriesOfRow, isLast: value.length < take };
  };
  yield* rows.slices(rowSlices, read);
}
