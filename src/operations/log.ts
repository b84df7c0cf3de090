// The log: JSON lines on standard error. It never gets a body, the value of a header or of a query, or a token.

import { type Logger, pino } from 'pino';
import { describeFailure } from './failures.ts';
import type { RequestSummary } from './request-watch.ts';

/** The log of a process. */
export interface Log {
  /** Writes the one line of a request. */
  request(summary: RequestSummary): void;
  /** Writes why a request failed, under its id. */
  failure(requestId: string, error: unknown): void;
  /** Writes what the process does. */
  readonly event: Logger['info'];
}

/** Creates the log. Lines are written at once, so that the last ones of a process are not lost. */
export function createLog(level: string): Log {
  const log = pino({ level, serializers: { err: describeFailure } }, pino.destination({ dest: 2, sync: true }));
  return {
    request({ seconds, ...summary }) {
      const line = { ...summary, ms: Math.round(seconds * 10_000) / 10 };
      // Probes come every few seconds and tell nothing; what fails is in the line of its cause.
      if (summary.surface === 'probe') log.debug(line, 'request');
      else if (summary.status !== null && summary.status >= 500) log.warn(line, 'request');
      else log.info(line, 'request');
    },
    failure: (requestId, error) => log.error({ requestId, err: error }, 'request failed'),
    event: log.info.bind(log),
  };
}
