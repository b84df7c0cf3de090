// Combines what the processes behind one port have each counted.

import { sumOfWarnings, type WarningCounts, type WarningsOf } from '../domain/access/warnings.ts';
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

/** Creates the function that reads the warnings that all processes have counted (`ServerDeps.readWarnings`). */
export function warningsOfAll(peers: Peers) {
  return (own: WarningCounts): WarningsOf => {
    peers.answer('warnings', ({ restrictionIds, now }) => own.of(restrictionIds, now));
    return async (restrictionIds, now) => {
      if (restrictionIds.length === 0) return [];
      const several = await peers.ask('warnings', { restrictionIds, now });
      return restrictionIds.map((_, index) => sumOfWarnings(several.flatMap((warnings) => warnings[index] ?? [])));
    };
  };
}
