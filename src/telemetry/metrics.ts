// Metrics for Prometheus. Every label has a bounded number of values, and no label is an account.

import {
  AggregatorRegistry,
  Counter,
  type CounterConfiguration,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  Registry,
} from 'prom-client';
import type { Gauge as AreaGauge } from '../storage/lifecycle/gauges.ts';
import type { ServerReads } from '../storage/objects/server-scope.ts';
import type { TimingObserver } from '../storage/sql/statement-kinds.ts';
import type { GateSummary } from '../surfaces/gate/outcome.ts';
import type { LoginFailure, SessionEvent } from '../surfaces/gate/session-events.ts';
import type { EventStreams } from '../surfaces/kit/event-streams.ts';
import type { RequestSummary } from '../wire/trace.ts';

export interface Metrics {
  countRequest(summary: RequestSummary): void;
  countGateDecision(summary: GateSummary): void;
  /** Counts logins and logouts of users. */
  countSession(event: SessionEvent): void;
  countLoginFailure(failure: LoginFailure): void;
  /** Records the duration of a database statement. */
  readonly countStatement: TimingObserver;
  /** Sets whether the server takes requests. */
  setReady(ready: boolean): void;
  /** Sets the database that the areas' gauges count in, once it is open. */
  watch(database: ServerReads): void;
  /** Sets the event streams whose number is reported. */
  watchStreams(streams: Pick<EventStreams, 'count'>): void;
  /** Media type of what `expose` returns. */
  readonly contentType: string;
  /** Writes all metrics in the Prometheus text format. */
  expose(): Promise<string>;
  /** Returns all metrics, to be added to those of other processes. */
  values(): Promise<MetricValues>;
}

/** The metrics of a process in a form that another process can add to its own. */
export type MetricValues = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

/** Writes the combined metrics of several processes in the Prometheus text format. */
export function exposeTogether(several: MetricValues[]): Promise<string> {
  return AggregatorRegistry.aggregate(several).metrics();
}

export interface MetricsOptions {
  readonly version: string;
  readonly now: () => Date;
  readonly gauges: readonly AreaGauge[];
  /** Called with the error when a gauge could not be counted, once per outage. */
  readonly reportFailure: (error: unknown) => void;
}

/** Milliseconds for which an area's count is reused. */
const areaCountMs = 60_000;

/** From a look-up that needs no disk to a request that waits for a locked database. */
const requestSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** From tables in memory to tables that must be read first. */
const decisionSeconds = [0.00001, 0.000025, 0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.005, 0.025, 0.1, 0.5, 2.5];
const statementSeconds = [0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5];

