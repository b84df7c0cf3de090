// API keys that need attention: those that are about to expire.

import { expiringDays } from '../../domain/access/key-scopes.ts';
import { type Attention, othersOf, urgencyOf } from '../../domain/attention.ts';
import { dayMs, formatTimestamp } from '../../domain/values/time.ts';
import { called } from '../../domain/wording.ts';
import type { AccountView } from '../../storage/objects/account-scope.ts';
import type { AttentionSource } from '../../storage/objects/attention-source.ts';
import { entriesOfRow, rowSlices } from '../../storage/sql/read-slices.ts';

/** Finds API keys that need attention. */
export const attention: readonly AttentionSource[] = [
  {
    needs: ['api-keys:read'],
    async find({ scope, most }) {
      const now = scope.now();
      const soon = new Date(now.getTime() + expiringDays * dayMs);
      const keys: Expiring[] = [];
      for await (const page of readExpiring(scope, now, soon)) keys.push(...page);
      keys.sort((one, other) => one.expiresAt.getTime() - other.expiresAt.getTime());
      const found = keys.slice(0, most).map(({ id, description, expiresAt }): Attention => {
        const message = `The API key ${called({ id, description })} expires at ${formatTimestamp(expiresAt)}. Make a new one, and give it to whoever uses this one.`;
        const severity = urgencyOf(expiresAt, now);
        return { code: 'api_key_expires', severity, message, count: 1, at: expiresAt, subject: { id, description } };
      });
      const others = keys.slice(most);
      const [next] = others;
      if (next === undefined) return found;
      const [severity, count, at] = [urgencyOf(next.expiresAt, now), others.length, next.expiresAt];
      return [...found, othersOf({ code: 'api_key_expires', severity, count, at })];
    },
  },
];

interface Expiring {
  readonly id: string;
  readonly description: string;
  readonly expiresAt: Date;
}

/** Looks through all keys for those that expire within bounds, in slices. */
async function* readExpiring({ rows }: AccountView, from: Date, to: Date): AsyncGenerator<Expiring[]> {
  let last: string | undefined;
  const read = async (take: number) => {
    const range = { equal: {}, lessThan: undefined, greaterThan: last, ascending: true, take };
    const page = await rows.pickRange('ApiKey', ['id', 'description', 'expiresAt'], range);
    last = page.at(-1)?.id;
    const value = page.flatMap(({ expiresAt, ...key }) =>
      expiresAt !== null && expiresAt > from && expiresAt <= to ? [{ ...key, expiresAt }] : [],
    );
    return { value, entries: page.length * entriesOfRow, isLast: page.length < take };
  };
  yield* rows.slices(rowSlices, read);
}
