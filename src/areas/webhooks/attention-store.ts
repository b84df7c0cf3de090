// Webhooks that need attention: those whose receivers have failed for some time, and those with messages that were set aside.

import { type Attention, mostUrgent } from '../../domain/attention.ts';
import { formatTimestamp } from '../../domain/values/time.ts';
import { called, counted } from '../../domain/wording.ts';
import type { AttentionSource } from '../../storage/objects/attention-source.ts';
import { failingMs, webhooksMax } from './rules.ts';

/** Finds webhooks that need attention. */
export const attention: readonly AttentionSource[] = [
  {
    needs: ['webhooks:read'],
    async find({ scope, most }) {
      const found = await scope.db.webhook.findMany({
        select: { id: true, description: true, enabled: true },
        orderBy: { id: 'asc' },
        take: webhooksMax,
      });
      const lanes = await scope.db.webhookLane.findMany({
        select: { webhookId: true, failingSince: true },
        where: { webhookId: { in: found.map(({ id }) => id) } },
      });
      const failingSinceOf = new Map(lanes.map(({ webhookId, failingSince }) => [webhookId, failingSince]));
      const setAside = await scope.db.webhookDelivery.groupBy({
        by: ['webhookId'],
        where: { state: 'set_aside' },
        _count: true,
      });
      const countOf = new Map(setAside.map(({ webhookId, _count }) => [webhookId, _count]));
      const now = scope.now();
      const items = found.flatMap((webhook): Attention[] => {
        const { enabled, ...subject } = webhook;
        const since = enabled ? (failingSinceOf.get(webhook.id) ?? null) : null;
        const lost = countOf.get(webhook.id) ?? 0;
        const fails = since !== null && now.getTime() - since.getTime() >= failingMs;
        if (!fails && lost === 0) return [];
        const failing = fails ? [`has failed since ${formatTimestamp(since)}`] : [];
        const aside = lost > 0 ? [`has ${counted(lost, 'message')} that ${lost === 1 ? 'was' : 'were'} set aside`] : [];
        const message =
          `The webhook ${called(webhook)} ${[...failing, ...aside].join(', and ')}. See what its receiver answers, and send again ` +
          'what it has missed.';
        return [{ code: 'webhook_fails', severity: 'warning', message, count: 1, at: since, subject }];
      });
      return mostUrgent(items, most, now);
    },
  },
];
