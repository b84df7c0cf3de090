// That changes wait for a second person: one finding for all of them.

import type { AttentionSource } from '../../storage/objects/attention-source.ts';
import { waitingMax } from './rules.ts';

/** Finds requests that wait for an approval. */
export const attention: readonly AttentionSource[] = [
  {
    needs: ['approvals:read'],
    async find({ scope: { db, now } }) {
      const waiting = await db.approvalRequest.findMany({
        where: { state: 'open', expiresAt: { gt: now() } },
        orderBy: { expiresAt: 'asc' },
        select: { id: true, summary: true, requesterName: true, expiresAt: true },
        take: waitingMax,
      });
      const [first] = waiting;
      if (first === undefined) return [];
      const count = waiting.length;
      const more = count === 1 ? '' : ` ${count - 1} more wait.`;
      const message = `${first.requesterName} asks for the approval of a second person: ${first.summary}${more} See "Approvals" in the dashboard.`;
      const subject = count === 1 ? { id: first.id, description: first.summary } : null;
      return [{ code: 'approvals_wait', severity: 'notice', message, count, at: first.expiresAt, subject }];
    },
  },
];