/** Creates the metrics of a process, including those of Node itself. */
export function createMetrics({ version, now, gauges, reportFailure }: MetricsOptions): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });

  new Gauge({
    name: 'sallyport_build_info',
    help: 'The running version; always 1.',
    labelNames: ['version', 'node'],
    aggregator: 'first',
    registers,
  }).set({ version, node: process.version }, 1);
  const ready = new Gauge({
    name: 'sallyport_ready',
    help: '1 while requests are served; 0 while the server starts or stops, or its database has a problem.',
    aggregator: 'min',
    registers,
  });
  let openStreams: Pick<EventStreams, 'count'> | undefined;
  new Gauge({
    name: 'sallyport_event_streams',
    help: 'Streams of events that are open.',
    registers,
    collect() {
      this.set(openStreams?.count() ?? 0);
    },
  });
  const requestsOf = countedApart({
    name: 'sallyport_requests_total',
    help: 'Requests by surface, route and status class; the class is "gone" if the client disconnected.',
    labelNames: ['surface', 'route', 'status'],
    registers,
  });
  const durations = new Histogram({
    name: 'sallyport_request_duration_seconds',
    help: 'Time from the first byte of a request to the last of its answer, by surface and route.',
    labelNames: ['surface', 'route'],
    buckets: requestSeconds,
    registers,
  });
  const errors = new Counter({
    name: 'sallyport_errors_total',
    help: 'Requests answered with an error, by surface and code of the first error.',
    labelNames: ['surface', 'code'],
    registers,
  });
  const objections = new Counter({
    name: 'sallyport_ip_restrictions_total',
    help: 'Requests that IP restrictions refused ("refuse"), or would refuse if they were enforced ("warn"), by surface and effect.',
    labelNames: ['surface', 'effect'],
    registers,
  });
  const statements = new Histogram({
    name: 'sallyport_database_duration_seconds',
    help: 'Time of database statements, by kind; a commit waits for the disk, a begin for other programs.',
    labelNames: ['kind'],
    buckets: statementSeconds,
    registers,
  });

  const decisionsOf = countedApart({
    name: 'sallyport_gate_decisions_total',
    help: 'Decisions of the gate by result (allow, warn, login, logout, refuse) and the check that is the reason.',
    labelNames: ['result', 'reason'],
    registers,
  });
  const decisionTimes = new Histogram({
    name: 'sallyport_gate_decision_duration_seconds',
    help: 'Time that the gate takes to decide.',
    buckets: decisionSeconds,
    registers,
  });

  const logins = new Counter({
    name: 'sallyport_logins_total',
    help: 'Logins of users, by reason: begun at the application ("requested") or at the identity provider ("unsolicited"), or why they failed.',
    labelNames: ['result', 'reason'],
    registers,
  });
  const logouts = new Counter({
    name: 'sallyport_logouts_total',
    help: 'Sessions that a logout has ended, by who began it ("user", "identity_provider"), and logouts that failed, by reason.',
    labelNames: ['result', 'reason'],
    registers,
  });
  const counterOf = { login: logins, logout: logouts };

  let database: ServerReads | undefined;
  for (const { name, help, labels: labelNames, count } of gauges) {
    let failing = false;
    let countedAtMs = Number.NEGATIVE_INFINITY;
    new Gauge({
      name,
      help,
      labelNames,
      registers,
      async collect() {
        const moment = now();
        if (database === undefined || Math.abs(moment.getTime() - countedAtMs) < areaCountMs) return;
        countedAtMs = moment.getTime();
        try {
          const counted = await count(database, moment);
          // Drops label values that are no longer counted.
          this.reset();
          for (const each of counted) this.set(each.labels, each.count);
          failing = false;
        } catch (error) {
          // The last count stays, and the next scrape retries.
          countedAtMs = Number.NEGATIVE_INFINITY;
          if (!failing) reportFailure(error);
          failing = true;
        }
      },
    });
  }

  // Finding a histogram by its labels costs more than observing, so each is looked up once.
  const durationsOf = kept((surface, route) => durations.labels(surface, route));
  const decisionTime = decisionTimes.labels();
  const statementsOf = kept((kind) => statements.labels(kind));

  return {
    countRequest({ surface, route, status, errorCode, ipRestrictions, isStream, seconds }) {
      const name = route ?? 'none';
      requestsOf(surface, name, status === null ? 'gone' : `${Math.floor(status / 100)}xx`).count += 1;
      if (isStream !== true) durationsOf(surface, name).observe(seconds);
      if (errorCode !== null) errors.inc({ surface, code: errorCode });
      if (ipRestrictions === null) return;
      objections.inc({ surface, effect: ipRestrictions.refusedBy.length > 0 ? 'refuse' : 'warn' });
    },
    countGateDecision({ result, reason, seconds }) {
      decisionsOf(result, reason).count += 1;
      decisionTime.observe(seconds);
    },
    countSession: ({ event, reason, sessions }) => counterOf[event].inc({ result: 'ok', reason }, sessions),
    countLoginFailure: ({ event, reason }) => counterOf[event].inc({ result: 'failed', reason }),
    countStatement: (kind, seconds) => statementsOf(kind).observe(seconds),
    setReady: (isReady) => ready.set(isReady ? 1 : 0),
    watch(opened) {
      database = opened;
    },
    watchStreams(streams) {
      openStreams = streams;
    },
    contentType: registry.contentType,
    expose: () => registry.metrics(),
    values: () => registry.getMetricsAsJSON(),
  };
}

/**
 * Creates a counter for frequent events. The counts are kept here and handed to the library at each scrape: its own counting by
 * labels takes three times as long (measured), longer than most of what the gate does.
 *
 * @returns a function that returns the count of a combination of label values, to be incremented
 */
function countedApart(configuration: CounterConfiguration<string>): (...values: string[]) => { count: number } {
  const counts: { readonly values: readonly string[]; count: number }[] = [];
  new Counter({
    ...configuration,
    collect() {
      this.reset();
      for (const { values, count } of counts) this.labels(...values).inc(count);
    },
  });
  return kept((...values) => {
    const counted = { values, count: 0 };
    counts.push(counted);
    return counted;
  });
}

/** Caches the result of a function for each combination of labels. The number of combinations must be bounded. */
function kept<T>(find: (...labels: string[]) => T): (...labels: string[]) => T {
  const found = new Map<string, T>();
  return (...labels) => {
    const key = labels.join('\n');
    let child = found.get(key);
    if (child === undefined) {
      child = find(...labels);
      found.set(key, child);
    }
    return child;
  };
}
