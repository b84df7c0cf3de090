// Watches a request until it is over, and summarizes it. Never looks at a body, a header value or a query.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Surface, Trace } from '../domain/trace.ts';

export interface RequestSummary extends Readonly<Trace> {
  readonly requestId: string;
  /** Empty for a request that could not be read. */
  readonly method: string;
  /** Null if the client disconnected before it had its answer. */
  readonly status: number | null;
  readonly seconds: number;
}

/** Creates request ids, and receives the outcome of each request. */
export interface RequestRecorder {
  readonly newRequestId: () => string;
  readonly requestEnded: (summary: RequestSummary) => void;
}

/** A response with what Express keeps in it, including the trace of its request. */
type Traced = ServerResponse & { locals?: { trace?: Trace } };

/**
 * Starts the trace of a request. The code that answers the request fills it in.
 *
 * @param ended receives the summary when the answer has been sent or the connection is gone
 */
export function watchRequest(
  request: IncomingMessage,
  reply: ServerResponse,
  requestId: string,
  ended: ((summary: RequestSummary) => void) | undefined,
  surface: Surface,
): Trace {
  const begun = performance.now();
  const trace: Trace = {
    surface,
    route: null,
    operationName: null,
    accountId: null,
    errorCode: null,
    ipRestrictions: null,
  };
  const traced: Traced = reply;
  traced.locals ??= {};
  traced.locals.trace = trace;
  reply.on('close', () => {
    ended?.({
      surface: trace.surface,
      route: trace.route ?? (trace.surface === 'graphql' ? null : routeOf(request)),
      operationName: trace.operationName,
      accountId: trace.accountId,
      errorCode: trace.errorCode,
      ipRestrictions: trace.ipRestrictions,
      requestId,
      method: request.method ?? '',
      status: wasSent(reply) ? reply.statusCode : null,
      seconds: (performance.now() - begun) / 1000,
      ...(trace.ended === undefined ? {} : { ended: trace.ended }),
      ...(trace.isStream === undefined ? {} : { isStream: trace.isStream }),
    });
  });
  return trace;
}

/**
 * Returns, at the moment when an answer is closed, whether the system has taken all of it. Node alone would say so of every answer
 * that was ended, even if the connection was closed with most of it still in memory.
 */
export function wasSent({ writableFinished, req }: ServerResponse): boolean {
  return writableFinished && !req.socket.destroyed;
}

/** Returns the trace of the request that an answer is for; undefined if none was started. */
export function traceOf(reply: ServerResponse): Trace | undefined {
  return (reply as Traced).locals?.trace;
}

/** The route that Express found for a request. */
interface Routed {
  route?: { path?: unknown; methods: Record<string, boolean> };
}

/**
 * Returns the route of a request as the documentation writes it; the path itself may hold anything. So may the method, of which
 * Node accepts more than thirty: one that the route does not have is `other`.
 */
function routeOf(request: IncomingMessage & Routed): string | null {
  const { route, method: given = '' } = request;
  if (typeof route?.path !== 'string') return null;
  const method = given === 'HEAD' ? 'GET' : given;
  const known = route.methods[method.toLowerCase()] === true;
  return `${known ? method : 'other'} ${route.path.replace(/:(\w+)/g, '{$1}')}`;
}
