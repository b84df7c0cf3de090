// What Prometheus is told. Every label has a bounded number of values, and none of them is an account.

import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { RequestSummary } from '../http/trace.ts';
import type { TimingObserver } from '../storage/engine.ts';
import type { Health } from '../storage/health.ts';

/** The metrics of one process. */
export interface Metrics {
  /** Counts a request that is over. */
  countRequest(summary: RequestSummary): void;
  /** Counts a statement of the database. */
  readonly countStatement: TimingObserver;
  /** Says whether the server takes requests. */
  setReady(ready: boolean): void;
  /** Gives the database to count host certificates in, once it is open. */
  watchCertificates(health: Pick<Health, 'hostCertificatesEndingBy'>): void;
  /** Media type of what `expose` gives. */
  readonly contentType: string;
  /** Writes all metrics down in the text format of Prometheus. */
  expose(): Promise<string>;
}

/** What the metrics work with. */
export interface MetricsOptions {
  readonly version: string;
  readonly now: () => Date;
  /** Takes the reason why something could not be counted, once until it can be again. */
  readonly reportFailure: (error: unknown) => void;
}

const dayMs = 86_400_000;
/** Upper ends of the ranges that host certificates are counted in, in days left, with their labels. */
const daysLeft = [
  [0, 'ended'],
  [1, '0-1'],
  [7, '1-7'],
  [30, '7-30'],
  [90, '30-90'],
] as const;
const daysLeftBeyond = '90+';
/** Milliseconds for which a count of the host certificates is used again. */
const certificateCountMs = 60_000;

/** From a look-up that needs no disk to a request that waits for a locked database. */
const requestSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const statementSeconds = [0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5];

/** Creates the metrics of a process, those of Node itself among them. */
export function createMetrics({ version, now, reportFailure }: MetricsOptions): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });

  new Gauge({
    name: 'sallyport_build_info',
    help: 'The version that runs, always 1.',
    labelNames: ['version', 'node'],
    registers,
  }).set({ version, node: process.version }, 1);
  const ready = new Gauge({
    name: 'sallyport_ready',
    help: '1 while the server takes requests, 0 while it starts or stops.',
    registers,
  });
  const requests = new Counter({
    name: 'sallyport_requests_total',
    help: 'Requests by surface, operation and status class; the class is "gone" when the client did not wait.',
    labelNames: ['surface', 'operation', 'status'],
    registers,
  });
  const durations = new Histogram({
    name: 'sallyport_request_duration_seconds',
    help: 'Time from the first byte of a request to the last of its answer, by surface and operation.',
    labelNames: ['surface', 'operation'],
    buckets: requestSeconds,
    registers,
  });
  const errors = new Counter({
    name: 'sallyport_errors_total',
    help: 'Requests with an error in the answer, by surface and code of the first one.',
    labelNames: ['surface', 'code'],
    registers,
  });
  const statements = new Histogram({
    name: 'sallyport_database_duration_seconds',
    help: 'Time of database statements, by kind; a commit waits for the disk, a begin for other programs.',
    labelNames: ['kind'],
    buckets: statementSeconds,
    registers,
  });

  let counter: Pick<Health, 'hostCertificatesEndingBy'> | undefined;
  let failing = false;
  let countedAtMs = Number.NEGATIVE_INFINITY;
  new Gauge({
    name: 'sallyport_ssh_host_certificates',
    help: 'SSH host certificates by the days until they end, counted at most once a minute.',
    labelNames: ['days_left'],
    registers,
    async collect() {
      const nowMs = now().getTime();
      if (counter === undefined || Math.abs(nowMs - countedAtMs) < certificateCountMs) return;
      countedAtMs = nowMs;
      const moments = daysLeft.map(([days]) => new Date(nowMs + days * dayMs));
      try {
        const counts = await counter.hostCertificatesEndingBy(moments);
        for (const [place, count] of counts.entries()) {
          const label = daysLeft[place]?.[1] ?? daysLeftBeyond;
          this.set({ days_left: label }, count - (counts[place - 1] ?? 0));
        }
        failing = false;
      } catch (error) {
        // The last count stays, and the next scrape tries again.
        countedAtMs = Number.NEGATIVE_INFINITY;
        if (!failing) reportFailure(error);
        failing = true;
      }
    },
  });

  // To find a counter by its labels costs more than to count: what was found is kept.
  const requestsOf = kept((surface, operation, status) => requests.labels(surface, operation, status));
  const durationsOf = kept((surface, operation) => durations.labels(surface, operation));
  const statementsOf = kept((kind) => statements.labels(kind));

  return {
    countRequest({ surface, operation, status, errorCode, seconds }) {
      const name = operation ?? 'none';
      requestsOf(surface, name, status === null ? 'gone' : `${Math.floor(status / 100)}xx`).inc();
      durationsOf(surface, name).observe(seconds);
      if (errorCode !== null) errors.inc({ surface, code: errorCode });
    },
    countStatement: (kind, seconds) => statementsOf(kind).observe(seconds),
    setReady: (isReady) => ready.set(isReady ? 1 : 0),
    watchCertificates(of) {
      counter = of;
    },
    contentType: registry.contentType,
    expose: () => registry.metrics(),
  };
}

/** Keeps what a function gives for each combination of labels, of which there is a bounded number. */
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
