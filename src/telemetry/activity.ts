// What feeds the counters of what has happened lately: every request to the API, and every decision of the gate.

import type { Activity, Counter } from '../domain/activity.ts';
import type { GateSummary } from '../gate/gate.ts';
import type { RequestSummary } from '../http/trace.ts';

/** What hears of requests and decisions, beside the counters. */
interface Listeners {
  readonly now: () => Date;
  readonly requestEnded?: ((summary: RequestSummary) => void) | undefined;
  readonly gateDecided?: ((summary: GateSummary) => void) | undefined;
}

/** Gives what counts and passes on what came of each request and of each question to the gate. */
export function feeding(activity: Activity, { now, requestEnded, gateDecided }: Listeners) {
  return {
    requestEnded(summary: RequestSummary) {
      const { accountId, ipRestrictions } = summary;
      if (accountId !== null) activity.count(accountId, countersOf(summary), now());
      if (ipRestrictions !== null) activity.countWarnings(ipRestrictions.wouldRefuse, now());
      requestEnded?.(summary);
    },
    gateDecided(summary: GateSummary) {
      const { accountId, result, ipRestrictions } = summary;
      const counters = gateCounters[result];
      if (accountId !== null && counters.length > 0) activity.count(accountId, counters, now());
      if (ipRestrictions !== null) activity.countWarnings(ipRestrictions.wouldRefuse, now());
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

/** Tells what a request to the API counts as. Pages for users, and files without a key, are none. */
function countersOf({ surface, status, ipRestrictions }: RequestSummary): readonly Counter[] {
  if (surface !== 'rest' && surface !== 'graphql') return [];
  const counters: Counter[] = ['requests'];
  if (status !== null && status >= 500) counters.push('brokenRequests');
  else if (status !== null && status >= 400) counters.push('failedRequests');
  if (ipRestrictions?.refusedBy.length === 0) counters.push('apiWarned');
  return counters;
}
