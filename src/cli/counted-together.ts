// Combines what the processes behind one port have each counted.

import { type Activity, type ActivityReads, sumOfMinutes, sumOfWarnings } from '../domain/access/activity.ts';
import { createSharedWork } from '../domain/concurrency/shared-work.ts';
import { exposeTogether, type Metrics } from '../telemetry/metrics.ts';
import type { Peers } from './peers.ts';

/** Returns the metrics of this process, with `expose` writing those of all processes. */
export function metricsOfAll(metrics: Metrics, peers: Peers): Metrics {
  peers.answer('metrics', () => metrics.values());
  if (peers.areNone) return metrics;
  // Each scrape costs work in all processes, and without a token anybody may scrape. Concurrent scrapes share the next answer.
  const scrapes = createSharedWork<string>();
  const expose = () => scrapes.run('', async () => exposeTogether(await peers.ask('metrics', null)));
  return { ...metrics, expose };
}

/** Creates the function that reads the activity of all processes (`ServerDeps.readActivity`). */
export function activityOfAll(peers: Peers) {
  return (own: Activity): ActivityReads => {
    peers.answer('minutes', ({ accountId, length, now }) => own.minutesOf(accountId, length, now));
    peers.answer('warnings', ({ restrictionIds, now }) => restrictionIds.map((id) => own.warningsOf(id, now)));
    return {
      minutesOf: async (accountId, length, now) => sumOfMinutes(await peers.ask('minutes', { accountId, length, now })),
      async warningsOf(restrictionIds, now) {
        if (restrictionIds.length === 0) return [];
        const several = await peers.ask('warnings', { restrictionIds, now });
        return restrictionIds.map((_, index) => sumOfWarnings(several.flatMap((warnings) => warnings[index] ?? [])));
      },
    };
  };
}
