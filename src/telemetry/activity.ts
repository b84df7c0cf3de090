// Feeds the counters of activity with every request to the API and every decision of the gate.

import type { Counter } from '../domain/access/activity.ts';
import type { WarningCounts } from '../domain/access/warnings.ts';
import type { Activity } from '../storage/activity.ts';
import type { GateSummary } from '../surfaces/gate/outcome.ts';
import type { RequestSummary } from '../wire/trace.ts';

/** The counters, and other listeners to requests and decisions. */
interface Listeners {
  readonly activity: Pick<Activity, 'count'>;
  readonly warnings: Pick<WarningCounts, 'count'>;
  readonly now: () => Date;
  readonly requestEnded?: ((summary: RequestSummary) => void) | undefined;
  readonly gateDecided?: ((summary: GateSummary) => void) | undefined;
}

/** Returns listeners that count the outcome of each request and gate decision, and pass it on. */
export function feeding({ activity, warnings, now, requestEnded, gateDecided }: Listeners) {
  return {
    requestEnded(summary: RequestSummary) {
      const { accountId, ipRestrictions } = summary;
      if (accountId !== null) activity.count(accountId, countersOf(summary), now());
      if (ipRestrictions !== null) warnings.count(ipRestrictions.wouldRefuse, now());
      requestEnded?.(summary);
    },
    gateDecided(summary: GateSummary) {
      const { accountId, result, ipRestrictions } = summary;
      const counters = gateCounters[result];
      if (accountId !== null && counters.length > 0) activity.count(accountId, counters, now());
      if (ipRestrictions !== null) warnings.count(ipRestrictions.wouldRefuse, now());
      gateDecided?.(summary);
    },
  };
}

const gateCounters: Readonly<Record<GateSummary['result'], readonly Counter[]>> = {
  allow: ['gateAllowed'],
  warn: ['gateAllowed', 'gateWarned'],
  login: ['gateLogins'],
  refuse: ['gateRefused'],
  logout: [],
};

/** Returns the counters of a request to the API; none for pages, and files served without a key. */
function countersOf({ surface, status, ipRestrictions }: RequestSummary): readonly Counter[] {
  if (surface !== 'rest' && surface !== 'graphql') return [];
  const counters: Counter[] = ['requests'];
  if (status !== null && status >= 500) counters.push('brokenRequests');
  else if (status !== null && status >= 400) counters.push('failedRequests');
  if (ipRestrictions?.refusedBy.length === 0) counters.push('apiWarned');
  return counters;
}
