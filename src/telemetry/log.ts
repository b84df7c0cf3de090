// The log: JSON lines on standard error. It never contains a body, the value of a header or query parameter, or a token. It
// contains a client's address if an IP restriction objects to it.

import { once } from 'node:events';
import { type Logger, pino } from 'pino';
import { remedies } from '../domain/remedies.ts';
import type { Trace, TracedObjections } from '../domain/trace.ts';
import { printable } from '../domain/values/printable.ts';
import type { BackgroundWork } from '../storage/storage-options.ts';
import type { GateSummary } from '../surfaces/gate/outcome.ts';
import type { LoginFailure, SessionEvent } from '../surfaces/gate/session-events.ts';
import type { RequestSummary } from '../wire/trace.ts';
import { describeFailure } from './failures.ts';

export interface Log {
  /** Writes the single line of a request. */
  request(summary: RequestSummary): void;
  gateDecided(summary: GateSummary): void;
  /** Writes that a peer does what only a proxy should, although no setting names it as one. */
  strangerNoticed(does: 'asks' | 'forwards', address: string): void;
  /** Writes that a user has logged in or out. */
  sessionHappened(event: SessionEvent): void;
  /** Writes why a login or a logout of a user failed. */
  loginFailed(failure: LoginFailure): void;
  /** Writes why a request failed, under its id, and how many of its like were not written since the last one. */
  failure(requestId: string, error: unknown, untold: number): void;
  /** Writes why something could not be counted for the metrics. */
  countingFailed(error: unknown): void;
  upkeepFailed(error: unknown): void;
  /** Writes why other work failed that no request is waiting for, and whether it is retried; with `untold` as for a request. */
  backgroundFailed(work: BackgroundWork, error: unknown, untold: number): void;
  /** Writes a problem that needs an operator. */
  readonly trouble: (message: string) => void;
  /** Writes what an operator should change. */
  readonly advice: (message: string) => void;
  /** Writes what the process does. */
  readonly event: Logger['info'];
  /** Writes the last line of the process, and waits until it is written; at most a second, in case nobody reads it. */
  last(message: string, level?: 'info' | 'error'): Promise<void>;
}

/** Most characters that are buffered for a slow reader; further lines are lost. */
const waitingMax = 16_777_216;

const backgroundFailures: Readonly<Record<BackgroundWork, string>> = {
  feed: 'new events could not be read for the streams that follow them; it is tried again all the time',
  refusals: 'a refused request could not be written into the trail; it is not tried again',
  activity: 'activity could not be stored; it is tried again every ten seconds',
  keyWatch: 'the keys of open streams could not be looked up; it is tried again every second',
};

const strangers = {
  asks: `a peer asked the gate that may not: if it is a proxy of yours, add its address to ${remedies.addGateProxy}`,
  forwards: `a peer sends X-Forwarded-For, but TRUST_PROXY is not set: if it is a proxy of yours, set ${remedies.setTrustProxy}`,
} as const;

/**
 * Creates the log. Lines are written in order, without waiting for the reader; buffered lines are written when the process exits by
 * itself.
 */
export function createLog(level: string): Log {
  const destination = pino.destination({ dest: 2, sync: false, maxLength: waitingMax });
  surviveFailedWrites(destination);
  // JSON leaves characters as they are that a terminal obeys, and some of a line is chosen by clients.
  const hooks = { streamWrite: (line: string) => `${printable(line.trimEnd())}\n` };
  const log = pino({ level, serializers: { err: describeFailure }, hooks }, destination);
  return {
    request(summary) {
      // Probes come every few seconds and say nothing new; a failure is logged with its cause.
      const failed = summary.status !== null && summary.status >= 500;
      const severity = summary.surface === 'probe' ? 'debug' : failed ? 'warn' : 'info';
      if (!log.isLevelEnabled(severity)) return;
      log[severity](lineOf(summary), 'request');
    },
    gateDecided(summary) {
      // Allowed requests are in the proxy's log, and come by the thousands.
      const severity = summary.result === 'allow' ? 'debug' : summary.reason === 'failure' ? 'warn' : 'info';
      if (!log.isLevelEnabled(severity)) return;
      log[severity](lineOf(summary), 'gate');
    },
    strangerNoticed: (does, client) => log.warn({ client }, strangers[does]),
    sessionHappened: ({ event, ...line }) => log.info(line, event),
    loginFailed: ({ event, ...line }) => log.info(line, `${event} failed`),
    failure: (requestId, error, untold) => log.error({ requestId, err: error, ...countOf(untold) }, 'request failed'),
    countingFailed: (error) => log.error({ err: error }, 'metrics could not be counted'),
    upkeepFailed: (error) => log.error({ err: error }, 'upkeep of the database failed; it is done again in a minute'),
    backgroundFailed: (work, error, untold) => log.error({ err: error, ...countOf(untold) }, backgroundFailures[work]),
    trouble: (message) => log.error(message),
    advice: (message) => log.warn(message),
    event: log.info.bind(log),
    async last(message, level = 'info') {
      if (!log.isLevelEnabled(level)) return;
      // The exit itself writes buffered lines, even ahead of lines whose write is in flight (seen on a busy machine).
      const allWritten = once(destination, 'drain', { signal: AbortSignal.timeout(1_000) });
      log[level](message);
      await allWritten.catch(() => {});
    },
  };
}

/** The field that counts failures which were not written; absent if there are none. */
function countOf(untold: number): { alike?: number } {
  return untold === 0 ? {} : { alike: untold };
}

/** Goes on without a log that cannot be written, such as one on a full disk, until it can be written again. */
function surviveFailedWrites(destination: ReturnType<typeof pino.destination>): void {
  let fails = false;
  destination.on('error', () => {
    fails = true;
  });
  destination.on('write', () => {
    fails = false;
  });
  // At the exit, sonic-boom (4.2) tries to write what it holds until it succeeds: the process would never end.
  process.prependListener('exit', () => {
    if (fails) destination.destroy();
  });
}

/** Most IP restrictions named in a line. */
const namedMax = 10;

/** Converts a summary into a log line: with milliseconds, and with IP restrictions only if they object. */
function lineOf({
  seconds,
  ipRestrictions,
  isStream: _stream,
  isSample: _sample,
  ...line
}: (RequestSummary | GateSummary) & Pick<Trace, 'isStream'> & Pick<GateSummary, 'isSample'>): object {
  const objections = ipRestrictions === null ? {} : { ipRestrictions: named(ipRestrictions) };
  const { particulars = null, ...rest } = 'particulars' in line ? line : { ...line, particulars: null };
  return { ...rest, ...particulars, ...objections, ms: Math.round(seconds * 10_000) / 10 };
}

function named({ address, refusedBy, wouldRefuse }: TracedObjections): TracedObjections {
  return { address, refusedBy: refusedBy.slice(0, namedMax), wouldRefuse: wouldRefuse.slice(0, namedMax) };
}
