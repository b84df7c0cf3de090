// The log: JSON lines on standard error. It never gets a body, the value of a header or of a query, or a token. The address of a
// client is in it where an IP restriction objects to that.

import { once } from 'node:events';
import { type Logger, pino } from 'pino';
import type { GateSummary } from '../gate/gate.ts';
import type { LoginFailure, SessionEvent } from '../gate/session-events.ts';
import type { Trace, TracedObjections } from '../graphql/context.ts';
import type { RequestSummary } from '../http/trace.ts';
import type { BackgroundWork } from '../storage/storage.ts';
import { describeFailure } from './failures.ts';

/** The log of a process. */
export interface Log {
  /** Writes the one line of a request. */
  request(summary: RequestSummary): void;
  /** Writes what the gate has decided. */
  gateDecided(summary: GateSummary): void;
  /** Writes that a user has logged in or out. */
  sessionHappened(event: SessionEvent): void;
  /** Writes why a login or a logout of a user failed. */
  loginFailed(failure: LoginFailure): void;
  /** Writes why a request failed, under its id. */
  failure(requestId: string, error: unknown): void;
  /** Writes why something could not be counted for the metrics. */
  countingFailed(error: unknown): void;
  /** Writes why the database could not be kept up. */
  upkeepFailed(error: unknown): void;
  /** Writes why something else could not be done that no request waits for, and what becomes of it. */
  backgroundFailed(work: BackgroundWork, error: unknown): void;
  /** Writes what an operator has to see to. */
  readonly trouble: (message: string) => void;
  /** Writes what the process does. */
  readonly event: Logger['info'];
  /** Writes what the process did last, and waits until it is written; not longer than a second, if nobody reads it. */
  last(message: string, level?: 'info' | 'error'): Promise<void>;
}

/** Characters that wait for a reader who does not come; what comes on top of them is lost. */
const waitingMax = 16_777_216;

const backgroundFailures: Readonly<Record<BackgroundWork, string>> = {
  feed: 'new events could not be read for the streams that follow them; it is tried again all the time',
  refusals: 'a refused request could not be written into the trail; it is not tried again',
  keyWatch: 'the keys of open streams could not be looked up; it is tried again every second',
};

/**
 * Creates the log. Lines are written in the order of events, without waiting for whoever reads them; those that wait are
 * written when the process exits by itself.
 */
export function createLog(level: string): Log {
  const destination = pino.destination({ dest: 2, sync: false, maxLength: waitingMax });
  const log = pino({ level, serializers: { err: describeFailure } }, destination);
  return {
    request(summary) {
      // Probes come every few seconds and tell nothing; what fails is in the line of its cause.
      const failed = summary.status !== null && summary.status >= 500;
      const severity = summary.surface === 'probe' ? 'debug' : failed ? 'warn' : 'info';
      if (!log.isLevelEnabled(severity)) return;
      log[severity](lineOf(summary), 'request');
    },
    gateDecided(summary) {
      // What passes is in the log of the proxy, and comes by the thousands.
      const severity = summary.result === 'allow' ? 'debug' : summary.reason === 'failure' ? 'warn' : 'info';
      if (!log.isLevelEnabled(severity)) return;
      log[severity](lineOf(summary), 'gate');
    },
    sessionHappened: ({ event, ...line }) => log.info(line, event),
    loginFailed: ({ event, ...line }) => log.info(line, `${event} failed`),
    failure: (requestId, error) => log.error({ requestId, err: error }, 'request failed'),
    countingFailed: (error) => log.error({ err: error }, 'metrics could not be counted'),
    upkeepFailed: (error) => log.error({ err: error }, 'upkeep of the database failed; it is done again in a minute'),
    backgroundFailed: (work, error) => log.error({ err: error }, backgroundFailures[work]),
    trouble: (message) => log.error(message),
    event: log.info.bind(log),
    async last(message, level = 'info') {
      if (!log.isLevelEnabled(level)) return;
      // What waits is written by the exit itself, even before the lines whose writing is under way (seen on a busy machine).
      const allWritten = once(destination, 'drain', { signal: AbortSignal.timeout(1_000) });
      log[level](message);
      await allWritten.catch(() => {});
    },
  };
}

/** Most IP restrictions that a line names. */
const namedMax = 10;

/** What the log has of a summary: milliseconds, and IP restrictions where they object. */
function lineOf({
  seconds,
  ipRestrictions,
  isStream: _,
  ...line
}: (RequestSummary | GateSummary) & Pick<Trace, 'isStream'>): object {
  const objections = ipRestrictions === null ? {} : { ipRestrictions: named(ipRestrictions) };
  return { ...line, ...objections, ms: Math.round(seconds * 10_000) / 10 };
}

function named({ address, refusedBy, wouldRefuse }: TracedObjections): TracedObjections {
  return { address, refusedBy: refusedBy.slice(0, namedMax), wouldRefuse: wouldRefuse.slice(0, namedMax) };
}
