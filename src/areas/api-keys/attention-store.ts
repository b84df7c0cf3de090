// API keys that need attention: those that are about to expire.

import { expiringDays } from '../../domain/access/key-scopes.ts';
import { urgencyOf } from '../../domain/attention.ts';
import { dayMs, formatTimestamp } from '../../domain/values/time.ts';
import { called } from '../../domain/wording.ts';
import type { AttentionSource } from '../../storage/objects/attention-source.ts';

/** Finds API keys that need attention. */
export const attention: readonly AttentionSource[] = [
  {
    needs: ['api-keys:read'],
    async find({ scope, most }) {
      const now = scope.now();
      const keys = await scope.db.apiKey.findMany({
        where: { expiresAt: { gt: now, lte: new Date(now.getTime() + expiringDays * dayMs) } },
        orderBy: [{ expiresAt: 'asc' }, { id: 'asc' }],
        select: { id: true, description: true, expiresAt: true },
        take: most,
      });
      return keys.flatMap(({ id, description, expiresAt }) => {
        if (expiresAt === null) return [];
        const message = `The API key ${called({ id, description })} expires at ${formatTimestamp(expiresAt)}. Make a new one, and give it to whoever uses this one.`;
        const severity = urgencyOf(expiresAt, now);
        return [
          { code: 'api_key_expires', severity, message, count: 1, at: expiresAt, subject: { id, description } },
        ] as const;
      });
    },
  },
];
