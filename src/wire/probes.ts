// The door in front of the application: answers probes and scrapes itself, and refuses everything else until the application is
// ready. It needs neither Express nor a database, so it answers when they do not.

import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { statusOf } from '../domain/error-status.ts';
import { SallyportError } from '../domain/errors.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { errorBody, retryAfterSeconds } from './error-body.ts';
import { framingError, hasUnreadBody, skipBody } from './framing.ts';
import { headError, readTarget } from './head.ts';
import { answerOtherMethod } from './methods.ts';
import { send, sendJson } from './send.ts';
import { type RequestRecorder, watchRequest } from './trace.ts';

/** Dependencies of `createProbes`. The recorder is notified of the requests that are answered here. */
export interface ProbesOptions extends RequestRecorder {
  readonly metrics: Metrics;
  /** The version of the program, for the liveness probe. */
  readonly version: string;
  /** The commit that it was built from; null if that is unknown. */
  readonly commit: string | null;
  /** The token that scrapes must bring; null to let anybody scrape. */
  readonly metricsToken: string | null;
  /** Receives the causes of failures, such as why a probe of the database failed. */
  readonly reportFailure: (requestId: string, error: unknown) => void;
}

/** The door, in one of three states: closed while starting, open, or closing while the process is about to end. */
export interface Probes {
  readonly listener: RequestListener;
  /**
   * Lets requests pass. `probe` rejects if the database is unavailable, with an error that has no cause if that has already been
   * reported.
   */
  open(application: RequestListener, probe: () => Promise<void>): void;
  /** Notes for the metrics whether something is wrong with the database; requests still pass. */
  trouble(isThere: boolean): void;
  /** Reports from now on that the server is not ready; requests still pass. */
  close(): void;
}

type Answerer = (
  path: string | null,
  request: IncomingMessage,
  reply: ServerResponse,
  work: (requestId: string) => Promise<void>,
) => void;

/** Paths that are answered here. No route of the application begins like them. */
const paths = ['/healthz', '/readyz', '/metrics'];

const starting = 'The server is starting: its database is being opened or migrated.';
const stopping = 'The server is shutting down.';
const noDatabase = "The database is unavailable; the server's log says why.";

/** Creates the door, closed. */
export function createProbes({
  metrics,
  version,
  commit,
  metricsToken,
  newRequestId,
  requestEnded,
  reportFailure,
}: ProbesOptions): Probes {
  let application: RequestListener | undefined;
  let probe: () => Promise<void> = async () => {};
  let closed: string | null = starting;
  let troubled = false;
  metrics.setReady(false);

  /** Returns why the server is not ready; null if it is. */
  const whyNot = async (requestId: string): Promise<string | null> => {
    if (closed !== null) return closed === starting && troubled ? noDatabase : closed;
    try {
      await probe();
      // The process may have been told to stop meanwhile.
      return closed;
    } catch (error) {
      if (error instanceof SallyportError && error.cause === undefined) return error.message;
      reportFailure(requestId, error);
      return noDatabase;
    }
  };

  const answer = async (path: string, request: IncomingMessage, reply: ServerResponse, requestId: string) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      answerOtherMethod(['GET'], request, reply);
      return;
    }
    if (path === '/metrics') {
      if (metricsToken !== null && !bearsToken(request, metricsToken)) {
        reply.setHeader('WWW-Authenticate', 'Bearer');
        throw new SallyportError(
          'UNAUTHENTICATED',
          'Send the token of the metrics as "Authorization: Bearer <token>".',
        );
      }
      send(reply, 200, metrics.contentType, await metrics.expose());
      return;
    }
    if (path === '/readyz') {
      const reason = await whyNot(requestId);
      if (reason !== null) throw new SallyportError('UNAVAILABLE', reason);
    }
    sendJson(reply, 200, path === '/readyz' ? { status: 'ready' } : { status: 'alive', version, commit });
  };

  const refuse = (reply: ServerResponse, requestId: string, error: unknown) => {
    const coded =
      error instanceof SallyportError ? error : new SallyportError('INTERNAL', 'The server failed.', { cause: error });
    if (coded.cause !== undefined) reportFailure(requestId, coded.cause);
    if (coded.code === 'UNAVAILABLE') reply.setHeader('Retry-After', String(retryAfterSeconds));
    sendJson(reply, statusOf[coded.code], errorBody(coded, requestId));
    return coded.code;
  };

  /** Answers a request here. `path` is null for one that belongs to the application. */
  const answerHere: Answerer = (path, request, reply, work) => {
    const requestId = newRequestId();
    const trace = watchRequest(request, reply, requestId, requestEnded, path === null ? 'unknown' : 'probe');
    trace.route = path;
    reply.setHeader('X-Request-Id', requestId);
    reply.setHeader('X-Content-Type-Options', 'nosniff');
    reply.setHeader('Cache-Control', 'no-store');
    work(requestId).catch((error: unknown) => {
      // A request that broke off meanwhile has been refused already.
      if (!reply.headersSent) trace.errorCode = refuse(reply, requestId, error);
    });
  };

  /**
   * Connections that close after a request was refused here. `broken-requests.ts` has its own set: there, earlier whole requests
   * may still wait for their turn, and must pass.
   */
  const refused = new WeakSet<Socket>();

  return {
    listener(request, reply) {
      // Requests that follow a refused one on its connection get no answer, so they must not be executed.
      if (refused.has(request.socket)) return;
      const broken = headError(request) ?? framingError(request);
      readTarget(request);
      // Without the query, which may hold anything.
      const { url = '' } = request;
      const query = url.indexOf('?');
      const path = query === -1 ? url : url.slice(0, query);
      /** Refuses a request after which nobody can tell where the next one begins. */
      const refuseBroken = (error: unknown) => {
        // The request did not arrive in time, and has been refused for that.
        if (reply.headersSent) return;
        refused.add(request.socket);
        reply.setHeader('Connection', 'close');
        answerHere(null, request, reply, () => Promise.reject(error));
      };
      if (broken !== null) {
        refuseBroken(broken);
      } else if (paths.includes(path)) {
        answerHere(path, request, reply, (requestId) => answer(path, request, reply, requestId));
      } else if (application === undefined) {
        answerHere(null, request, reply, () => Promise.reject(new SallyportError('UNAVAILABLE', starting)));
      } else if (hasUnreadBody(request)) {
        const open = application;
        skipBody(request).then(() => open(request, reply), refuseBroken);
      } else {
        application(request, reply);
      }
    },

    open(openApplication, openProbe) {
      application = openApplication;
      probe = openProbe;
      closed = null;
      metrics.setReady(!troubled);
    },

    trouble(isThere) {
      troubled = isThere;
      metrics.setReady(closed === null && !troubled);
    },

    close() {
      closed = stopping;
      metrics.setReady(false);
    },
  };
}

/** Returns whether a request carries the token. The comparison takes a time that does not reveal how much of it is right. */
function bearsToken({ headers }: IncomingMessage, token: string): boolean {
  const given = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1] ?? '';
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(token));
}
